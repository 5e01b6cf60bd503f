import { type Dirent, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, posix, sep } from 'node:path';
import { failure, type Result, type Span, startOf } from '../../kernel/diagnostic.ts';
import { byCodeUnit } from '../../kernel/digest.ts';
import { readPackedPackage } from '../../template/archive/lottie-archive.ts';
import { MAX_PACKAGE_BYTES, MAX_PACKAGE_FILES } from '../../template/archive/read-package-zip.ts';
import type { ReadLog } from './read-log.ts';

/** Hints for a folder that cannot be used. */
interface FolderWords {
  readonly missing: string;
  readonly tooLarge: string;
}

const PACKAGE_WORDS: FolderWords = {
  missing: 'Write the path of a template package, like ./templates/launch',
  tooLarge: 'A template package can have at most 50 MB and 2,000 files',
};

/**
 * Reads the regular files of a template package, or of another folder with the same limits, by their path below it with `/`.
 * Ignores links and hidden files.
 *
 * @param root of the repository, absolute
 * @param folder repository-relative
 * @param at location of its name in reelform.yaml
 * @param log records what is read
 * @param words hints, by default those for a template package
 */
export function readTemplateFolder(
  root: string,
  folder: string,
  at: Span,
  log: ReadLog | null = null,
  words: FolderWords = PACKAGE_WORDS,
): Result<Map<string, Uint8Array>> {
  const absolute = join(root, folder);
  if (!statSync(absolute, { throwIfNoEntry: false })?.isDirectory()) {
    return refused(at, `The folder ${JSON.stringify(folder)} does not exist`, words.missing);
  }
  const inside = realInside(root, folder, 'folder', at);
  if (!inside.ok) return inside;
  const { real, isLink } = inside.value;
  // A link may be changed to another folder without a change in either folder.
  if (isLink) log?.spoil();
  const list = (path: string): Dirent[] => log?.list(path) ?? readdirSync(join(root, path), { withFileTypes: true });
  const files = new Map<string, Uint8Array>();
  let sizeBytes = 0;
  const folders = [''];
  for (let below = folders.pop(); below !== undefined; below = folders.pop()) {
    const entries = list(posix.join(folder, below).replace(/\/$/, ''));
    for (const entry of entries.sort((a, b) => byCodeUnit(a.name, b.name))) {
      const path = `${below}${entry.name}`;
      if (entry.name.startsWith('.')) continue;
      if (entry.isDirectory()) folders.push(`${path}/`);
      if (!entry.isFile()) continue;
      sizeBytes += statSync(join(absolute, path)).size;
      if (sizeBytes > MAX_PACKAGE_BYTES || files.size >= MAX_PACKAGE_FILES) {
        return refused(at, `${JSON.stringify(folder)} is too large`, words.tooLarge);
      }
      const file = join(real, path);
      const bytes = log?.read(posix.join(folder, path), file);
      files.set(path, bytes === undefined ? readFileSync(file) : Uint8Array.from(bytes));
    }
  }
  return { ok: true, value: files };
}

function refused(at: Span | undefined, message: string, hint: string): Result<never> {
  return failure('template_invalid', at, message, hint);
}

/** Returns the real path of a file or folder, unless a link leads out of the repository. */
function realInside(
  root: string,
  path: string,
  kind: 'file' | 'folder',
  at: Span | undefined,
): Result<{ readonly real: string; readonly isLink: boolean }> {
  const [real, realRoot] = [realpathSync.native(join(root, path)), realpathSync.native(root)];
  if (real.startsWith(realRoot.endsWith(sep) ? realRoot : `${realRoot}${sep}`)) {
    return { ok: true, value: { real, isLink: real !== join(realRoot, path) } };
  }
  const message = `${JSON.stringify(path)} is a link to a location outside the repository`;
  return refused(at, message, `Copy the ${kind} into the repository`);
}

/** Returns whether a template's path names a packed package rather than a folder. */
export function isArchivePath(path: string): boolean {
  return /\.lottie$/i.test(path);
}

/**
 * Reads the files of a template package that is packed as `.lottie`, by their path in the package with `/`.
 *
 * @param root of the repository, absolute
 * @param path repository-relative
 * @param at location of its name in reelform.yaml; undefined if it was named on the command line
 * @param log records what is read
 */
export function readTemplateArchive(
  root: string,
  path: string,
  at: Span | undefined,
  log: ReadLog | null = null,
): Result<Map<string, Uint8Array>> {
  const stats = statSync(join(root, path), { throwIfNoEntry: false });
  if (!stats?.isFile()) {
    return refused(at, `The file ${JSON.stringify(path)} does not exist`, 'Create it with reelform template pack');
  }
  const inside = realInside(root, path, 'file', at);
  if (!inside.ok) return inside;
  const { real } = inside.value;
  if (stats.size > MAX_PACKAGE_BYTES) {
    return refused(at, `${JSON.stringify(path)} is too large`, PACKAGE_WORDS.tooLarge);
  }
  const packed = readPackedPackage(log === null ? readFileSync(real) : Uint8Array.from(log.read(path, real)));
  if (packed.ok) return packed;
  const start = startOf(path);
  return { ok: false, diagnostics: packed.diagnostics.map((diagnostic) => ({ ...diagnostic, at: at ?? start })) };
}
