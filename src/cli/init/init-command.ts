import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { EXIT, ReelformError } from '../../kernel/diagnostic.ts';
import { type GitLocation, locateInGit } from '../../reconciler/git/revisions.ts';
import { withoutCredentials } from '../../reconciler/git/run-git.ts';
import { CONFIG_FILE } from '../../reconciler/project/repository-layout.ts';
import { writeFileAtomic } from '../../reconciler/project/write-file.ts';
import { initQuestion, repositoryText } from '../../report/terminal/init-text.ts';
import { type GlobalOptions, workingDirectory } from '../global-options.ts';
import type { Io } from '../io.ts';
import { stdoutStyle } from '../output.ts';
import { dependsOnReelform, ownPackages, packageRoot } from '../own-package.ts';
import { npmPackage } from '../template/add/open-origin.ts';
import { galleryDigests, readGalleryTemplate } from '../template/gallery.ts';
import { type StarterChoices, type StarterFile, starterFiles } from './starter-files.ts';
import { folderSuffix, isPlaceable } from './workflow-text.ts';

interface InitOptions extends GlobalOptions {
  readonly service?: string;
  readonly ci?: StarterChoices['ci'];
  readonly template?: StarterChoices['template'];
  /** True to use defaults without asking. */
  readonly yes?: boolean;
}

/** Number of attempts to answer a question. */
const ATTEMPTS = 3;

const WORKFLOWS = ['plan.yml', 'plan-comment.yml', 'apply.yml', 'drift.yml'];

const CI_CHOICES = ['github', 'gitlab', 'none'] as const;
const TEMPLATE_CHOICES = ['card', 'none'] as const;

/**
 * `reelform init [DIR]`: creates a working repository. Asks for missing options on a terminal, and uses their defaults
 * elsewhere. Existing files are kept and listed.
 */
export async function initCommand(folder: string | undefined, options: InitOptions, io: Io): Promise<number> {
  const directory = workingDirectory(options, io);
  const root = resolve(directory, folder ?? '.');
  const { top, branch, isGitLab } = await placeOf(root);
  const folderOfGit = top === null ? '' : slashed(relative(top, root));
  const [gitLab, gitHub] = ['.gitlab-ci.yml', '.github'].map((name) => existsSync(join(top ?? root, name)));
  const chosen = await choose(options, isGitLab || (gitLab === true && gitHub === false), io);
  const place = {
    branch: branch ?? 'main',
    folder: folderOfGit,
    suffix: folderSuffix(folderOfGit) || (areTaken(top ?? root) ? '-reelform' : ''),
    isRemote: chosen.service !== 'embedded',
    usesLfs: [top ?? root, root].some(filtersWithLfs),
  };
  if (chosen.ci !== 'none' && !isPlaceable(place.folder)) {
    throw invalid(`Workflows cannot use the folder name ${JSON.stringify(place.folder)}: rename it, or pass --ci none`);
  }
  const manifest = join(root, 'package.json');
  const hasManifest = existsSync(manifest);
  const isInstalled = hasManifest && dependsOnReelform(readFileSync(manifest, 'utf8'));
  const isOfGallery = chosen.template !== 'card' && chosen.template !== 'none';
  const gallery = isOfGallery ? await readGalleryTemplate(chosen.template, npmPackage) : null;
  const choices = { ...chosen, gallery, place, ownPackages: isInstalled ? null : await ownPackages(packageRoot()) };
  const isNew = !existsSync(join(root, CONFIG_FILE));
  const files = starterFiles(choices).filter(
    ({ path }) => (isNew || !isOfExample(path)) && !(hasManifest && path === 'package-lock.json'),
  );
  const { written, existing } = await writeNew(files, root, top ?? root);
  const left = new Set([...(isNew ? [] : [CONFIG_FILE]), ...existing, ...(isInstalled ? ['package.json'] : [])]);
  const report = {
    written,
    left: [...left],
    folder: relative(directory, root),
    hasVideo: isNew && choices.template !== 'none',
    ci: choices.ci,
    service: choices.service,
    branch: place.branch,
    hasGit: top !== null,
    needsInclude: existing.some((path) => path.endsWith('../.gitlab-ci.yml')),
    ownPackages: left.has('package.json') ? choices.ownPackages : null,
  };
  io.stdout.write(repositoryText(report, stdoutStyle(options, io)));
  return EXIT.ok;
}

/** Writes the files that do not exist. Returns the paths of both kinds, relative to the root. */
async function writeNew(
  files: readonly StarterFile[],
  root: string,
  top: string,
): Promise<{ readonly written: readonly string[]; readonly existing: readonly string[] }> {
  const written: string[] = [];
  const existing: string[] = [];
  for (const { path, content, isAtTop = false } of files) {
    const target = join(isAtTop ? top : root, path);
    // A broken symbolic link is there, too.
    const exists = lstatSync(target, { throwIfNoEntry: false }) !== undefined;
    (exists ? existing : written).push(slashed(relative(root, target)));
    if (exists) continue;
    await mkdir(dirname(target), { recursive: true });
    await writeFileAtomic(target, content);
  }
  return { written, existing };
}

/** True for files of the example, which an existing configuration does not need. */
function isOfExample(path: string): boolean {
  return path === CONFIG_FILE || /^(?:templates|videos|schemas)\//.test(path);
}

/** True if other workflows use these names. */
function areTaken(top: string): boolean {
  return WORKFLOWS.some((name) => {
    const path = join(top, '.github/workflows', name);
    return existsSync(path) && !readFileSync(path, 'utf8').includes('reelform');
  });
}

function filtersWithLfs(folder: string): boolean {
  const path = join(folder, '.gitattributes');
  return existsSync(path) && /^[^#\n]*\sfilter=lfs(?:\s|$)/m.test(readFileSync(path, 'utf8'));
}

/** Finds the Git repository that contains a folder, which need not exist yet. */
async function placeOf(root: string): Promise<Omit<GitLocation, 'up'> & { readonly top: string | null }> {
  let folder = root;
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder);
  const place = await locateInGit(folder);
  if (place === null) return { top: null, branch: null, isGitLab: false };
  return { ...place, top: resolve(folder, place.up) };
}

function slashed(path: string): string {
  return path.split(sep).join('/');
}

/** @param isGitLab selects GitLab as the default CI */
async function choose(
  options: InitOptions,
  isGitLab: boolean,
  io: Io,
): Promise<Omit<StarterChoices, 'place' | 'ownPackages' | 'gallery'>> {
  const asks = io.interactive && options.yes !== true;
  /** @param wrong returns the error in an answer, or null */
  const answered = async (question: string, preset: string, wrong: (answer: string) => string | null) => {
    for (let attempt = 1; ; attempt++) {
      const answer = (await io.ask(question)).trim() || preset;
      const message = wrong(answer);
      if (message === null) return answer;
      if (attempt === ATTEMPTS) throw invalid(message);
      io.stderr.write(`${message}\n`);
    }
  };
  const oneOf = async <T extends string>(
    name: 'ci' | 'template',
    option: T | undefined,
    all: readonly T[],
    preset: T,
  ): Promise<T> => {
    if (option !== undefined || !asks) return option ?? preset;
    const chosen = await answered(initQuestion(name, all, preset), preset, (answer) =>
      all.some((choice) => choice === answer) ? null : `${JSON.stringify(answer)} is not one of ${all.join(', ')}`,
    );
    return chosen as T;
  };
  const asked = options.service === undefined && asks;
  const service = asked
    ? await answered(initQuestion('service', [], 'embedded'), 'embedded', wrongService)
    : (options.service ?? 'embedded');
  const wrong = wrongService(service);
  if (wrong !== null) throw invalid(wrong);
  return {
    service,
    ci: await oneOf('ci', options.ci, CI_CHOICES, isGitLab ? 'gitlab' : 'github'),
    template: await oneOf(
      'template',
      options.template,
      [...TEMPLATE_CHOICES, ...Object.keys(galleryDigests())],
      'card',
    ),
  };
}

/** Returns the error in the value of `--service`, or null. */
function wrongService(service: string): string | null {
  if (service === 'embedded' || /^https?:\/\/[^\s/?#@]+(?:\/[^\s?#]*)?$/.test(service)) return null;
  return `${JSON.stringify(withoutCredentials(service))} is neither "embedded" nor an http(s) URL without user, query or fragment`;
}

function invalid(message: string): ReelformError {
  return new ReelformError('init_invalid', message, { hint: 'Run `reelform init --help` for the available options' });
}
