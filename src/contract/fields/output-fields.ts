import type { Fields } from './field.ts';

/** Largest width and height of an animation and of an output, in pixels. */
export const MAX_SIDE_PIXELS = 4096;

/**
 * The fields of an output. A setting that is added here is read, checked, documented, compared, shown in plans and part of the render
 * input, `RenderOutput`; only its effect is written elsewhere.
 */
export const OUTPUT_FIELDS = {
  format: {
    kind: 'choice',
    values: ['mp4', 'mov', 'webm', 'gif', 'webp', 'png', 'png_sequence'],
    default: 'mp4',
    label: 'Format',
    description:
      'mp4 by default. mov is ProRes for video editors, webp is animated, png is a single still, png_sequence is a zip with all frames.',
    phrase: '{}',
  },
  height: {
    kind: 'number',
    min: 2,
    max: MAX_SIDE_PIXELS,
    multipleOf: 2,
    unit: 'pixels',
    label: 'Height',
    description: 'Height in pixels, an even number. The width follows. The height of the template by default.',
    phrase: '{} pixels high',
  },
  fps: {
    kind: 'number',
    min: 1,
    max: 120,
    label: 'Frames per second',
    description: 'Frames per second. The frame rate of the template by default.',
    phrase: '{} fps',
  },
  quality: {
    kind: 'choice',
    values: ['low', 'medium', 'high'],
    default: 'high',
    label: 'Quality',
    description: 'Encoding quality; high by default.',
    phrase: '{} quality',
  },
  codec: {
    kind: 'choice',
    values: ['h264', 'hevc', 'av1', 'prores422', 'prores4444'],
    label: 'Codec',
    description: 'For mp4: h264 (default), hevc or av1. For mov: prores422 (default) or prores4444.',
    phrase: '{}',
  },
  lang: {
    kind: 'language',
    label: 'Language',
    description:
      'Language of the sound track in mp4, mov and webm, as a BCP 47 tag: players show it. The locale of a translated video by default.',
    phrase: 'sound in {}',
  },
} as const satisfies Fields;
