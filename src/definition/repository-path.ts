import { posix } from 'node:path';
import type { Code } from '../diagnostic.ts';

export type RepositoryPath =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly code: Code; readonly message: string; readonly hint: string };

/**
 * A path as written in a file → its path from the root of the repository, normalised, with `/`. `./` and `../` start at
 * the folder of the file that says them, anything else at the root. Says nothing about what stands there.
 *
 * @param saidBy repository-relative
 */
export function resolvePath(written: string, saidBy: string): RepositoryPath {
  if (written.includes('\\')) {
    const hint = `Write ${written.replaceAll('\\', '/')}`;
    return { ok: false, code: 'definition_invalid', message: `The path ${quote(written)} holds a backslash`, hint };
  }
  if (written.startsWith('/') || /^[a-z]:/i.test(written)) {
    const hint = 'Write it from the root of the repository, or with ./ from the folder of this file';
    return { ok: false, code: 'path_outside', message: `The path ${quote(written)} is absolute`, hint };
  }
  const relative = written.startsWith('./') || written.startsWith('../');
  const path = posix.normalize(relative ? posix.join(posix.dirname(saidBy), written) : written);
  if (path === '..' || path.startsWith('../')) {
    const message = `The path ${quote(written)} leads out of the repository`;
    return { ok: false, code: 'path_outside', message, hint: 'Copy the file into the repository' };
  }
  if (path === '.' || path.endsWith('/')) {
    const message = `The path ${quote(written)} names a folder, not a file`;
    return { ok: false, code: 'definition_invalid', message, hint: 'Write the path of a file' };
  }
  return { ok: true, path };
}

function quote(text: string): string {
  return JSON.stringify(text);
}
