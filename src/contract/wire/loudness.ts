import { isRecord } from '../../kernel/json.ts';
import type { FieldValues } from '../fields/field.ts';
import { LOUDNESS_FIELDS, LOUDNESS_PROFILES } from '../fields/loudness-fields.ts';

/** The loudness that the sound of a video must have. */
export type Loudness = Required<FieldValues<typeof LOUDNESS_FIELDS>>;

/** Returns a loudness with its defaults. */
export function fullLoudness({ target, true_peak = LOUDNESS_FIELDS.true_peak.default }: LoudnessRequest): Loudness {
  return { target, true_peak };
}

/** As users write it: LUFS, the name of a profile, or a map. */
export type WrittenLoudness = number | keyof typeof LOUDNESS_PROFILES | LoudnessRequest;

/** Returns the loudness that a user has written. */
export function loudnessOf(written: WrittenLoudness): Loudness {
  if (typeof written === 'string') return LOUDNESS_PROFILES[written];
  return fullLoudness(typeof written === 'number' ? { target: written } : written);
}

/** What was measured of a finished sound, as players decode it, rounded to hundredths. */
export interface SoundMeasures {
  /** Loudness of the whole sound, in LUFS. */
  integrated: number;
  /** Largest peak between samples, in dBTP. */
  true_peak: number;
}

/** Returns whether a value has the form of `SoundMeasures`. */
export function isSoundMeasures(value: unknown): value is SoundMeasures {
  return isRecord(value) && [value.integrated, value.true_peak].every((number) => Number.isFinite(number));
}

/** As in a request. */
export type LoudnessRequest = Pick<Loudness, 'target'> & Partial<Loudness>;
