import { createColors } from 'picocolors';
import { present } from '../../kernel/defined.ts';
import { escapeControls } from '../wording/display-text.ts';
import { countNoun } from '../wording/quantities.ts';

/** Result of `reelform init`. */
interface RepositoryReport {
  /** Repository-relative, in order of writing. */
  readonly written: readonly string[];
  /** Files that already existed and were not changed. */
  readonly left: readonly string[];
  /** Path from the working directory; empty if it is the working directory. */
  readonly folder: string;
  readonly hasVideo: boolean;
  readonly ci: 'github' | 'gitlab' | 'none';
  readonly service: string;
  /** Branch that the workflows treat as the main branch. */
  readonly branch: string;
  readonly hasGit: boolean;
  /** Languages that the existing configuration may lack. */
  readonly locales: readonly string[];
  /** True if an existing top-level GitLab configuration has to include reelform's jobs. */
  readonly needsInclude: boolean;
  /** Dependencies to add to an existing package.json, reelform first; null if there is nothing to add. */
  readonly ownPackages:
    | readonly { readonly specifier: string; readonly tarball: { readonly path: string } | null }[]
    | null;
}

const QUESTIONS = {
  service: 'Where should videos be rendered: on this machine (embedded), or by a service at a URL?',
  ci: 'Which CI system should plan pull requests and render merged changes?',
  template: 'Which template should the first video use?',
} as const;

const SECRET = {
  github: [
    'Create the environment reelform for the default branch only: Settings > Environments',
    'gh secret set REELFORM_TOKEN --env reelform   the same token, for apply.yml',
    'gh secret set REELFORM_READ_TOKEN     a token that only reads, for drift.yml',
  ],
  gitlab: ['Add the masked variable REELFORM_TOKEN, protected: Settings > CI/CD > Variables'],
} as const;

/** @param preset answer to an empty line */
export function initQuestion(about: keyof typeof QUESTIONS, choices: readonly string[], preset: string): string {
  const listed = choices.length > 1 ? ` (${choices.join(', ')})` : '';
  return `${QUESTIONS[about]}${listed} [${preset}] `;
}

/** Lists written and existing files, and the next steps. */
export function repositoryText(report: RepositoryReport, { color }: { readonly color: boolean }): string {
  const { bold, dim, green, yellow } = createColors(color);
  const { written, left, folder } = report;
  const lines = [
    `${green('✓')} ${bold(countNoun(written.length, 'file'))} written`,
    ...written.map((path) => `  ${path}`),
    ...(left.length === 0 ? [] : ['', `${yellow('!')} ${countNoun(left.length, 'existing file')} left unchanged`]),
    ...left.map((path) => `  ${dim(escapeControls(path))}`),
    '',
    bold('Next'),
    ...nextSteps(report, folder).map((step) => `  ${step}`),
  ];
  return `${lines.join('\n')}\n`;
}

function nextSteps(report: RepositoryReport, folder: string): string[] {
  const { hasVideo, ownPackages, ci, service, left, branch, hasGit, locales, needsInclude } = report;
  const tarballs = ownPackages?.flatMap(({ tarball }) => (tarball === null ? [] : `./${tarball.path}`)) ?? [];
  const sources = tarballs.length > 0 ? tarballs.join(' ') : `reelform@${ownPackages?.[0]?.specifier}`;
  const install = ownPackages === null ? 'npm install' : `npm install --save-dev --save-exact ${sources}`;
  return present([
    folder !== '' && `cd ${escapeControls(/^[\w./-]+$/.test(folder) ? folder : JSON.stringify(folder))}`,
    service !== 'embedded' && 'export REELFORM_TOKEN=…              the access token of the service',
    install,
    ...(hasVideo
      ? [
          'npx reelform plan                     show what would be rendered',
          'npx reelform apply                    render videos and record them',
        ]
      : ['npx reelform template init FILE       create a template from a Lottie animation']),
    !hasGit && gitInit(branch, ci),
    'npx reelform lock merge --install     in each clone: git merges the lockfile entry by entry',
    left.includes('.gitignore') && 'Put node_modules/, renders/, .reelform/ and .unfinished-* into .gitignore',
    ...(service === 'embedded' || ci === 'none' ? [] : SECRET[ci]),
    locales.length > 0 && `Add to reelform.yaml: locales: { source: en, targets: [${locales.join(', ')}] }`,
    needsInclude && 'Include .gitlab-ci.yml of this folder in the one of the root folder',
    ci !== 'none' && 'Commit all files including package-lock.json: the workflows run npm ci',
  ]);
}

function gitInit(branch: string, ci: RepositoryReport['ci']): string {
  if (ci === 'none') return 'git init';
  return `${`git init --initial-branch=${branch}`.padEnd(38)}what is merged into it is rendered`;
}
