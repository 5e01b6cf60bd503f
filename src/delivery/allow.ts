import { resolve } from 'node:path';
import type { Credential } from './credential.ts';
import type { DeliveryProblem } from './delivery-problem.ts';
import { parseTarget, type Target, writeTarget } from './target.ts';

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
