import { defined } from '../../kernel/defined.ts';
import { closestMatch } from '../../kernel/hints.ts';
import { safeFileName } from '../../kernel/safe-file-name.ts';

/** Parsed form of a `to`: the destination of a delivery. */
export type DestinationAddress =
  | { readonly kind: 's3' | 'gs'; readonly bucket: string; readonly key: string }
  | { readonly kind: 'azblob'; readonly account: string; readonly container: string; readonly key: string }
  /** `path` as written: absolute, or relative to the folder of the credential. */
  | { readonly kind: 'file'; readonly path: string };

type ParsedDestination =
  | { readonly ok: true; readonly target: DestinationAddress }
  | { readonly ok: false; readonly problem: DeliveryProblem };

/** Limit of S3; the other stores allow at least as many. */
const MAX_KEY_BYTES = 1024;
const BUCKETS = {
  s3: /^(?!.*\.\.)[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
  gs: /^(?!.*\.\.)[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$/,
};
const ACCOUNT = /^[a-z0-9]{3,24}$/;
const CONTAINER = /^(?:\$web|\$root|(?!.*--)[a-z0-9][a-z0-9-]{1,61}[a-z0-9])$/;
const FORMS = 's3://bucket/key, gs://bucket/key, azblob://account/container/key, or file:path';
const PLACEHOLDER = /\{([^{}]*)\}/g;

/**
 * Parses a `to`. Nothing is decoded, and `.` and `..` are rejected.
 *
 * @param placeholders names that may appear in the key as `{name}`. If there are any, the key may also end with a
 * slash, see `fillDestination`. Omit for a `to` that was already filled.
 */
export function parseDestination(to: string, placeholders: readonly string[] = []): ParsedDestination {
  const parsed = parseTarget(to);
  if (!parsed.ok) return parsed;
  const { target } = parsed;
  return keyProblem(target.kind === 'file' ? target.path.replace(/^\//, '') : target.key, placeholders) ?? parsed;
}

function parseTarget(to: string): ParsedDestination {
  const [, scheme = '', rest = ''] = /^([a-z0-9]+):(.*)$/s.exec(to) ?? [];
  switch (scheme) {
    case 's3':
    case 'gs':
      return parseBucket(scheme, rest);
    case 'azblob':
      return parseAzure(rest);
    case 'wasbs':
      return parseAzureUrl(rest);
    case 'file':
      return parseFile(rest);
    default:
      return wrong('A destination must name a bucket or a folder', `Write ${FORMS}`);
  }
}

/** Returns the kind of a `to` by its scheme, or null if it is unknown. The key may contain placeholders. */
export function destinationKind(to: string): DestinationAddress['kind'] | null {
  const scheme = /^([a-z0-9]+):/.exec(to)?.[1];
  if (scheme === 'wasbs') return 'azblob';
  return scheme === 's3' || scheme === 'gs' || scheme === 'azblob' || scheme === 'file' ? scheme : null;
}

/** Formats a destination in its canonical spelling. */
export function formatDestination(target: DestinationAddress): string {
  if (target.kind === 'file') return `file:${target.path}`;
  if (target.kind === 'azblob') return `azblob://${target.account}/${target.container}/${target.key}`;
  return `${target.kind}://${target.bucket}/${target.key}`;
}

function parseBucket(kind: 's3' | 'gs', rest: string): ParsedDestination {
  const [, bucket = '', key = ''] = /^\/\/([^/]*)(?:\/(.*))?$/s.exec(rest) ?? [];
  if (!BUCKETS[kind].test(bucket)) {
    return wrong(`${kind}:// must be followed by a bucket name, a slash and a key`, `Write ${kind}://bucket/key`);
  }
  return { ok: true, target: { kind, bucket, key } };
}

function parseAzure(rest: string): ParsedDestination {
  const [, account = '', container = '', key = ''] = /^\/\/([^/]*)\/([^/]*)(?:\/(.*))?$/s.exec(rest) ?? [];
  if (!ACCOUNT.test(account) || !CONTAINER.test(container)) {
    return wrong(
      'azblob:// must be followed by an account, a container and a key',
      'Write azblob://account/container/key',
    );
  }
  return { ok: true, target: { kind: 'azblob', account, container, key } };
}

/** The spelling of Hadoop, equivalent to `azblob://account/container/key`. */
function parseAzureUrl(rest: string): ParsedDestination {
  const [, container = '', account = '', key = ''] =
    /^\/\/([^/@]*)@([^/@.]*)\.blob\.core\.windows\.net(?:\/(.*))?$/s.exec(rest) ?? [];
  if (ACCOUNT.test(account) && CONTAINER.test(container)) return parseAzure(`//${account}/${container}/${key}`);
  return wrong(
    'wasbs:// must be followed by a container, an account and a key',
    'Write wasbs://container@account.blob.core.windows.net/key',
  );
}

function parseFile(rest: string): ParsedDestination {
  // file:///srv/videos equals file:/srv/videos.
  const path = rest.replace(/^\/\/\//, '/').replace(/^(?:\.\/)+/, '');
  if (path.startsWith('//'))
    return wrong('file: must be a path on this machine, without a host', 'Write file:folder/name');
  return { ok: true, target: { kind: 'file', path } };
}

/** Checks the part after the bucket. */
function keyProblem(key: string, placeholders: readonly string[]): ParsedDestination | null {
  const mayEndWithSlash = placeholders.length > 0;
  const whole = mayEndWithSlash && (key === '' || key.endsWith('/')) ? `${key}-` : key;
  if (key === '' && !mayEndWithSlash) return wrong('The destination has no key: the name of the file');
  if (Buffer.byteLength(key) > MAX_KEY_BYTES) return wrong(`A key can have at most ${MAX_KEY_BYTES} bytes`);
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(key) || !key.isWellFormed()) {
    return wrong('A key contains invisible characters');
  }
  if (key.includes('\\')) return wrong('A key contains a backslash', 'Write / between folders');
  if (key.includes('?')) return wrong('A destination must not have a query; access is configured in its credential');
  if (whole.split('/').some((segment) => ['', '.', '..'].includes(segment))) {
    return wrong(
      'A key has a path segment that is empty, "." or ".."',
      'Write path segments separated by single slashes',
    );
  }
  return placeholderProblem(key, placeholders);
}

function placeholderProblem(key: string, placeholders: readonly string[]): ParsedDestination | null {
  for (const [, name = ''] of key.matchAll(PLACEHOLDER)) {
    if (placeholders.includes(name)) continue;
    if (placeholders.length === 0) return wrong(`The placeholder {${name}} has no value`);
    const meant = closestMatch(name, placeholders);
    return wrong(
      `There is no placeholder {${name}}`,
      meant === null ? `There are ${placeholders.map((name) => `{${name}}`).join(', ')}` : `Did you mean {${meant}}?`,
    );
  }
  return /[{}]/.test(key.replaceAll(PLACEHOLDER, '')) ? wrong('A { or } is not part of a placeholder') : null;
}

function wrong(message: string, hint?: string): ParsedDestination {
  return { ok: false, problem: { path: [], part: 'value', message, ...defined({ hint }) } };
}

/** A problem in the configuration of a delivery. Never contains a secret. */
export interface DeliveryProblem {
  /** Path into the checked value; empty for the value as a whole. */
  readonly path: readonly string[];
  /** Whether the key or the value at that path is wrong. */
  readonly part: 'key' | 'value';
  /** One sentence without a full stop. */
  readonly message: string;
  /** Text or setting that solves the problem. */
  readonly hint?: string;
}

/** Values of the placeholders of a `to`. */
interface PlaceholderValues {
  readonly sessionId: string;
  /** Converted to a safe file name. */
  readonly title: string;
  /** Extension of the finished file, without the dot. */
  readonly extension: string;
  /** Creation time of the session, in milliseconds since the epoch. */
  readonly createdAt: number;
}

/** Placeholders that a service fills, written between braces in a `to`. */
export const SERVICE_PLACEHOLDERS = ['session_id', 'title', 'extension', 'date'] as const;

/**
 * Fills the placeholders of a `to`; unknown ones stay. Appends `{session_id}.{extension}` if it ends with a slash or
 * has no key. The result must be parsed again, because a title can make it too long.
 *
 * @param to accepted by `parseDestination` with `SERVICE_PLACEHOLDERS`
 */
export function fillDestination(to: string, { sessionId, title, extension, createdAt }: PlaceholderValues): string {
  const values: Readonly<Record<(typeof SERVICE_PLACEHOLDERS)[number], string>> = {
    session_id: sessionId,
    title: safeFileName(title.replaceAll(/[{}]/g, ' ')),
    extension,
    // In UTC.
    date: new Date(createdAt).toISOString().slice(0, 10),
  };
  return wholeOf(to).replaceAll(/\{([a-z_]+)\}/g, (placeholder, name: string) =>
    Object.hasOwn(values, name) ? values[name as keyof typeof values] : placeholder,
  );
}

function wholeOf(to: string): string {
  const file = '{session_id}.{extension}';
  if (/^(?:s3|gs|wasbs):\/\/[^/]+$|^azblob:\/\/[^/]+\/[^/]+$/.test(to)) return `${to}/${file}`;
  return to.endsWith('/') || to === 'file:' ? `${to}${file}` : to;
}
