import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Sha256, sha256 } from '../../digest.ts';
import { isRecord } from '../../json.ts';
import { replaceFile } from '../../replace-file.ts';
import { createSingleFlight } from '../single-flight.ts';
import type { FetchOverrides, FetchSource, Validators } from './fetch-source.ts';
import type { SourceStore } from './source-store.ts';

/** What is behind a URL now. Whoever gets the bytes shares them, and leaves them as they are. */
export interface CachedBytes {
  readonly bytes: Buffer;
  readonly sha256: Sha256;
}

/** A URL as the tenants of one scope know it: what others have fetched from it counts for nothing. */
export interface ScopedUrl {
  readonly url: string;
  /** Empty for what all tenants share. */
  readonly scope: string;
}

/** Bytes by URL, on disk; several processes may share the folder. EDGE. */
export interface SourceCache {
  /** @throws as the fetch that it was made with */
  read(from: ScopedUrl, signal: AbortSignal, wish?: FetchOverrides): Promise<CachedBytes>;
  /** @see SourceStore.prune; what is then known of URLs whose bytes are gone goes too */
  prune(maxBytes: number): Promise<number>;
}

export interface SourceCacheOptions {
  /** Of what is known of each URL. */
  readonly directory: string;
  readonly blobs: SourceStore;
  readonly fetch: FetchSource;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Whether a URL that was read once keeps its bytes for as long as this cache lives. */
  readonly isOneRun: boolean;
}

/** What is known of a URL. On disk as JSON, under the SHA-256 of scope and URL, since a URL can hold a signature. */
interface Entry {
  readonly sha256: Sha256;
  readonly validators: Validators;
  /** Milliseconds since the epoch, both. */
  readonly fetchedAt: number;
  readonly freshUntil: number;
}

/** However long a server says that its answer holds: people mend mistakes behind the same URL. */
const MAX_FRESH_MS = 86_400_000;

const DIGEST = /^[0-9a-f]{64}$/;

/**
 * A URL is asked about at each use, unless its server said that nobody has to; unchanged bytes are not sent again. Those
 * who want the same URL at one time share one request.
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
    if (known === null) throw new Error('A server confirmed what it was not asked about');
    await write(from, known.entry, answer.freshMs);
    return known;
  };

  return {
    async read(from, signal, wish = {}) {
      // Who may have less of it, or wants it as something else, asks for itself.
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

/** No URL has a line break in it. */
function nameOf({ url, scope }: ScopedUrl): string {
  return scope === '' ? url : `${scope}\n${url}`;
}

/** @returns null when the bytes are gone, or are not what they were */
async function recall(entry: Entry | null, blobs: SourceStore): Promise<(CachedBytes & { entry: Entry }) | null> {
  const bytes = entry === null ? null : await blobs.get(entry.sha256);
  return entry === null || bytes === null ? null : { entry, bytes, sha256: entry.sha256 };
}

/** @returns null for anything that is not wholly an entry: it can always be fetched again */
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

/** It becomes the name of a file. */
function isDigest(value: unknown): boolean {
  return typeof value === 'string' && DIGEST.test(value);
}
