import type { SoundMeasures } from '../../contract/wire/loudness.ts';
import type { HeardSound } from '../sound/sound-listener.ts';
import { RecentValues } from './recent-values.ts';

/** A measured sound for another process or run. */
export interface KeptSound extends HeardSound {
  /** Digest of the sound and of the part of it that is heard. */
  readonly key: string;
}

/** Measured sounds by key. */
const recent = new RecentValues<HeardSound>(10_000);

/** The measured sounds that inputs of this thread share, and a list of those that an input has used. */
export class HeardSounds {
  readonly #used = new Map<string, HeardSound>();
  /** What was measured of the mix of the input, before it is encoded; null without a requested loudness, and for silence. */
  mix: SoundMeasures | null = null;

  /** @param kept sounds that other processes have measured, with the same program */
  constructor(kept: readonly KeptSound[] = []) {
    for (const { key, ...sound } of kept) recent.set(key, sound, 1);
  }

  /** Returns what is known of a sound, or measures it. */
  async of(key: string, measure: () => Promise<HeardSound>): Promise<HeardSound> {
    const heard = recent.get(key) ?? (await measure());
    recent.set(key, heard, 1);
    this.#used.set(key, heard);
    return heard;
  }

  /** Returns the sounds of the input. */
  kept(): KeptSound[] {
    return [...this.#used].map(([key, sound]) => ({ key, ...sound }));
  }
}
