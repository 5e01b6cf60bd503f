import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { RenderError } from '../../../engine/render-error.ts';
import { fileSha256, type Sha256, sha256 } from '../../../kernel/digest.ts';
import { isRecord } from '../../../kernel/json.ts';
import { replaceFile } from '../../../kernel/replace-file.ts';
import type { SourceBytes, SourceFile } from '../../../kernel/source-file.ts';
import { FairQueue } from '../fair-queue.ts';
import {
  type FetchedSource,
  SessionFailure,
  type SourceKind,
  type SourceReader,
  type SourceRequest,
  type TenantId,
} from '../ports.ts';
import { createSingleFlight } from '../single-flight.ts';
import type { GuardPolicy } from './address-guard.ts';
import { isReadWhole, SOURCE_LIMITS, type SourceDescription } from './describe-source.ts';
import { describeResponse, fetchFailure } from './fetch-failure.ts';
import {
  createSingleFetch,
  type FetchLimits,
  type FetchOverrides,
  type FetchSource,
  type Validators,
} from './fetch-source.ts';
import { ALL_HOSTS, type HeldTurns, type PoliteHosts } from './polite-hosts.ts';
import { createMemoryUploads, createSourceStore, type SourceStore, type SourceUploadStore } from './source-store.ts';

export interface SourcesOptions extends GuardPolicy, Pick<SourceReaderPorts, 'inspect' | 'mayRead' | 'scopeOf'> {
  /** Folder of uploads and copies; absolute. */
  readonly directory: string;
  /** For one command: each URL is read once, uploads stay in memory, and `clear` is called at the end. */
  readonly isOneRun: boolean;
  /** Concurrent reads, shared fairly among tenants; unlimited if absent. */
  readonly readsAtOnce?: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly limits?: FetchLimits;
  /** Those of the process when absent. */
  readonly hosts?: PoliteHosts;
  /** Store of uploads outside the directory; files read from it are copied into the directory. */
  readonly uploads?: RemoteUploads;
}

/** Uploads that are stored outside the directory. */
export interface RemoteUploads extends Pick<SourceUploadStore, 'has'> {
  /** @param isRewritten as of `SourceReceiver.finish`; false by default */
  put(bytes: SourceBytes, known?: Sha256, isRewritten?: boolean): Promise<Sha256>;
  /** Returns the content of an upload, which may be damaged; null for a missing upload. */
  open(digest: Sha256): Promise<AsyncIterable<Uint8Array> | null>;
  /** Makes the next `put` write an upload whose content is damaged. */
  noteDamaged(digest: Sha256): void;
}

/** Access to uploads and remote files. */
export type Sources = ReturnType<typeof createSources>;

/** Composes guard, client, cache, store and reader. */
export function createSources(options: SourcesOptions) {
  const { directory, isOneRun, now, inspect, mayRead, scopeOf } = options;
  const blobs = createSourceStore(join(directory, 'fetched'), { isDurable: false, now });
  const uploads = options.uploads === undefined ? ownUploads(options) : withCopies(options.uploads, blobs);
  const fetch = createSingleFetch(options);
  const cache = createSourceCache({ directory: join(directory, 'urls'), blobs, fetch, now, isOneRun });
  const reader = createSourceReader({ uploads, cache, inspect, mayRead, scopeOf });
  return {
    reader: withRetries(
      options.readsAtOnce === undefined ? reader : inTurn(reader, options.readsAtOnce),
      options.hosts ?? ALL_HOSTS,
    ),
    /** Source uploads; never pruned. */
    uploads,
    /** Removes the least recently used copies of remote files, down to `maxBytes`. @returns the remaining bytes */
    prune: (maxBytes: number): Promise<number> => cache.prune(maxBytes),
    /** Removes everything, including uploads. */
    clear: (): Promise<void> => rm(directory, { recursive: true, force: true }),
  };
}

function ownUploads({ directory, isOneRun, now }: SourcesOptions): SourceUploadStore {
  const store = createSourceStore(join(directory, 'uploads'), { isDurable: !isOneRun, now });
  return isOneRun ? createMemoryUploads(store) : store;
}

/** Reads sources at the turns that the fetch has. */
interface TurnReader {
  read(
    tenant: TenantId,
    wanted: SourceRequest & { readonly turns: HeldTurns },
    signal: AbortSignal,
  ): Promise<FetchedSource>;
}

function inTurn(reader: TurnReader, places: number): TurnReader {
  const queue = new FairQueue({ places });
  return { read: (tenant, wanted, signal) => queue.run(tenant, () => reader.read(tenant, wanted, signal), signal) };
}

/** Retries outside the queue of reads: a host that asks to wait does not delay reads from other hosts. */
function withRetries(reader: TurnReader, hosts: PoliteHosts): SourceReader {
  return {
    read: (tenant, wanted, signal) =>
      hosts.run(tenant, signal, (turns) => reader.read(tenant, { ...wanted, turns }, signal)),
  };
}

/** Maximum remembered copies, about 200 bytes of memory each; older ones are copied again. */
const MAX_COPIED = 100_000;

/**
 * Caches uploads on disk, because videos often share files. A scope only uses copies that its own reads made in this
 * process.
 */
function withCopies(uploads: RemoteUploads, copies: SourceStore): SourceUploadStore {
  const copied = new Set<string>();
  return {
    put: (bytes, known) => uploads.put(bytes, known),
    has: (digest) => uploads.has(digest),
    async receive() {
      const receiver = await copies.receive();
      return {
        ...receiver,
        get length() {
          return receiver.length;
        },
        async finish(isRewritten) {
          const source = receiver.received();
          await uploads.put(source, source.sha256, isRewritten);
          return receiver.finish(isRewritten);
        },
      };
    },
    async get(digest, scope = '') {
      const key = `${scope}\n${digest}`;
      const copy = scope === '' || copied.has(key) ? await copies.get(digest) : null;
      if (copy !== null) return copy;
      const stored = await receiveUpload(uploads, digest, copies);
      if (stored === null) return null;
      if (copied.size >= MAX_COPIED) copied.clear();
      copied.add(key);
      return stored;
    },
  };
}

/** Copies an upload; null if it is missing or damaged. */
async function receiveUpload(uploads: RemoteUploads, digest: Sha256, copies: SourceStore): Promise<SourceFile | null> {
  const content = await uploads.open(digest);
  if (content === null) return null;
  const receiver = await copies.receive();
  try {
    for await (const chunk of content) await receiver.add(chunk);
    if (receiver.received().sha256 === digest) return await receiver.finish();
  } catch (error) {
    await receiver.discard();
    throw error;
  }
  uploads.noteDamaged(digest);
  await receiver.discard();
  return null;
}

const UPLOAD = /^urn:sha256:([0-9a-f]{64})$/;

/** Returns the `remote_url` of an upload. */
export function uploadUrl(digest: Sha256): string {
  return `urn:sha256:${digest}`;
}

interface SourceReaderPorts {
  readonly uploads: SourceUploadStore;
  readonly cache: SourceCache;
  readonly inspect: InspectSource;
  /** Reports whether the tenant uploaded these bytes: knowing a digest must not give access. */
  readonly mayRead: (tenant: TenantId, digest: Sha256) => Promise<boolean>;
  /** Tenants of one scope share fetched files; all do if absent. */
  readonly scopeOf?: ((tenant: TenantId) => string) | undefined;
}

/** Reads uploads from the store and http(s) URLs through the cache, and checks that they are safe to decode. */
function createSourceReader({ uploads, cache, inspect, mayRead, scopeOf = () => '' }: SourceReaderPorts): TurnReader {
  return {
    async read(tenant, { remoteUrl, kind, turns }, signal) {
      const digest = UPLOAD.exec(remoteUrl)?.[1] as Sha256 | undefined;
      if (digest !== undefined) {
        const bytes = (await mayRead(tenant, digest)) ? await uploads.get(digest, scopeOf(tenant)) : null;
        if (bytes !== null) return checkSource(bytes, kind, { inspect, owner: tenant, signal, digest });
        throw new SessionFailure({
          code: 'asset_unreachable',
          title: 'The asset could not be fetched',
          detail: `There is no source upload ${digest}`,
        });
      }
      if (!/^https?:/i.test(remoteUrl.trimStart())) {
        throw fetchFailure('asset_forbidden_host', remoteUrl, 'is neither http nor https');
      }
      const { bytes, sha256, contentType } = await cache.read({ url: remoteUrl, scope: scopeOf(tenant) }, signal, {
        ...SOURCE_LIMITS[kind],
        turns,
      });
      const from = describeResponse(remoteUrl, contentType);
      return checkSource(bytes, kind, { inspect, owner: tenant, signal, digest: sha256, from });
    },
  };
}

/** Runs `describeSource` here or in another process. */
export type InspectSource = (
  bytes: SourceBytes,
  kind: SourceKind | 'any',
  by: { readonly owner: string; readonly signal?: AbortSignal | undefined },
) => Promise<SourceDescription>;

interface CheckSourceOptions {
  readonly inspect: InspectSource;
  /** The tenant that owns the file. */
  readonly owner: string;
  readonly signal?: AbortSignal | undefined;
  /** Digest of the bytes, if known. */
  readonly digest?: Sha256 | undefined;
  /** Where the file comes from, as a clause for errors. */
  readonly from?: string | undefined;
}

const TITLES = {
  asset_too_large: 'The asset is too large',
  asset_type_unsupported: 'The type of the asset is not supported here',
  asset_decode_failed: 'The asset is damaged',
} as const;

/**
 * Checks a file's structure before a decoder sees its bytes. The type is read from the content, never from the name or
 * Content-Type. An image and captions on disk are read into memory.
 *
 * @param kind `any` for a file of unknown purpose
 * @throws SessionFailure `asset_too_large`, `asset_type_unsupported`, `asset_decode_failed`
 */
export async function checkSource(
  source: SourceBytes,
  kind: SourceKind | 'any',
  { inspect, owner, signal, digest, from }: CheckSourceOptions,
): Promise<FetchedSource> {
  try {
    const bytes = source instanceof Uint8Array || !isReadWhole(source, kind) ? source : await readFile(source.path);
    const description = await inspect(bytes, kind, { owner, signal });
    return { bytes, sha256: digest ?? (await digestOf(bytes)), ...description };
  } catch (error) {
    if (!(error instanceof RenderError) || !(error.code in TITLES)) throw error;
    const code = error.code as keyof typeof TITLES;
    const detail = from === undefined ? error.message : `${from}. ${error.message}`;
    throw new SessionFailure({ code, title: TITLES[code], detail }, error);
  }
}

async function digestOf(bytes: SourceBytes): Promise<Sha256> {
  return bytes instanceof Uint8Array ? fileSha256(bytes) : bytes.sha256;
}

/** Current content of a URL. A buffer is shared and must not be modified. */
interface CachedBytes {
  readonly bytes: SourceBytes;
  readonly sha256: Sha256;
  /** As declared by the server. */
  readonly contentType: string | null;
}

/** A URL in a scope: fetches of other scopes are not shared. */
interface ScopedUrl {
  readonly url: string;
  /** Empty if all tenants share it. */
  readonly scope: string;
}

type SourceCache = ReturnType<typeof createSourceCache>;

interface SourceCacheOptions {
  /** Folder of the entries. */
  readonly directory: string;
  readonly blobs: SourceStore;
  readonly fetch: FetchSource;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Whether a URL is requested only once in the lifetime of this cache. */
  readonly isOneRun: boolean;
}

/** An entry, stored as JSON under the SHA-256 of scope and URL, because URLs can contain signatures. */
interface Entry {
  readonly sha256: Sha256;
  readonly validators: Validators;
  /** Absent in entries of earlier versions. */
  readonly contentType?: string | null;
  /** Milliseconds since the epoch, both. */
  readonly fetchedAt: number;
  readonly freshUntil: number;
}

/** Upper limit of freshness, because users replace files under the same URL. */
const MAX_FRESH_MS = 86_400_000;

const DIGEST = /^[0-9a-f]{64}$/;

/**
 * Creates a disk cache of files by URL, which several processes may share. A URL is revalidated at each use unless it is
 * fresh. Concurrent reads of a URL share one request.
 */
function createSourceCache({ directory, blobs, fetch, now, isOneRun }: SourceCacheOptions) {
  const flight = createSingleFlight<CachedBytes>();
  const readInThisRun = new Set<string>();
  const pathOf = (from: ScopedUrl): string => join(directory, `${sha256(nameOf(from))}.json`);

  const write = (from: ScopedUrl, entry: Omit<Entry, 'fetchedAt' | 'freshUntil'>, freshMs: number): Promise<void> => {
    const fetchedAt = now();
    const freshUntil = fetchedAt + Math.min(freshMs, MAX_FRESH_MS);
    const { sha256, validators, contentType = null } = entry;
    const entryText = JSON.stringify({ sha256, validators, contentType, fetchedAt, freshUntil } satisfies Entry);
    return replaceFile(pathOf(from), entryText, { isDurable: false });
  };

  const refresh = async (from: ScopedUrl, signal: AbortSignal, wish: FetchOverrides): Promise<CachedBytes> => {
    const { url } = from;
    const known = await recall(await readEntry(pathOf(from)), blobs);
    if (known !== null && (readInThisRun.has(nameOf(from)) || known.entry.freshUntil > now())) return known;
    const answer = await fetch(url, signal, { ...wish, known: known?.entry.validators, into: () => blobs.receive() });
    if (answer.status === 'fetched') {
      const { bytes, validators, contentType } = answer;
      await write(from, { sha256: bytes.sha256, validators, contentType }, answer.freshMs);
      return { bytes, sha256: bytes.sha256, contentType };
    }
    if (known === null) throw new Error('A server returned 304 to a request without conditions');
    await write(from, known.entry, answer.freshMs);
    return known;
  };

  return {
    /** @throws as the fetch */
    async read(from: ScopedUrl, signal: AbortSignal, wish: FetchOverrides = {}): Promise<CachedBytes> {
      // Reads with other limits, headers or turns are not shared.
      const key = JSON.stringify([from.scope, from.url, wish]);
      const cached = await flight(key, signal, (shared) => refresh(from, shared, wish));
      if (isOneRun) readInThisRun.add(nameOf(from));
      return cached;
    },
    /** Prunes the store, see `SourceStore.prune`, and entries whose bytes are gone. */
    async prune(maxBytes: number): Promise<number> {
      const left = await blobs.prune(maxBytes);
      const names = await readdir(directory).catch(() => []);
      for (const name of names.filter((name) => name.endsWith('.json'))) {
        const path = join(directory, name);
        const entry = await readEntry(path);
        if (entry === null || !(await blobs.has(entry.sha256))) await rm(path, { force: true });
      }
      return left;
    },
  };
}

/** URLs contain no line breaks. */
function nameOf({ url, scope }: ScopedUrl): string {
  return scope === '' ? url : `${scope}\n${url}`;
}

/** @returns null if the bytes are gone or damaged */
async function recall(entry: Entry | null, blobs: SourceStore): Promise<(CachedBytes & { entry: Entry }) | null> {
  const bytes = entry === null ? null : await blobs.get(entry.sha256);
  return entry === null || bytes === null
    ? null
    : { entry, bytes, sha256: entry.sha256, contentType: entry.contentType ?? null };
}

/** @returns null for an unreadable entry, which is fetched again */
async function readEntry(path: string): Promise<Entry | null> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    return isEntry(value) ? value : null;
  } catch {
    return null;
  }
}

function isEntry(value: unknown): value is Entry {
  if (!isRecord(value) || !isRecord(value.validators)) return false;
  const { answeredBy, etag, lastModified } = value.validators;
  return (
    isDigest(value.sha256) &&
    isDigest(answeredBy) &&
    [etag, lastModified, value.contentType ?? null].every((text) => text === null || typeof text === 'string') &&
    [value.fetchedAt, value.freshUntil].every(Number.isFinite)
  );
}

/** The digest becomes a file name. */
function isDigest(value: unknown): boolean {
  return typeof value === 'string' && DIGEST.test(value);
}
