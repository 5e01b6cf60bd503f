import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { DeliveryFailure } from './destination.ts';
import { type DeliveryProblem, parseTarget, type Target, writeTarget } from './destination-address.ts';

/** Where a secret stands: never the secret itself. */
export type SecretPlace =
  /** An environment variable. */
  | { readonly kind: 'env'; readonly name: string }
  /** A file that holds nothing else, such as a secret of Docker or Kubernetes; absolute. */
  | { readonly kind: 'file'; readonly path: string };

interface NamedCredential {
  /** What a request or a definition calls it. */
  readonly name: string;
  /** What it may write to, @see isAllowed; null: anything that it can reach. Never null on a server. */
  readonly allow: readonly string[] | null;
  /** Under which everybody finds the root of the bucket, with a slash at its end; null: nobody does. */
  readonly publicUrl: string | null;
  /** Who may use it on a server; null: everybody. */
  readonly tenants: readonly string[] | null;
  /** Whether it is for destinations of its kind that name no credential, on a server. */
  readonly isDefault?: boolean;
}

/** For `s3://` and `gs://`, and for everything that speaks the interface of S3. */
export interface S3Credential extends NamedCredential {
  readonly kind: 's3' | 'gs';
  /** An http(s) URL without a slash at its end; null: that of Amazon, or of Google for `gs`. */
  readonly endpoint: string | null;
  /** Null: what the environment says, or `us-east-1` at an endpoint of one's own. */
  readonly region: string | null;
  /** Whether the bucket stands in the path of URLs, and not in their host. */
  readonly pathStyle: boolean;
  /** Null: whatever the AWS SDK finds (environment, profile, role of the machine). */
  readonly keys: {
    readonly accessKeyId: SecretPlace;
    readonly secretAccessKey: SecretPlace;
    readonly sessionToken: SecretPlace | null;
  } | null;
}

/** For `azblob://`. */
export interface AzureCredential extends NamedCredential {
  readonly kind: 'azblob';
  /** Of the account, without a slash at its end; null: `https://<account>.blob.core.windows.net`. */
  readonly endpoint: string | null;
  readonly accountKey: SecretPlace;
}

/** For `file:`. */
export interface FileCredential extends NamedCredential {
  readonly kind: 'file';
  readonly allow: readonly string[];
  /** Where relative paths start; absolute. */
  readonly directory: string;
}

/** The right to write somewhere, described without its secrets, so that it can stand in a file that everybody reads. */
export type Credential = S3Credential | AzureCredential | FileCredential;

export const CREDENTIAL_KINDS = ['s3', 'gs', 'azblob', 'file'] as const satisfies readonly Credential['kind'][];

/**
 * The secret that stands at a place, when it is needed: it may change while a server runs. White space around it goes.
 *
 * @param credential the name of the credential, for the message
 * @throws DeliveryFailure when nothing is there; one that cannot be retried
 */
export async function readSecret(
  place: SecretPlace,
  credential: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const [text, what] =
    place.kind === 'env'
      ? [env[place.name], `The environment variable ${place.name}`]
      : [await readFile(place.path, 'utf8').catch(() => undefined), `The file ${place.path}`];
  const secret = text?.trim() ?? '';
  if (secret !== '') return secret;
  const message = `${what}, which the credential ${credential} names, is empty or not there`;
  throw new DeliveryFailure(message, { isRetryable: false });
}

/** Of the deepest name that a prefix has to have: no credential is for whatever it can reach. */
const ROOTS: Readonly<Record<Credential['kind'], RegExp>> = {
  s3: /^s3:\/\/[^/]+\/?$/,
  gs: /^gs:\/\/[^/]+\/?$/,
  azblob: /^azblob:\/\/[^/]+\/[^/]+\/?$/,
  file: /^file:(?:\.?\/?)$/,
};

/** What is wrong with an entry of `allow`; null where nothing is. */
export function allowProblem(kind: Credential['kind'], prefix: string): string | null {
  if (!prefix.startsWith(`${kind}:`))
    return `A credential of the kind ${kind} writes to places that begin with ${kind}:`;
  if (kind === 'file' && ROOTS.file.test(prefix)) return 'Not a whole disk, nor all of the folder where paths start';
  const parsed = parseTarget(`${prefix.replace(/\/$/, '')}/-`);
  return parsed.ok ? null : parsed.problem.message;
}

/**
 * Whether a credential may write to a target: `s3://videos/public` and `s3://videos/public/` both allow what is below that
 * folder, and neither allows `s3://videos/public-other/…`; the first allows the key `public` itself too. Names are compared
 * as they are written, in the same case.
 */
export function isAllowed(target: Target, credential: Credential): boolean {
  if (target.kind !== credential.kind) return false;
  if (credential.allow === null) return true;
  const place = placeFor(credential, writeTarget(target));
  return credential.allow.some((prefix) => {
    const allowed = placeFor(credential, prefix);
    return place === allowed || place.startsWith(withSlash(allowed));
  });
}

/** The same of a target with placeholders, or one that ends with a slash: whether any file of it might be written there. */
export function mayBeAllowed(target: Target, credential: Credential): boolean {
  const written = writeTarget(target);
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

/** Why a target cannot be delivered to with a credential; null where it can. */
export function targetProblem(target: Target, credential: Credential): DeliveryProblem | null {
  const problem = (message: string, hint: string): DeliveryProblem => ({ path: [], part: 'value', message, hint });
  if (target.kind !== credential.kind) {
    return problem(
      `The credential ${credential.name} is for ${credential.kind}:, not for ${target.kind}:`,
      `Name a credential of the kind ${target.kind}`,
    );
  }
  if (isAllowed(target, credential)) return null;
  return problem(
    `The credential ${credential.name} may not write there`,
    'Its allow says which places it may write to',
  );
}

/** With the slash at its end, if there was one. */
function absolute(written: string, directory: string): string {
  return absolutePath(written, directory) + (written.endsWith('/') ? '/' : '');
}

/** @param written with or without `file:` */
export function absolutePath(written: string, directory: string): string {
  return resolve(directory, written.replace(/^file:(?:\/\/(?=\/))?/, ''));
}
