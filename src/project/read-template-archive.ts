import { readFileSync, realpathSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { Diagnostic, Result, Span } from '../diagnostic.ts';
import { readPackedPackage } from '../template/archive/read-lottie-archive.ts';
import { MAX_PACKAGE_BYTES } from '../template/archive/read-package-zip.ts';
import type { ReadLog } from './read-log.ts';

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
