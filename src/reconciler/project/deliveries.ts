import { type Credential, mayBeAllowed, permissionProblem } from '../../contract/destinations/credential.ts';
import { parseDestination } from '../../contract/destinations/destination-address.ts';
import { parseCredentials } from '../../contract/destinations/parse-credentials.ts';
import { type Diagnostic, errorAt, type Locate } from '../../kernel/diagnostic.ts';
import { didYouMean } from '../../kernel/hints.ts';
import {
  DESTINATION_TWICE,
  type DeliverContext,
  type DestinationProblem,
  DIMENSION_PLACEHOLDERS,
  placeholdersOf,
  tooManyDestinations,
  withFileName,
} from '../definition/destinations.ts';
import type { VideoDestination } from '../definition/video.ts';
import { type AssetsConfig, type CacheConfig, DEFAULT_CACHE_BYTES, type DeliveriesConfig } from './config.ts';

type WrittenDestination = string | { readonly to: string; readonly credential?: string };

/** Delivery settings of reelform.yaml as written. */
export interface WrittenDeliveries {
  readonly credentials?: Readonly<Record<string, unknown>>;
  readonly deliver?: WrittenDestination | readonly WrittenDestination[];
  readonly assets?: { readonly publish: string; readonly public_url: string; readonly credential?: string };
  readonly cache?: string | { readonly url?: string; readonly credential?: string; readonly max_gb?: number };
}

interface ReadDeliveries extends DeliveriesConfig {
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Reads `credentials`, `deliver`, `assets` and `cache` of reelform.yaml. Does not read the secrets, which are in the environment.
 *
 * @param directory of the repository, absolute, for relative folders
 */
export function readDeliveries(
  written: WrittenDeliveries,
  service: DeliveringService,
  directory: string,
  locate: Locate,
): ReadDeliveries {
  const { credentials, problems } = parseCredentials(written.credentials ?? {}, { isServer: false, directory });
  const diagnostics = problems.map(({ path, part, message, hint }) =>
    invalid(locate(['credentials', ...path], part), message, hint),
  );
  // A problem with a credential is not repeated at each destination that uses it.
  const known = diagnostics.length === 0 ? credentials : null;
  const destinations = destinationsOf(written.deliver);
  const deliver = destinations.map(({ destination, path, isMap }, index): VideoDestination => {
    const earlier = destinations.slice(0, index).map(({ destination }) => withFileName(destination.to));
    const twice = earlier.includes(withFileName(destination.to)) ? DESTINATION_TWICE : null;
    const wrong = known === null ? null : (problemOfAll(destination, service, known) ?? twice);
    if (wrong !== null) {
      const place = isMap ? [...path, wrong.part] : path;
      diagnostics.push(invalid(locate(place, 'value'), `deliver: ${wrong.message}`, wrong.hint));
    }
    return destination;
  });
  const tooMany = tooManyDestinations(destinations.length);
  if (tooMany !== null)
    diagnostics.push(invalid(locate(['deliver'], 'value'), `deliver: ${tooMany.message}`, tooMany.hint));
  const assets = readAssets(written.assets);
  if (assets !== null && known !== null) diagnostics.push(...assetsProblems(assets, known, locate));
  const cache = readCache(written.cache);
  if (known !== null) diagnostics.push(...cacheProblems(cache, known, { written: written.cache, locate }));
  return { credentials, deliver, assets, cache, diagnostics };
}

function readCache(written: WrittenDeliveries['cache'] = {}): CacheConfig {
  const { url, credential = null, max_gb: gb } = typeof written === 'string' ? { url: written } : written;
  return {
    maxBytes: gb === undefined ? DEFAULT_CACHE_BYTES : gb * 2 ** 30,
    bucket: url === undefined ? null : { url: withSlash(url), credential },
  };
}

/** Returns a problem that a destination has for every video, assuming that they have all labels. */
function problemOfAll(
  destination: VideoDestination,
  service: DeliveringService,
  credentials: ReadonlyMap<string, Credential>,
): ReturnType<typeof destinationProblem> {
  const labels = [...destination.to.matchAll(/\{label\.([^{}]*)\}/g)].map(([, name = '']) => [name, ''] as const);
  const wrong = destinationProblem(destination, placeholdersOf(Object.fromEntries(labels), DIMENSION_PLACEHOLDERS), {
    service,
    credentials,
  });
  if (wrong !== null) return wrong;
  if (/\{(?:id|fingerprint)\}|\/$|^(?:s3|gs|wasbs):\/\/[^/]+$|^azblob:\/\/[^/]+\/[^/]+$/.test(destination.to))
    return null;
  return {
    part: 'to',
    message: 'All videos would have the same destination',
    hint: 'Add {id} or {fingerprint}, or end it with a slash, which appends {id}.{extension}',
  };
}

function destinationsOf(
  written: WrittenDeliveries['deliver'],
): { readonly destination: VideoDestination; readonly path: readonly string[]; readonly isMap: boolean }[] {
  const isList = Array.isArray(written);
  const all: readonly WrittenDestination[] = isList
    ? written
    : written === undefined
      ? []
      : [written as WrittenDestination];
  return all.map((item, index) => {
    const path = isList ? ['deliver', String(index)] : ['deliver'];
    if (typeof item === 'string') return { destination: { to: item, credential: null }, path, isMap: false };
    return { destination: { to: item.to, credential: item.credential ?? null }, path, isMap: true };
  });
}

function readAssets(written: WrittenDeliveries['assets']): AssetsConfig | null {
  if (written === undefined) return null;
  const { publish, public_url: publicUrl, credential = null } = written;
  return { publish: withSlash(publish), publicUrl: withSlash(publicUrl), credential };
}

function assetsProblems(
  { publish, publicUrl, credential }: AssetsConfig,
  credentials: ReadonlyMap<string, Credential>,
  locate: Locate,
): Diagnostic[] {
  const unusable = { message: 'It is not a valid destination', hint: 'Write s3://bucket/assets/' };
  const wrong = ownFolderProblem({ to: `${publish}0.png`, credential }, credentials, unusable);
  const path = ['assets', wrong?.part === 'credential' ? 'credential' : 'publish'];
  return [
    ...(wrong === null ? [] : [invalid(locate(path, 'value'), `assets: ${wrong.message}`, wrong.hint)]),
    ...(URL.canParse(publicUrl)
      ? []
      : [invalid(locate(['assets', 'public_url'], 'value'), 'assets.public_url is not a URL')]),
  ];
}

/** Checks a folder that this process reads and writes itself: as a destination of the embedded service. */
function ownFolderProblem(
  destination: VideoDestination,
  credentials: ReadonlyMap<string, Credential>,
  unusable: Omit<DestinationProblem, 'part'>,
): DestinationProblem | null {
  if (!parseDestination(destination.to).ok) return { ...unusable, part: 'to' };
  return destinationProblem(destination, [], { service: 'embedded', credentials });
}

function cacheProblems(
  { bucket }: CacheConfig,
  credentials: ReadonlyMap<string, Credential>,
  { written, locate }: { readonly written: WrittenDeliveries['cache']; readonly locate: Locate },
): Diagnostic[] {
  const isMap = typeof written === 'object';
  if (bucket === null) {
    if (!isMap || written.credential === undefined) return [];
    const hint = 'Write cache: {url: s3://bucket/folder/, credential: …}';
    return [invalid(locate(['cache', 'credential'], 'key'), 'cache.credential needs cache.url', hint)];
  }
  const destination = { to: `${bucket.url}0`, credential: bucket.credential };
  const unusable = { message: 'It is not a folder in a bucket', hint: 'Write s3://bucket/folder/' };
  const wrong = ownFolderProblem(destination, credentials, unusable);
  if (wrong === null) return [];
  const path = isMap ? ['cache', wrong.part === 'credential' ? 'credential' : 'url'] : ['cache'];
  const hint = wrong.hint?.replace(`{to: ${destination.to}`, `{url: ${bucket.url}`);
  return [invalid(locate(path, 'value'), `cache: ${wrong.message}`, hint)];
}

function withSlash(text: string): string {
  return text.endsWith('/') ? text : `${text}/`;
}

function invalid({ span }: ReturnType<Locate>, message: string, hint?: string): Diagnostic {
  return errorAt('config_invalid', span, message, hint);
}

/** Properties of the service that determine what it can deliver. */
type DeliveringService = 'embedded' | { readonly capabilities: { readonly externalUploads?: boolean } };

/** Returns the settings that the deliveries of definitions depend on. */
export function deliverContext(config: DeliveriesConfig & { readonly service: DeliveringService }): DeliverContext {
  return {
    all: config.deliver,
    problemOf: (destination, placeholders) => destinationProblem(destination, placeholders, config),
    isWritable: ({ credential }) => config.service === 'embedded' || config.credentials.has(credential ?? ''),
  };
}

/** Placeholders of the service that change with each run, so no plan could show them. */
const UNSTABLE: Readonly<Record<string, string>> = {
  session_id: 'each rendering',
  date: 'each day',
};

/**
 * Checks a destination against reelform.yaml, without connecting to it or reading secrets. A service behind a URL has its
 * own credentials, which are not checked.
 *
 * @param placeholders names that may occur in it; none if it is filled
 */
function destinationProblem(
  { to, credential }: VideoDestination,
  placeholders: readonly string[],
  { service, credentials }: Pick<DeliveriesConfig, 'credentials'> & { readonly service: DeliveringService },
): DestinationProblem | null {
  const unstable = placeholders.length === 0 ? undefined : /\{(session_id|date)\}/.exec(to)?.[1];
  if (unstable !== undefined) {
    const message = `{${unstable}} would change the destination for ${UNSTABLE[unstable]}, so a plan could not show it`;
    return { part: 'to', message, hint: 'Use {fingerprint}, which changes with the content' };
  }
  const parsed = parseDestination(to, placeholders);
  if (!parsed.ok) return { ...parsed.problem, part: 'to' };
  if (service !== 'embedded') {
    if (service.capabilities.externalUploads !== false) return null;
    const hint = 'Remove "deliver", or remove "external_uploads: false" from the capabilities in reelform.yaml';
    return { part: 'to', message: 'The service does not support deliveries', hint };
  }
  if (credential === null) {
    const { kind } = parsed.target;
    if (kind === 's3' || kind === 'file') return null;
    const hint = `Define one under "credentials" in reelform.yaml, and write {to: ${to}, credential: NAME}`;
    return { part: 'to', message: `${kind}: needs a credential of the kind ${kind}`, hint };
  }
  const known = credentials.get(credential);
  if (known === undefined) {
    const hint =
      didYouMean(credential, credentials.keys()) ?? `Define it in reelform.yaml: credentials: {${credential}: …}`;
    return { part: 'credential', message: `There is no credential ${JSON.stringify(credential)}`, hint };
  }
  // The permission may depend on the values of the placeholders.
  if (placeholders.length > 0 && mayBeAllowed(parsed.target, known)) return null;
  const problem = permissionProblem(parsed.target, known);
  return problem === null ? null : { ...problem, part: 'to' };
}
