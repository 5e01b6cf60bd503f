/** Location of workflows. */
export interface WorkflowPlace {
  /** Branch that pull requests are merged into. */
  readonly branch: string;
  /** Path from the root of the repository, with `/`; empty for the root. */
  readonly folder: string;
  /** Distinguishes the workflows from those of other folders, such as `-site-videos`; empty if there are none. */
  readonly suffix: string;
  /** True if a service renders, which needs a token. */
  readonly isRemote: boolean;
  /** True if files of the repository are in Git LFS, whose content a checkout fetches only on request. */
  readonly usesLfs: boolean;
}

/**
 * True for folder names that workflows can contain: without characters that have a meaning in a glob, an expression or
 * a shell.
 */
export function isPlaceable(folder: string): boolean {
  return folder === '' || /^[\w@][\w.@-]*(?: [\w.@-]+)*(?:\/[\w@][\w.@-]*(?: [\w.@-]+)*)*$/.test(folder);
}

/** Returns the suffix for the workflows of a folder: `-site-videos`, or an empty string for the root. */
export function folderSuffix(folder: string): string {
  const slug = folder
    .replaceAll(/[^A-Za-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 40);
  return slug === '' ? '' : `-${slug}`;
}

/** Adapts a GitHub workflow of this package to the branch, to a suffix, and to a folder. */
export function githubWorkflow(text: string, place: WorkflowPlace): string {
  const { branch, folder, suffix, isRemote, usesLfs } = place;
  const name = /^[\w./-]+$/.test(branch) ? branch : JSON.stringify(branch);
  const merged = text.replace('branches: [main]', `branches: [${name}]`).replace('ref: main\n', `ref: ${name}\n`);
  // The jobs that draw videos need the history too.
  const whole = usesLfs ? merged.replace(/^( +)fetch-depth: 0\n/m, '$&$1lfs: true\n') : merged;
  const named = suffixed(isRemote ? withServiceToken(whole) : whole, suffix);
  return folder === '' ? named : inFolder(named, folder);
}

/**
 * Adds the service's token to the commands that contact the service. `drift` gets another token, because it only reads: the job
 * needs no environment, and no reviewer has to approve it each week.
 */
function withServiceToken(text: string): string {
  const [, command] = /\breelform (apply|drift) /.exec(text) ?? [];
  if (command === undefined) return text;
  const line = `REELFORM_TOKEN: \${{ secrets.${command === 'apply' ? 'REELFORM_TOKEN' : 'REELFORM_READ_TOKEN'} }}`;
  return text.replace(/^( +)GITHUB_TOKEN: .*$/m, (match, indent: string) => `${match}\n${indent}${line}`);
}

/** Adds the suffix to names that are shared by all workflows of the repository. */
function suffixed(text: string, suffix: string): string {
  if (suffix === '') return text;
  return text
    .replace(/^name: (.*)$/m, `name: $1${suffix}`)
    .replace('workflows: [plan]', `workflows: [plan${suffix}]`)
    .replaceAll('reelform/translations', `reelform/translations${suffix}`)
    .replaceAll('reelform-plan-', `reelform-plan${suffix}-`)
    .replace("&& 'reviewed' ||", `&& 'reviewed:${suffix.slice(1)}' ||`)
    .replaceAll('comment github --check ', `comment github --check --tag ${suffix.slice(1)} `)
    .replaceAll('renders-$', `renders${suffix}-$`)
    .replaceAll('restore-keys: renders-\n', `restore-keys: renders${suffix}-\n`);
}

function inFolder(text: string, folder: string): string {
  const quoted = (path: string): string => (/\s/.test(path) ? JSON.stringify(path) : path);
  const pathInFolder = (path: string): string => quoted(`${folder}/${path}`);
  const changed = (indent: string, more: readonly string[] = []): string =>
    [`${indent}paths:`, ...[`${folder}/**`, ...more].map((path) => `${indent}  - ${JSON.stringify(path)}`)].join('\n');
  return (
    text
      // The paths filter skips pull requests, so the check must not be required.
      .replace(/^#\n# It runs for every pull request: .*\n/m, '')
      .replace(/^ {2}pull_request:$/m, () => `  pull_request:\n${changed('    ')}`)
      .replace('    paths-ignore: [reelform.lock.json]', () => changed('    ', [`!${folder}/reelform.lock.json`]))
      .replace(/^concurrency:$/m, () => `defaults:\n  run:\n    working-directory: ${quoted(folder)}\n\nconcurrency:`)
      .replaceAll(/^( {10})cache: npm$/gm, (line, indent: string) => {
        return `${line}\n${indent}cache-dependency-path: ${pathInFolder('package-lock.json')}`;
      })
      .replaceAll(/^( {10}path: )renders$/gm, (_, key: string) => key + pathInFolder('renders'))
  );
}

/** Adapts the GitLab jobs to a folder of the repository. GitLab names the branch. */
export function gitlabJobs(text: string, place: WorkflowPlace): string {
  const { folder, suffix } = place;
  if (folder === '') return text;
  const pathInFolder = (path: string): string => JSON.stringify(`${folder}/${path}`);
  return (
    text
      .replace('    - npm ci ', () => `    - cd ${JSON.stringify(folder)}\n    - npm ci `)
      .replace('[package-lock.json]', () => `[${pathInFolder('package-lock.json')}]`)
      .replace('[.npm/]', () => `[${pathInFolder('.npm/')}]`)
      .replace(
        'paths: [.reelform/rendered, reelform.lock.json]',
        () => `paths: [${pathInFolder('.reelform/rendered')}, ${pathInFolder('reelform.lock.json')}]`,
      )
      .replace('paths: [.reelform/gitlab/plan]', () => `paths: [${pathInFolder('.reelform/gitlab/plan')}]`)
      .replaceAll(/: (\.reelform\/gitlab\/\w+\.json)$/gm, (_, path: string) => `: ${pathInFolder(path)}`)
      .replace('comment gitlab ', `comment gitlab --tag ${suffix.slice(1)} `)
      .replace('--job plan --plan ', () => `--job plan${suffix} --plan ${JSON.stringify(`${folder}/`)}`)
      .replaceAll(/(resource_group: reelform-(?:apply|notes|translations))$/gm, `$1${suffix}`)
      .replace('BRANCH: reelform/translations', `BRANCH: reelform/translations${suffix}`)
      // Settings for all jobs would also apply to jobs of other folders.
      .replace(/^default:$/m, `.reelform${suffix}:`)
      .replaceAll(/^(plan|speech|notes|apply|drift|translations):$/gm, `$1${suffix}:\n  extends: .reelform${suffix}`)
  );
}
