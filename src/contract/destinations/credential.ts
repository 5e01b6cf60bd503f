import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { DeliveryFailure } from './destination.ts';
import {
  type DeliveryProblem,
  type DestinationAddress,
  formatDestination,
  parseDestination,
} from './destination-address.ts';

/** Location of a secret, never the secret itself. */
export type SecretSource =
  /** An environment variable. */
  | { readonly kind: 'env'; readonly name: string }
  /** A file that contains only the secret, such as a Docker or Kubernetes secret. Absolute path. */
  | { readonly kind: 'file'; readonly path: string };

interface NamedCredential {
  /** Name by which requests and definitions refer to it. */
  readonly name: string;
  /** Prefixes that it may write to, see `isAllowed`. Null allows everything it can reach; never null on a server. */
  readonly allow: readonly string[] | null;
  /** Public base URL of the bucket, ending with a slash. Null if it has none. */
  readonly publicUrl: string | null;
  /** Tenants that may use it on a server; null for all. */
  readonly tenants: readonly string[] | null;
  /** Whether a server uses it for destinations of its kind that name no credential. */
  readonly isDefault?: boolean;
}

/** For `s3://` and `gs://`, and for any service with an S3-compatible API. */
export interface S3Credential extends NamedCredential {
  readonly kind: 's3' | 'gs';
  /** An http(s) URL without a trailing slash. Null for Amazon, or for Google if the kind is `gs`. */
  readonly endpoint: string | null;
  /** Null for the region of the environment, or `us-east-1` with a custom endpoint. */
  readonly region: string | null;
  /** Whether URLs contain the bucket in the path instead of the host name. */
  readonly pathStyle: boolean;
  /** Null for the default chain of the AWS SDK (environment, profile, machine role). */
  readonly keys: {
    readonly accessKeyId: SecretSource;
    readonly secretAccessKey: SecretSource;
    readonly sessionToken: SecretSource | null;
  } | null;
}

/** For `azblob://`. */
export interface AzureCredential extends NamedCredential {
  readonly kind: 'azblob';
  /** URL of the account without a trailing slash. Null for `https://<account>.blob.core.windows.net`. */
  readonly endpoint: string | null;
  readonly accountKey: SecretSource;
}

/** For `file:`. */
export interface FileCredential extends NamedCredential {
  readonly kind: 'file';
  readonly allow: readonly string[];
  /** Base of relative paths; absolute. */
  readonly directory: string;
}

/** A permission to write to storage, described without its secrets so that it can be committed. */
export type Credential = S3Credential | AzureCredential | FileCredential;

export const CREDENTIAL_KINDS = ['s3', 'gs', 'azblob', 'file'] as const satisfies readonly Credential['kind'][];

/**
 * Reads a secret at the time of use, since it may change while a server runs. Surrounding white space is removed.
 *
 * @param credential name of the credential, for the message
 * @throws DeliveryFailure (not retryable) if the secret is missing or empty
 */
export async function resolveSecret(
  place: SecretSource,
  credential: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const [text, what] =
    place.kind === 'env'
      ? [env[place.name], `The environment variable ${place.name}`]
      : [await readFile(place.path, 'utf8').catch(() => undefined), `The file ${place.path}`];
  const secret = text?.trim() ?? '';
  if (secret !== '') return secret;
  const message = `${what}, named by the credential ${credential}, is empty or missing`;
  throw new DeliveryFailure(message, { isRetryable: false });
}

export function needsCredential(kind: Credential['kind']): DeliveryFailure {
  return new DeliveryFailure(`${kind}: needs a credential of the kind ${kind}`, { isRetryable: false });
}

/** Prefixes of files that are too broad; buckets and containers are limits already. */
const WHOLE_DISK = /^file:(?:\.?\/?)$/;

/** Returns the problem of an `allow` entry, or null if it is valid. */
export function allowProblem(kind: Credential['kind'], prefix: string): string | null {
  if (!prefix.startsWith(`${kind}:`))
    return `A credential of the kind ${kind} can only allow destinations that begin with ${kind}:`;
  if (kind === 'file' && WHOLE_DISK.test(prefix)) return 'It must not allow a whole disk or the entire base folder';
  const parsed = parseDestination(`${prefix.replace(/\/$/, '')}/-`);
  return parsed.ok ? null : parsed.problem.message;
}

/**
 * Reports whether a credential may write to a destination. `s3://videos/public` and `s3://videos/public/` both allow
 * everything below that folder but not `s3://videos/public-other/…`; the first also allows the key `public`. The
 * comparison is literal and case-sensitive.
 */
export function isAllowed(target: DestinationAddress, credential: Credential): boolean {
  if (target.kind !== credential.kind) return false;
  if (credential.allow === null) return true;
  const place = placeFor(credential, formatDestination(target));
  return credential.allow.some((prefix) => {
    const allowed = placeFor(credential, prefix);
    return place === allowed || place.startsWith(withSlash(allowed));
  });
}

/**
 * Like `isAllowed`, for a destination with placeholders or a trailing slash: whether any file name could be allowed.
 */
export function mayBeAllowed(target: DestinationAddress, credential: Credential): boolean {
  const written = formatDestination(target);
  const end = written.indexOf('{');
  if (target.kind !== credential.kind || credential.allow === null || (end === -1 && !written.endsWith('/'))) {
    return isAllowed(target, credential);
  }
  const begin = placeFor(credential, end === -1 ? written : written.slice(0, end));
  return credential.allow.some((prefix) => {
    const allowed = withSlash(placeFor(credential, prefix));
    return allowed.startsWith(begin) || begin.startsWith(allowed);
  });
}

function placeFor(credential: Credential, written: string): string {
  return credential.kind === 'file' ? absolute(written, credential.directory) : written;
}

function withSlash(prefix: string): string {
  return prefix.endsWith('/') ? prefix : `${prefix}/`;
}

/** Returns why a credential may not be used for a destination, or null if it may. */
export function permissionProblem(target: DestinationAddress, credential: Credential): DeliveryProblem | null {
  const problem = (message: string, hint: string): DeliveryProblem => ({ path: [], part: 'value', message, hint });
  if (target.kind !== credential.kind) {
    return problem(
      `The credential ${credential.name} is for ${credential.kind}:, not for ${target.kind}:`,
      `Name a credential of the kind ${target.kind}`,
    );
  }
  if (isAllowed(target, credential)) return null;
  return problem(
    `The credential ${credential.name} does not allow this destination`,
    'Its "allow" lists the permitted destinations',
  );
}

/** Keeps a trailing slash. */
function absolute(written: string, directory: string): string {
  return absolutePath(written, directory) + (written.endsWith('/') ? '/' : '');
}

/** @param written with or without `file:` */
export function absolutePath(written: string, directory: string): string {
  return resolve(directory, written.replace(/^file:(?:\/\/(?=\/))?/, ''));
}
