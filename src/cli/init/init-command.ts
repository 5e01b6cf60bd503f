import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { EXIT } from '../../kernel/diagnostic.ts';
import { CONFIG_FILE } from '../../reconciler/project/repository-layout.ts';
import { writeFileAtomic } from '../../reconciler/project/write-file.ts';
import { repositoryText } from '../../report/terminal/init-text.ts';
import { type GlobalOptions, workingDirectory } from '../global-options.ts';
import type { Io } from '../io.ts';
import { stdoutStyle } from '../output.ts';
import { dependsOnReelform, ownPackages, packageRoot } from '../own-package.ts';
import { npmPackage } from '../template/add/open-origin.ts';
import { readGalleryTemplate } from '../template/gallery.ts';
import { chooseStarter, initInvalid, type StarterOptions } from './choose-starter.ts';
import { inspectPlace } from './inspect-place.ts';
import { type StarterFile, starterFiles } from './starter-files.ts';
import { isPlaceable } from './workflow-text.ts';

/**
 * `reelform init [DIR]`: creates a working repository. Asks for missing options on a terminal, and uses their defaults
 * elsewhere. Existing files are kept and listed.
 */
export async function initCommand(
  folder: string | undefined,
  options: GlobalOptions & StarterOptions,
  io: Io,
): Promise<number> {
  const directory = workingDirectory(options, io);
  const root = resolve(directory, folder ?? '.');
  const { top, isGitLab, ...surroundings } = await inspectPlace(root);
  const chosen = await chooseStarter(options, isGitLab, io);
  const place = { ...surroundings, isRemote: chosen.service !== 'embedded' };
  if (chosen.ci !== 'none' && !isPlaceable(place.folder)) {
    throw initInvalid(
      `Workflows cannot use the folder name ${JSON.stringify(place.folder)}: rename it, or pass --ci none`,
    );
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
  const { written: made, existing } = await writeNew(files, root, top ?? root);
  const hasLocales = chosen.locales.length > 0;
  // The definitions are those of the example.
  const written = hasLocales && isNew && chosen.template !== 'none' ? [...made, ...(await extractTexts(root))] : made;
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
    // An existing configuration is not changed.
    locales: hasLocales && !isNew ? chosen.locales : [],
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
    (exists ? existing : written).push(relative(root, target).split(sep).join('/'));
    if (exists) continue;
    await mkdir(dirname(target), { recursive: true });
    await writeFileAtomic(target, content);
  }
  return { written, existing };
}

/** Writes the texts of the example into catalogues. Returns the paths of the files. */
async function extractTexts(root: string): Promise<string[]> {
  // Loads yaml, Ajv and the parsers of catalogues.
  const [{ readCatalogues }, { writeCatalogues }] = await Promise.all([import('../locales/locale-catalogues.ts'), import('../locales/extract-command.ts')]); // biome-ignore format: one line
  const { extracted } = await writeCatalogues(await readCatalogues(root), { isCheck: false });
  return extracted.filter(({ isChanged }) => isChanged).map(({ file }) => file);
}

/** True for files of the example, which an existing configuration does not need. */
function isOfExample(path: string): boolean {
  return path === CONFIG_FILE || /^(?:templates|videos|schemas)\//.test(path);
}
