import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileSha256, type Sha256 } from '../../digest.ts';
import { SceneError } from '../../engine/scene-error.ts';
import { FairQueue } from '../fair-queue.ts';
import { SessionFailure, type SourceFile, type SourceKind, type SourceReader, type TenantId } from '../ports.ts';
import { TaskKilled, type TaskRunner } from '../processes/tasks.ts';
import type { GuardPolicy } from './address-guard.ts';
import { SOURCE_LIMITS, type SourceDescription } from './describe-source.ts';
import { createFetch, type FetchLimits, fetchFailure } from './fetch-source.ts';
import { createSourceCache, type SourceCache } from './source-cache.ts';
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
  /** Store of uploads outside the directory; files read from it are copied into the directory. */
  readonly uploads?: SourceUploadStore;
}

/** Access to uploads and remote files. */
export interface Sources {
  readonly reader: SourceReader;
  /** Source uploads; never pruned. */
  readonly uploads: SourceUploadStore;
  /** Removes the least recently used copies of remote files, down to `maxBytes`. @returns the remaining bytes */
  prune(maxBytes: number): Promise<number>;
  /** Removes everything, including uploads. */
  clear(): Promise<void>;
}

/** Composes guard, client, cache, store and reader. */
export function createSources(options: SourcesOptions): Sources {
  const { directory, isOneRun, now, inspect, mayRead, scopeOf } = options;
  const blobs = createSourceStore(join(directory, 'fetched'), { isDurable: false, now });
  const uploads = options.uploads === undefined ? ownUploads(options) : withCopies(options.uploads, blobs);
  const fetch = createFetch(options);
  const cache = createSourceCache({ directory: join(directory, 'urls'), blobs, fetch, now, isOneRun });
  const reader = createSourceReader({ uploads, cache, inspect, mayRead, scopeOf });
  return {
    reader: options.readsAtOnce === undefined ? reader : inTurn(reader, options.readsAtOnce),
    uploads,
    prune: (maxBytes) => cache.prune(maxBytes),
    clear: () => rm(directory, { recursive: true, force: true }),
  };
}

function ownUploads({ directory, isOneRun, now }: SourcesOptions): SourceUploadStore {
  const store = createSourceStore(join(directory, 'uploads'), { isDurable: !isOneRun, now });
  return isOneRun ? createMemoryUploads(store) : store;
}

function inTurn(reader: SourceReader, places: number): SourceReader {
  const queue = new FairQueue({ places });
  return { read: (tenant, wanted, signal) => queue.run(tenant, () => reader.read(tenant, wanted, signal), signal) };
}

/** Maximum remembered copies, about 200 bytes of memory each; older ones are copied again. */
const MAX_COPIED = 100_000;

/**
 * Caches uploads on disk, because videos often share files. A scope only uses copies that its own reads made in this
 * process.
 */
function withCopies(uploads: SourceUploadStore, copies: SourceStore): SourceUploadStore {
  const copied = new Set<string>();
  return {
    ...uploads,
    async get(digest, scope = '') {
      const key = `${scope}\n${digest}`;
      const copy = scope === '' || copied.has(key) ? await copies.get(digest) : null;
      if (copy !== null) return copy;
      const bytes = await uploads.get(digest);
      if (bytes === null) return null;
      await copies.put(bytes, digest, scope !== '');
      if (copied.size >= MAX_COPIED) copied.clear();
      copied.add(key);
      return bytes;
    },
  };
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
function createSourceReader({ uploads, cache, inspect, mayRead, scopeOf = () => '' }: SourceReaderPorts): SourceReader {
  return {
    async read(tenant, { remoteUrl, kind }, signal) {
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
      const { bytes, sha256 } = await cache.read(
        { url: remoteUrl, scope: scopeOf(tenant) },
        signal,
        SOURCE_LIMITS[kind],
      );
      return checkSource(bytes, kind, { inspect, owner: tenant, signal, digest: sha256 });
    },
  };
}

/** Runs `describeSource` here or in another process. */
export type InspectSource = (
  bytes: Uint8Array,
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
}

const TITLES = {
  asset_too_large: 'The asset is too large',
  asset_type_unsupported: 'The type of the asset is not supported here',
  asset_decode_failed: 'The asset is damaged',
} as const;

/** Predicates for files that a process could not read. */
export const KILLED_BY: Readonly<Record<TaskKilled['reason'], string>> = {
  time: 'takes too long to read',
  memory: 'takes too much memory to read',
  crash: 'crashes the decoder',
};

/** Inspects sources in sandboxed processes. */
export function inspectIn(processes: TaskRunner<'source'>): InspectSource {
  return async (bytes, kind, { owner, signal }) => {
    try {
      return await processes.run('source', { kind }, { bytes, owner, ...(signal && { signal }) });
    } catch (error) {
      if (!(error instanceof TaskKilled)) throw error;
      throw new SceneError('asset_too_large', `The file ${KILLED_BY[error.reason]}; convert it`, { cause: error });
    }
  };
}

/**
 * Checks a file's structure before a decoder sees its bytes. The type is read from the content, never from the name or
 * Content-Type.
 *
 * @param kind `any` for a file of unknown purpose
 * @throws SessionFailure `asset_too_large`, `asset_type_unsupported`, `asset_decode_failed`
 */
export async function checkSource(
  bytes: Uint8Array,
  kind: SourceKind | 'any',
  { inspect, owner, signal, digest }: CheckSourceOptions,
): Promise<SourceFile> {
  try {
    const description = await inspect(bytes, kind, { owner, signal });
    return { bytes, sha256: digest ?? (await fileSha256(bytes)), ...description };
  } catch (error) {
    if (!(error instanceof SceneError) || !(error.code in TITLES)) throw error;
    const code = error.code as keyof typeof TITLES;
    throw new SessionFailure({ code, title: TITLES[code], detail: error.message }, error);
  }
}
