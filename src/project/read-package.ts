import { type Dirent, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, posix, sep } from 'node:path';
import type { Diagnostic, Result, Span } from '../diagnostic.ts';
import { readPackedPackage } from '../template/archive/read-lottie-archive.ts';
import { MAX_PACKAGE_BYTES, MAX_PACKAGE_FILES } from '../template/archive/read-package-zip.ts';
import type { ReadLog } from './read-log.ts';

/** What to say of a folder that cannot be used. */
interface FolderWords {
  readonly missing: string;
  readonly tooLarge: string;
}

const PACKAGE_WORDS: FolderWords = {
  missing: 'Write the path of a template package, like ./templates/launch',
  tooLarge: 'A template package has at most 50 MB and 2,000 files',
};

/**
 * The regular files of a template package, or of another folder that becomes part of one, by their path below its folder, with `/`. Links and hidden files are left out.
 *
 * @param root of the repository, absolute
 * @param folder repository-relative
 * @param at where reelform.yaml names it
 * @param log takes down what is read
 * @param words for a folder that is no template package
 */
export function readTemplateFolder(
  root: string,
  folder: string,
  at: Span,
  log: ReadLog | null = null,
  words: FolderWords = PACKAGE_WORDS,
): Result<Map<string, Uint8Array>> {
  const refused = (message: string, hint: string): Result<never> => {
    const diagnostic: Diagnostic = { code: 'template_invalid', severity: 'error', message, hint, at };
    return { ok: false, diagnostics: [diagnostic] };
  };
  const absolute = join(root, folder);
  if (!statSync(absolute, { throwIfNoEntry: false })?.isDirectory()) {
    return refused(`There is no folder ${JSON.stringify(folder)}`, words.missing);
  }
  const [real, realRoot] = [realpathSync.native(absolute), realpathSync.native(root)];
  if (!real.startsWith(`${realRoot}${sep}`)) {
    return refused(`${JSON.stringify(folder)} is a link out of the repository`, 'Copy the folder into the repository');
  }
  // A folder behind a link can become another one without a trace in it.
  if (real !== join(realRoot, folder)) log?.spoil();
  const list = (path: string): Dirent[] => log?.list(path) ?? readdirSync(join(root, path), { withFileTypes: true });
  const files = new Map<string, Uint8Array>();
  let sizeBytes = 0;
  const folders = [''];
  for (let below = folders.pop(); below !== undefined; below = folders.pop()) {
    for (const entry of sorted(list(posix.join(folder, below).replace(/\/$/, '')))) {
      const path = `${below}${entry.name}`;
      if (entry.name.startsWith('.')) continue;
      if (entry.isDirectory()) folders.push(`${path}/`);
      if (!entry.isFile()) continue;
      sizeBytes += statSync(join(absolute, path)).size;
      if (sizeBytes > MAX_PACKAGE_BYTES || files.size >= MAX_PACKAGE_FILES) {
        return refused(`${JSON.stringify(folder)} is too large`, words.tooLarge);
      }
      const file = join(real, path);
      const bytes = log?.read(posix.join(folder, path), file);
      files.set(path, bytes === undefined ? readFileSync(file) : Uint8Array.from(bytes));
    }
  }
  return { ok: true, value: files };
}

function sorted(entries: Dirent[]): Dirent[] {
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Whether a template's path names a package in one file, and no folder. */
export function isArchivePath(path: string): boolean {
  return /\.lottie$/i.test(path);
}

/**
 * The files of a template package that is packed as `.lottie`, by their path below its folder, with `/`.
 *
 * @param root of the repository, absolute
 * @param path repository-relative
 * @param at where reelform.yaml names it; absent where it was named on the command line
 * @param log takes down what is read
 */
export function readTemplateArchive(
  root: string,
  path: string,
  at: Span | undefined,
  log: ReadLog | null = null,
): Result<Map<string, Uint8Array>> {
  const refused = (message: string, hint: string): Result<never> => {
    const diagnostic: Diagnostic = { code: 'template_invalid', severity: 'error', message, hint, at };
    return { ok: false, diagnostics: [diagnostic] };
  };
  const absolute = join(root, path);
  const stats = statSync(absolute, { throwIfNoEntry: false });
  if (!stats?.isFile()) {
    return refused(`There is no file ${JSON.stringify(path)}`, 'Make it with reelform template pack');
  }
  const [real, realRoot] = [realpathSync.native(absolute), realpathSync.native(root)];
  if (!real.startsWith(realRoot.endsWith(sep) ? realRoot : `${realRoot}${sep}`)) {
    return refused(`${JSON.stringify(path)} is a link out of the repository`, 'Copy the file into the repository');
  }
  if (stats.size > MAX_PACKAGE_BYTES) {
    return refused(`${JSON.stringify(path)} is too large`, 'A template package has at most 50 MB and 2,000 files');
  }
  const packed = readPackedPackage(log === null ? readFileSync(real) : Uint8Array.from(log.read(path, real)));
  if (packed.ok) return packed;
  const start = { file: path, start: 0, end: 0 };
  return { ok: false, diagnostics: packed.diagnostics.map((diagnostic) => ({ ...diagnostic, at: at ?? start })) };
}
