import { realpath } from 'node:fs/promises';
import { basename, dirname, relative, sep } from 'node:path';
import { nullIfMissing } from '../file-system-error.ts';
import { replaceFile } from '../replace-file.ts';
import { DeliveryFailure, type Destination, publicUrlOf } from './destination.ts';
import { verifiedChunks } from './read-delivered-file.ts';

export interface FileDestinationOptions {
  /** Absolute. */
  readonly path: string;
  /** The folder that the path must stay in, or the path itself; absolute. */
  readonly root: string;
  readonly publicUrl: string | null;
}

/** Writes a local file atomically and syncs it to disk before reporting success. */
export function createFileDestination({ path, root, publicUrl }: FileDestinationOptions): Destination {
  return {
    async deliver(file, { signal }) {
      signal.throwIfAborted();
      try {
        await refuseDetour(path, root);
        await replaceFile(path, () => verifiedChunks(file, signal), { isDurable: true });
      } catch (error) {
        signal.throwIfAborted();
        throw failureOf(error);
      }
      const key = path === root ? basename(path) : relative(root, path).split(sep).join('/');
      return { remoteId: null, url: publicUrlOf(publicUrl, key) };
    },
  };
}

/** Rejects paths that a symbolic link redirects out of the root. @throws DeliveryFailure */
async function refuseDetour(path: string, root: string): Promise<void> {
  const folder = path === root ? dirname(root) : root;
  const [there, allowed] = [await deepest(dirname(path)), await deepest(folder)];
  if (there === allowed || there.startsWith(allowed.endsWith(sep) ? allowed : allowed + sep)) return;
  throw new DeliveryFailure('A link in the folder leads out of what may be written to', { isRetryable: false });
}

/** Resolves the deepest existing ancestor of a path. */
async function deepest(path: string): Promise<string> {
  return (await nullIfMissing(realpath(path))) ?? (dirname(path) === path ? path : await deepest(dirname(path)));
}

/** Keeps local paths out of the message. */
function failureOf(error: unknown): DeliveryFailure {
  if (error instanceof DeliveryFailure) return error;
  const { code } = error as NodeJS.ErrnoException;
  const isRetryable = !['EACCES', 'EPERM', 'EROFS', 'EISDIR', 'ENOTDIR', 'ENAMETOOLONG'].includes(code ?? '');
  return new DeliveryFailure(`The file could not be written (${code ?? 'for an unknown reason'})`, { isRetryable });
}
