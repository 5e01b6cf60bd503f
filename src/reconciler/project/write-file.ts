import { lstat, readFile, readlink, realpath, stat, writeFile } from 'node:fs/promises';
import { ReelformError } from '../../kernel/diagnostic.ts';
import { nullIfMissing } from '../../kernel/file-system-error.ts';
import { type FileData, replaceFile } from '../../kernel/replace-file.ts';

/**
 * Writes a file atomically and durably: it survives a power failure once this resolves. Creates missing folders.
 *
 * @param path absolute
 * @throws ReelformError `write_failed`
 */
export async function writeFileAtomic(path: string, data: FileData): Promise<void> {
  try {
    await replaceFile(path, data, { isDurable: true });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EISDIR') {
      const hint = 'Add the name of a file in it, or choose another path';
      throw new ReelformError('write_failed', `${path} could not be written: it is a folder`, { hint, cause });
    }
    throw new ReelformError('write_failed', `${path} could not be written: ${(cause as Error).message}`, {
      hint: 'Check the free space and the permissions of the folder',
      cause,
    });
  }
}

/**
 * Writes a file whose path the user has chosen: keeps a symbolic link and replaces its target atomically; writes directly to
 * a pipe or device such as `/dev/stdout`. Do not use this for untrusted paths: a link in a pull request may point anywhere.
 *
 * @param path absolute
 * @throws ReelformError `write_failed`, also for a broken link
 */
export async function writeLinkedFile(path: string, data: FileData): Promise<void> {
  let target: string;
  try {
    const found = await nullIfMissing(stat(path));
    if (found === null) await refuseLink(path);
    else if (!found.isFile() && !found.isDirectory())
      return await writeFile(path, typeof data === 'function' ? data() : data);
    target = found === null ? path : await realpath(path);
  } catch (cause) {
    if (cause instanceof ReelformError) throw cause;
    const message = `${path} could not be written: ${(cause as Error).message}`;
    throw new ReelformError('write_failed', message, { hint: 'Check the target of the link', cause });
  }
  await writeFileAtomic(target, data);
}

/** Writes a text file as `writeLinkedFile` does, with the byte order mark that the file has. */
export async function rewriteTextFile(path: string, text: string): Promise<void> {
  // Why it cannot be read is reported where it is written.
  const former = await readFile(path).catch(() => null);
  await writeLinkedFile(path, withMarkOf(former, text));
}

/** Returns a text with the byte order mark of its former bytes: Excel reads a CSV file as UTF-8 by it. */
export function withMarkOf(former: Buffer | null, text: string): string {
  const hasMark = former?.subarray(0, MARK.length).equals(MARK) === true;
  return hasMark && !text.startsWith('\ufeff') ? `\ufeff${text}` : text;
}

const MARK = Buffer.from('\ufeff');

async function refuseLink(path: string): Promise<void> {
  const found = await nullIfMissing(lstat(path));
  if (found?.isSymbolicLink() !== true) return;
  throw new ReelformError('write_failed', `${path} is a link to ${await readlink(path)}, which does not exist`, {
    hint: 'Create the target of the link, or remove the link',
  });
}
