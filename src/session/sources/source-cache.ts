import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Sha256, sha256 } from '../../digest.ts';
import { isRecord } from '../../json.ts';
import { replaceFile } from '../../replace-file.ts';
import { createSingleFlight } from '../single-flight.ts';
import type { FetchOverrides, FetchSource, Validators } from './fetch-source.ts';
import type { SourceStore } from './source-store.ts';

/** Current content of a URL. The buffer is shared and must not be modified. */
export interface CachedBytes {
  readonly bytes: Buffer;
  readonly sha256: Sha256;
}

/** A URL in a scope: fetches of other scopes are not shared. */
export interface ScopedUrl {
  readonly url: string;
  /** Empty if all tenants share it. */
  readonly scope: string;
}

/** A disk cache of files by URL; several processes may share the folder. */
export interface SourceCache {
  /** @throws as the fetch */
  read(from: ScopedUrl, signal: AbortSignal, wish?: FetchOverrides): Promise<CachedBytes>;
  /** Prunes the store, see `SourceStore.prune`, and entries whose bytes are gone. */
  prune(maxBytes: number): Promise<number>;
}

export interface SourceCacheOptions {
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
  /** Milliseconds since the epoch, both. */
  readonly fetchedAt: number;
  readonly freshUntil: number;
}

/** Upper limit of freshness, because users replace files under the same URL. */
const MAX_FRESH_MS = 86_400_000;

const DIGEST = /^[0-9a-f]{64}$/;

/**
 * Creates a cache that revalidates a URL at each use unless it is fresh. Concurrent reads of a URL share one request.
 */
export function createSourceCache({ directory, blobs, fetch, now, isOneRun }: SourceCacheOptions): SourceCache {
  const flight = createSingleFlight<CachedBytes>();
  const readInThisRun = new Set<string>();
  const pathOf = (from: ScopedUrl): string => join(directory, `${sha256(nameOf(from))}.json`);

  const write = (from: ScopedUrl, entry: Omit<Entry, 'fetchedAt' | 'freshUntil'>, freshMs: number): Promise<void> => {
    const fetchedAt = now();
    const freshUntil = fetchedAt + Math.min(freshMs, MAX_FRESH_MS);
    const { sha256, validators } = entry;
    const entryText = JSON.stringify({ sha256, validators, fetchedAt, freshUntil } satisfies Entry);
    return replaceFile(pathOf(from), entryText, { isDurable: false });
  };

  const refresh = async (from: ScopedUrl, signal: AbortSignal, wish: FetchOverrides): Promise<CachedBytes> => {
    const { url, scope } = from;
    const known = await recall(await readEntry(pathOf(from)), blobs);
    if (known !== null && (readInThisRun.has(nameOf(from)) || known.entry.freshUntil > now())) return known;
    const answer = await fetch(url, signal, { ...wish, known: known?.entry.validators });
    if (answer.status === 'fetched') {
      const { bytes, validators } = answer;
      const digest = await blobs.put(bytes, undefined, scope !== '');
      await write(from, { sha256: digest, validators }, answer.freshMs);
      return { bytes, sha256: digest };
    }
    if (known === null) throw new Error('A server returned 304 to a request without conditions');
    await write(from, known.entry, answer.freshMs);
    return known;
  };

  return {
    async read(from, signal, wish = {}) {
      // Reads with other limits or headers are not shared.
      const key = JSON.stringify([from.scope, from.url, wish]);
      const cached = await flight(key, signal, (shared) => refresh(from, shared, wish));
      if (isOneRun) readInThisRun.add(nameOf(from));
      return cached;
    },
    async prune(maxBytes) {
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
  return entry === null || bytes === null ? null : { entry, bytes, sha256: entry.sha256 };
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
    [etag, lastModified].every((text) => text === null || typeof text === 'string') &&
    [value.fetchedAt, value.freshUntil].every(Number.isFinite)
  );
}

/** The digest becomes a file name. */
function isDigest(value: unknown): boolean {
  return typeof value === 'string' && DIGEST.test(value);
}
