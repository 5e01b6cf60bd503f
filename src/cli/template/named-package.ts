import { readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { ReelformError, type Result, startOf } from '../../kernel/diagnostic.ts';
import { isArchivePath, readTemplateArchive, readTemplateFolder } from '../../reconciler/project/read-package.ts';

/** A template package that the command line names. */
export interface NamedPackage {
  /** Absolute. */
  readonly path: string;
  /** Path relative to the working directory, for messages. */
  readonly folder: string;
  /** Name of its folder or file, without extension. */
  readonly name: string;
  readonly files: Result<Map<string, Uint8Array>>;
  /** Returns the text of a file, by its path relative to the working directory. */
  readonly source: (file: string) => string | undefined;
}

/** Reads a package from a folder or a `.lottie` file, which may be outside of the repository. */
export function readNamedPackage(named: string, directory: string): NamedPackage {
  const path = resolve(directory, named);
  const folder = relative(directory, path).split(sep).join('/') || '.';
  const [root, below] = [dirname(path), basename(path)];
  const at = startOf(folder);
  const files = isArchivePath(path) ? readTemplateArchive(root, below, at) : readTemplateFolder(root, below, at);
  const source = (file: string): string | undefined => {
    try {
      return readFileSync(join(directory, file), 'utf8');
    } catch {
      return undefined;
    }
  };
  return { path, folder, name: below.replace(/\.lottie$/i, ''), files, source };
}

/**
 * Reads a file that the command line names.
 *
 * @throws ReelformError `missing_file`, `template_invalid` if it is too large
 */
export function readNamedFile(named: string, path: string, maxBytes: number): Uint8Array {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (cause) {
    throw new ReelformError('missing_file', `${named} cannot be read: ${(cause as Error).message}`, { cause });
  }
  if (bytes.length <= maxBytes) return bytes;
  throw new ReelformError('template_invalid', `${named} is larger than ${maxBytes >> 20} MB`, {
    hint: 'Export it with smaller images',
  });
}
