import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SoundLength } from '../../contract/video-measures.ts';
import { ReelformError } from '../../kernel/diagnostic.ts';
import type { Sha256 } from '../../kernel/digest.ts';
import { isRecord } from '../../kernel/json.ts';
import { writeFileAtomic } from './write-file.ts';

const FILE = join('.reelform', 'sound-lengths.json');
/** Number of the most recently used sounds whose length is kept: about 1 MB. */
const MAX_SOUNDS = 10_000;

/** Lengths of sounds by the digest of their content, so that each is decoded once. */
export interface SoundLengthCache {
  get(digest: Sha256): SoundLength | undefined;
  set(digest: Sha256, length: SoundLength): void;
  /** Stores new lengths for the next run. Does nothing in a read-only checkout. */
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
  const lengths = reads ? readLengths(path, epoch) : new Map<string, SoundLength>();
  let isChanged = false;
  const keep = (digest: Sha256, length: SoundLength): void => {
    lengths.delete(digest);
    lengths.set(digest, length);
  };
  return {
    get(digest) {
      const length = lengths.get(digest);
      if (length !== undefined) keep(digest, length);
      return length;
    },
    set(digest, length) {
      keep(digest, length);
      isChanged = true;
    },
    async store() {
      if (!isChanged) return;
      const kept = [...lengths].slice(-MAX_SOUNDS).map(([digest, { samples, rate }]) => [digest, samples, rate]);
      await writeFileAtomic(path, `${JSON.stringify({ epoch, sounds: kept })}\n`).catch((error) => {
        if (!(error instanceof ReelformError)) throw error;
      });
    },
  };
}

function readLengths(path: string, epoch: number): Map<string, SoundLength> {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (isRecord(value) && value.epoch === epoch && Array.isArray(value.sounds)) {
      return new Map(value.sounds.filter(isEntry).map(([digest, samples, rate]) => [digest, { samples, rate }]));
    }
  } catch {
    // Missing or damaged.
  }
  return new Map();
}

function isEntry(value: unknown): value is [digest: string, samples: number, rate: number] {
  if (!Array.isArray(value) || typeof value[0] !== 'string') return false;
  return [value[1], value[2]].every((number) => Number.isSafeInteger(number) && number > 0);
}
