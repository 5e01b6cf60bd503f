import type { Fields } from './field.ts';

/** The fields of the loudness of a video. */
export const LOUDNESS_FIELDS = {
  target: {
    kind: 'number',
    min: -40,
    max: -5,
    unit: 'LUFS',
    description: 'Integrated loudness of the finished sound, in LUFS.',
  },
  true_peak: {
    kind: 'number',
    min: -20,
    max: 0,
    unit: 'dB',
    default: -1,
    description: 'No peak between samples is higher, in dBTP.',
  },
} as const satisfies Fields;

/** Loudness by the name of a profile. The first two are standards; no platform publishes a requirement, and `social` is common. */
export const LOUDNESS_PROFILES = {
  'ebu-r128': { target: -23, true_peak: -1 },
  a85: { target: -24, true_peak: -2 },
  social: { target: -14, true_peak: -1 },
} as const;
