import { realpath } from 'node:fs/promises';
import { basename, dirname, relative, sep } from 'node:path';
import { absolutePath, type Credential, isAllowed, needsCredential } from '../../contract/destinations/credential.ts';
import { DeliveryFailure, type Destination, publicUrlOf } from '../../contract/destinations/destination.ts';
import type { DestinationAddress } from '../../contract/destinations/destination-address.ts';
import { nullIfMissing } from '../../kernel/file-system-error.ts';
import { replaceFile } from '../../kernel/replace-file.ts';
import { createAzureDestination } from './azure-destination.ts';
import { verifiedChunks } from './read-delivered-file.ts';
import { openBucket, s3AccessOf } from './s3/open-bucket.ts';
import { createS3Destination } from './s3/s3-destination.ts';

interface OpenDestinationOptions {
  /** Environment variables that credentials refer to. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Base of relative paths without a credential, and the folder that they must stay in; absolute. */
  readonly directory: string;
}

/**
 * Opens a destination with a credential. Without a credential, S3 uses the default chain of the AWS SDK, and files go below
 * `directory`. The `allow` list is checked again. Secrets are read and servers contacted at each delivery.
 *
 * @throws DeliveryFailure (not retryable) if the destination is not allowed or needs a credential
 */
export async function openDestination(
  target: DestinationAddress,
  credential: Credential | null,
  { env, directory }: OpenDestinationOptions,
): Promise<Destination> {
  if (credential !== null && !isAllowed(target, credential)) {
    throw new DeliveryFailure(`The credential ${credential.name} does not allow this destination`, {
      isRetryable: false,
    });
  }
  switch (target.kind) {
    case 's3':
    case 'gs': {
      const { bucket, key } = target;
      const access = s3AccessOf(target.kind, credential);
      return createS3Destination({
        open: () => openBucket({ bucket, access, env }),
        key,
        publicUrl: credential?.publicUrl ?? null,
      });
    }
    case 'azblob':
      if (credential?.kind !== 'azblob') throw needsCredential('azblob');
      return createAzureDestination({ target, credential, env });
    case 'file': {
      const folder = credential?.kind === 'file' ? credential : null;
      const path = absolutePath(target.path, folder?.directory ?? directory);
      if (folder === null && !path.startsWith(`${directory.replace(/\/$/, '')}/`)) throw needsCredential('file');
      const root = folder === null ? directory : rootOf(path, folder.allow, folder.directory);
      return createFileDestination({ path, root, publicUrl: folder?.publicUrl ?? null });
    }
  }
}

/** Returns the innermost `allow` entry that contains a path. */
function rootOf(path: string, allow: readonly string[], directory: string): string {
  const roots = allow.map((prefix) => absolutePath(prefix, directory));
  const around = roots.filter((root) => path === root || path.startsWith(`${root}/`));
  return around.sort((a, b) => b.length - a.length)[0] ?? directory;
}

interface FileDestinationOptions {
  /** Absolute. */
  readonly path: string;
  /** The folder that the path must stay in, or the path itself; absolute. */
  readonly root: string;
  readonly publicUrl: string | null;
}

/** Writes a local file atomically and syncs it to disk before reporting success. */
function createFileDestination({ path, root, publicUrl }: FileDestinationOptions): Destination {
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
  throw new DeliveryFailure('A symbolic link in the folder leads out of the allowed folder', { isRetryable: false });
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
