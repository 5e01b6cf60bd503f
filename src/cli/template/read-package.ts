import { readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { ReelformError, type Result } from '../../diagnostic.ts';
import { isArchivePath, readTemplateArchive, readTemplateFolder } from '../../project/read-package.ts';

/** A template package that the command line names. */
export interface NamedPackage {
  /** Absolute. */
  readonly path: string;
  /** As it is told: from where the command works. */
  readonly folder: string;
  /** What its folder or file is called, without an ending. */
  readonly name: string;
  readonly files: Result<Map<string, Uint8Array>>;
  /** The text of a file of it, by path from where the command works. */
  readonly source: (file: string) => string | undefined;
}

/** Reads a package from a folder, or from a `.lottie` file, anywhere on the disk. */
export function readNamedPackage(named: string, directory: string): NamedPackage {
  const path = resolve(directory, named);
  const folder = relative(directory, path).split(sep).join('/') || '.';
  const [root, below] = [dirname(path), basename(path)];
  const at = { file: folder, start: 0, end: 0 };
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
 * The bytes of a file that the command line names.
 *
 * @throws ReelformError `missing_file`, `template_invalid` for one that is too large
 */
export function readNamedFile(named: string, path: string, maxBytes: number): Uint8Array {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (cause) {
    throw new ReelformError('missing_file', `${named} cannot be read: ${(cause as Error).message}`, { cause });
  }
  if (bytes.length <= maxBytes) return bytes;
  throw new ReelformError('template_invalid', `${named} has more than ${maxBytes >> 20} MB`, {
    hint: 'Export it with smaller images',
  });
}
