import type { FieldValues } from '../fields/field.ts';
import { LOUDNESS_FIELDS } from '../fields/loudness-fields.ts';

/** The loudness that the sound of a video must have. */
export type Loudness = Required<FieldValues<typeof LOUDNESS_FIELDS>>;

/** Returns a loudness with its defaults. */
export function fullLoudness({ target, true_peak = LOUDNESS_FIELDS.true_peak.default }: LoudnessRequest): Loudness {
  return { target, true_peak };
}

/** As in a request. */
export type LoudnessRequest = Pick<Loudness, 'target'> & Partial<Loudness>;
