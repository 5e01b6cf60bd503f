import { createAzureDestination } from './azure-destination.ts';
import { absolutePath, type Credential, isAllowed } from './credential.ts';
import { DeliveryFailure, type Destination } from './destination.ts';
import type { Target } from './destination-address.ts';
import { createFileDestination } from './file-destination.ts';
import { OWN_ACCESS, openBucket } from './s3/open-bucket.ts';
import { createS3Destination } from './s3/s3-destination.ts';

export interface OpenOptions {
  /** Where secrets stand that a credential names. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where relative paths start without a credential, and what they do not leave; absolute. */
  readonly directory: string;
}

/**
 * What writes to a target with the right that a credential gives. Without one: to S3 with what the AWS SDK finds by
 * itself, and to files below the directory. Whether the credential allows the target is looked at once more. Secrets are
 * read, and servers asked, at each delivery.
 *
 * @throws DeliveryFailure that cannot be retried: the target is not allowed, or needs a credential
 */
export async function openDestination(
  target: Target,
  credential: Credential | null,
  { env, directory }: OpenOptions,
): Promise<Destination> {
  if (credential !== null && !isAllowed(target, credential)) {
    throw new DeliveryFailure(`The credential ${credential.name} may not write there`, { isRetryable: false });
  }
  switch (target.kind) {
    case 's3':
    case 'gs': {
      const { bucket, key } = target;
      const access = credential?.kind === 's3' || credential?.kind === 'gs' ? credential : null;
      if (access === null && target.kind === 'gs') throw needsCredential('gs');
      return createS3Destination({
        open: () => openBucket({ bucket, access: access ?? OWN_ACCESS, env }),
        key,
        publicUrl: access?.publicUrl ?? null,
      });
    }
    case 'azblob':
      if (credential?.kind !== 'azblob') throw needsCredential('azblob');
      return createAzureDestination({ target, credential, env });
    case 'file': {
      const own = credential?.kind === 'file' ? credential : null;
      const path = absolutePath(target.path, own?.directory ?? directory);
      if (own === null && !path.startsWith(`${directory.replace(/\/$/, '')}/`)) throw needsCredential('file');
      const root = own === null ? directory : rootOf(path, own.allow, own.directory);
      return createFileDestination({ path, root, publicUrl: own?.publicUrl ?? null });
    }
  }
}

/** The innermost entry of `allow` that a path is below. */
function rootOf(path: string, allow: readonly string[], directory: string): string {
  const roots = allow.map((prefix) => absolutePath(prefix, directory));
  const around = roots.filter((root) => path === root || path.startsWith(`${root}/`));
  return around.sort((a, b) => b.length - a.length)[0] ?? directory;
}

function needsCredential(kind: string): DeliveryFailure {
  return new DeliveryFailure(`${kind}: needs a credential of the kind ${kind}`, { isRetryable: false });
}
