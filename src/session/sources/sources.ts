import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FairQueue } from '../fair-queue.ts';
import type { SourceReader } from '../ports.ts';
import type { GuardPolicy } from './address-guard.ts';
import { createFetch, type FetchLimits } from './fetch-source.ts';
import { createSourceCache } from './source-cache.ts';
import { createSourceReader, type SourceReaderPorts } from './source-reader.ts';
import { createMemoryUploads, createSourceStore, type SourceStore, type UploadStore } from './source-store.ts';

export interface SourcesOptions extends GuardPolicy, Pick<SourceReaderPorts, 'inspect' | 'mayRead' | 'scopeOf'> {
  /** Of uploads and copies; absolute. */
  readonly directory: string;
  /** For one command: each URL is read once, uploads stay in memory, and `clear` comes at the end. */
  readonly isOneRun: boolean;
  /** Sources that are read at once; tenants take turns. No limit when absent. */
  readonly readsAtOnce?: number;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly limits?: FetchLimits;
  /** Where uploads are kept, if not in the directory; what was read from there is copied into it. */
  readonly uploads?: UploadStore;
}

/** Everything that images come from. */
export interface Sources {
  readonly reader: SourceReader;
  /** Bytes that clients sent; never pruned. */
  readonly uploads: UploadStore;
  /** Removes copies of what URLs gave, those used longest ago first, down to `maxBytes`. @returns bytes that are left */
  prune(maxBytes: number): Promise<number>;
  /** Removes everything, uploads too. */
  clear(): Promise<void>;
}

/** Puts guard, client, cache, store and reader together. EDGE. */
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

function ownUploads({ directory, isOneRun, now }: SourcesOptions): UploadStore {
  const store = createSourceStore(join(directory, 'uploads'), { isDurable: !isOneRun, now });
  return isOneRun ? createMemoryUploads(store) : store;
}

function inTurn(reader: SourceReader, places: number): SourceReader {
  const queue = new FairQueue({ places });
  return { read: (tenant, wanted, signal) => queue.run(tenant, () => reader.read(tenant, wanted, signal), signal) };
}

/** Beyond that, copies are made again: each takes about 200 bytes of memory. */
const MAX_COPIED = 100_000;

/** The same logo is in every video. A scope uses the copies that its own reads have made, in this process. */
function withCopies(uploads: UploadStore, copies: SourceStore): UploadStore {
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
