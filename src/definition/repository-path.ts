import { posix } from 'node:path';
import type { Code } from '../diagnostic.ts';

export type RepositoryPath =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly code: Code; readonly message: string; readonly hint: string };

/**
 * Resolves a path in a file to a normalised repository-relative path with `/`. `./` and `../` are relative to the folder of
 * that file, other paths to the root. Does not check that the file exists.
 *
 * @param baseFile file that contains the path, repository-relative
 */
export function resolvePath(written: string, baseFile: string): RepositoryPath {
  if (written.includes('\\')) {
    const hint = `Write ${written.replaceAll('\\', '/')}`;
    return { ok: false, code: 'definition_invalid', message: `The path ${quote(written)} contains a backslash`, hint };
  }
  if (written.startsWith('/') || /^[a-z]:/i.test(written)) {
    const hint = 'Write it relative to the root of the repository, or with ./ relative to the folder of this file';
    return { ok: false, code: 'path_outside', message: `The path ${quote(written)} is absolute`, hint };
  }
  const relative = written.startsWith('./') || written.startsWith('../');
  const path = posix.normalize(relative ? posix.join(posix.dirname(baseFile), written) : written);
  if (path === '..' || path.startsWith('../')) {
    const message = `The path ${quote(written)} leads out of the repository`;
    return { ok: false, code: 'path_outside', message, hint: 'Copy the file into the repository' };
  }
  if (path === '.' || path.endsWith('/')) {
    const message = `The path ${quote(written)} is a folder, not a file`;
    return { ok: false, code: 'definition_invalid', message, hint: 'Write the path of a file' };
  }
  return { ok: true, path };
}

function quote(text: string): string {
  return JSON.stringify(text);
}
