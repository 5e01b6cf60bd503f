import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SoundLength } from '../../contract/video-measures.ts';
import { ReelformError } from '../../kernel/diagnostic.ts';
import { type Sha256, sha256 } from '../../kernel/digest.ts';
import { nullIfMissing } from '../../kernel/file-system-error.ts';
import { isRecord } from '../../kernel/json.ts';
import { writeFileAtomic } from './write-file.ts';

const FILE = join('.reelform', 'sound-lengths.json');
/** Number of the most recently used sounds whose length is kept: about 1 MB. */
const MAX_SOUNDS = 10_000;

/** Measured length of a remote sound. */
export interface RemoteLength {
  readonly length: SoundLength;
  /** Version of the file that was measured: an ETag or a Last-Modified time; null if the server sent none. */
  readonly version: string | null;
}

/** Lengths of sounds by the digest of their content, so that each is decoded once; and of remote sounds by their URL. */
export interface SoundLengthCache {
  get(digest: Sha256): SoundLength | undefined;
  set(digest: Sha256, length: SoundLength): void;
  getRemote(url: string): RemoteLength | undefined;
  setRemote(url: string, length: RemoteLength): void;
  /** Adds new lengths to those that are stored by now, for the next run. Does nothing in a read-only checkout. */
  store(): Promise<void>;
}

/**
 * Opens the lengths of a repository's sounds. An unreadable file counts as an empty cache.
 *
 * @param root absolute
 * @param epoch of the decoders: another epoch may count other samples
 * @param reads false to start empty
 */
export function openSoundLengthCache(root: string, epoch: number, reads: boolean): SoundLengthCache {
  const path = join(root, FILE);
  const known = reads ? readLengths(path, epoch) : emptyLengths();
  const added = emptyLengths();
  const used = emptyLengths();
  return {
    get: (digest) => recall(digest, added.sounds, known.sounds, used.sounds),
    set: (digest, length) => void added.sounds.set(digest, length),
    // URLs can contain signatures, which are not stored.
    getRemote: (url) => recall(sha256(url), added.remote, known.remote, used.remote),
    setRemote: (url, length) => void added.remote.set(sha256(url), length),
    async store() {
      if (added.sounds.size + added.remote.size === 0) return;
      // Another command may have stored lengths meanwhile.
      const stored = readLengths(path, epoch);
      const sounds = newest(stored.sounds, used.sounds, added.sounds).map(([digest, { samples, rate }]) => {
        return [digest, samples, rate];
      });
      const remote = newest(stored.remote, used.remote, added.remote).map(([url, { length, version }]) => {
        return [url, length.samples, length.rate, version];
      });
      await writeFileAtomic(path, `${JSON.stringify({ epoch, sounds, remote })}\n`).catch((error) => {
        if (!(error instanceof ReelformError)) throw error;
      });
    },
  };
}

/** Copies the stored lengths of a repository to another checkout of it, which is not in use yet. */
export async function copySoundLengths(root: string, checkout: string): Promise<void> {
  const text = await nullIfMissing(readFile(join(root, FILE), 'utf8'));
  if (text !== null) await writeFileAtomic(join(checkout, FILE), text);
}

interface Lengths {
  readonly sounds: Map<string, SoundLength>;
  /** By the digest of the URL. */
  readonly remote: Map<string, RemoteLength>;
}

function emptyLengths(): Lengths {
  return { sounds: new Map(), remote: new Map() };
}

function recall<T>(
  key: string,
  added: ReadonlyMap<string, T>,
  known: ReadonlyMap<string, T>,
  used: Map<string, T>,
): T | undefined {
  const length = added.get(key) ?? known.get(key);
  if (length !== undefined) used.set(key, length);
  return length;
}

/** Returns the most recently used lengths, the last one used at the end. */
function newest<T>(
  stored: ReadonlyMap<string, T>,
  used: ReadonlyMap<string, T>,
  added: ReadonlyMap<string, T>,
): [string, T][] {
  const all = new Map(stored);
  for (const [key, length] of used) {
    all.delete(key);
    all.set(key, stored.get(key) ?? length);
  }
  for (const [key, length] of added) all.set(key, length);
  return [...all].slice(-MAX_SOUNDS);
}

function readLengths(path: string, epoch: number): Lengths {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (isRecord(value) && value.epoch === epoch) {
      const { sounds, remote } = value;
      return {
        sounds: new Map(listOf(sounds, isEntry).map(([digest, samples, rate]) => [digest, { samples, rate }])),
        remote: new Map(
          listOf(remote, isRemoteEntry).map(([url, samples, rate, version]) => {
            return [url, { length: { samples, rate }, version }];
          }),
        ),
      };
    }
  } catch {
    // Missing or damaged.
  }
  return emptyLengths();
}

function listOf<T>(list: unknown, accepts: (value: unknown) => value is T): T[] {
  return Array.isArray(list) ? list.filter(accepts) : [];
}

function isRemoteEntry(value: unknown): value is [url: string, samples: number, rate: number, version: string | null] {
  const version: unknown = Array.isArray(value) ? value[3] : undefined;
  return isEntry(value) && (version === null || typeof version === 'string');
}

function isEntry(value: unknown): value is [digest: string, samples: number, rate: number] {
  if (!Array.isArray(value) || typeof value[0] !== 'string') return false;
  return [value[1], value[2]].every((number) => Number.isSafeInteger(number) && number > 0);
}
