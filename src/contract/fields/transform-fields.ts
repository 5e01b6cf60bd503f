import type { Fields } from './field.ts';

const manual = { field: 'crop_strategy', value: 'manual', isRequired: true } as const;
const cover = { field: 'crop_strategy', value: 'cover' } as const;
const contain = { field: 'crop_strategy', value: 'contain' } as const;

/** How a picture fills its area. @param noun what the descriptions call the picture */
function pictureFields(noun: 'image' | 'clip') {
  return {
    crop_strategy: {
      kind: 'choice',
      values: ['cover', 'contain', 'fill', 'manual'],
      default: 'cover',
      isProposed: true,
      label: 'Crop',
      labels: ['Fill, crop the rest', 'Show all of it', 'Stretch', 'Crop by hand'],
      description: `cover: fills the area, cropped as needed. contain: shows the entire ${noun}. fill: stretches it. manual: shows a rectangle of the ${noun}.`,
    },
    crop_x: {
      kind: 'number',
      min: 0,
      unit: 'pixels',
      label: 'Left',
      description: `Left edge, in pixels of the ${noun}.`,
      onlyWith: manual,
    },
    crop_y: {
      kind: 'number',
      min: 0,
      unit: 'pixels',
      label: 'Top',
      description: `Top edge, in pixels of the ${noun}.`,
      onlyWith: manual,
    },
    crop_width: {
      kind: 'number',
      above: 0,
      unit: 'pixels',
      label: 'Width',
      description: `Pixels of the ${noun}.`,
      onlyWith: manual,
    },
    crop_height: {
      kind: 'number',
      above: 0,
      unit: 'pixels',
      label: 'Height',
      description: `Pixels of the ${noun}.`,
      onlyWith: manual,
    },
    focus_x: {
      kind: 'number',
      min: 0,
      max: 1,
      unit: 'share',
      default: 0.5,
      label: 'Focus X',
      description: 'Horizontal focus with cover: 0 left, 1 right.',
      onlyWith: cover,
    },
    focus_y: {
      kind: 'number',
      min: 0,
      max: 1,
      unit: 'share',
      default: 0.5,
      label: 'Focus Y',
      description: 'Vertical focus with cover: 0 top, 1 bottom.',
      onlyWith: cover,
    },
    background: {
      kind: 'color',
      label: 'Background',
      description: `Colour around a contained ${noun}.`,
      onlyWith: contain,
    },
  } as const satisfies Fields;
}

const IMAGE_FIELDS = pictureFields('image');

const VIDEO_FIELDS = {
  ...pictureFields('clip'),
  trim_strategy: {
    kind: 'choice',
    values: ['none', 'manual'],
    default: 'none',
    description: 'manual (default with trim_start_time): starts at trim_start_time. none: starts at the beginning.',
    affects: 'clips',
    phrase: '',
  },
  trim_start_time: {
    kind: 'number',
    min: 0,
    unit: 'seconds',
    default: 0,
    label: 'Starts at',
    description: 'Start position in the clip, in seconds.',
    affects: 'clips',
    onlyWith: { field: 'trim_strategy', value: 'manual', isImplied: true },
    phrase: 'from {} s',
  },
  volume: {
    kind: 'number',
    min: 0,
    max: 4,
    unit: 'share',
    default: 0,
    label: 'Volume',
    description:
      'Volume of the sound of the clip: 1 is the original volume, 4 the maximum. If absent, the clip is silent.',
    affects: 'clips',
    phrase: 'volume {}',
  },
  animate_strategy: {
    kind: 'choice',
    values: ['none', 'slide-to-left', 'slide-to-right', 'slide-to-top', 'slide-to-bottom', 'zoom-in', 'zoom-out'],
    default: 'none',
    description: 'Animation of an image that is used in place of a clip.',
    affects: 'still images',
    phrase: '{}',
  },
  animate_speed: {
    kind: 'choice',
    values: ['slow', 'moderate', 'fast'],
    default: 'moderate',
    description: 'Speed of the animation.',
    affects: 'still images',
    phrase: '{}',
  },
} as const satisfies Fields;

const AUDIO_FIELDS = {
  trim_start_time: {
    kind: 'number',
    min: 0,
    unit: 'seconds',
    default: 0,
    label: 'Starts at',
    description: 'Start position in the sound, in seconds.',
    phrase: 'from {} s',
  },
  volume: {
    kind: 'number',
    min: 0,
    max: 4,
    unit: 'share',
    default: 1,
    label: 'Volume',
    description: 'Volume: 1 (default) is the original volume, 4 the maximum.',
    phrase: 'volume {}',
  },
  fade_in: {
    kind: 'number',
    min: 0,
    unit: 'seconds',
    default: 0,
    label: 'Fade in',
    description: 'Length of the fade-in, in seconds.',
    phrase: 'fade-in {} s',
  },
  fade_out: {
    kind: 'number',
    min: 0,
    unit: 'seconds',
    default: 0,
    label: 'Fade out',
    description: 'Length of the fade-out, in seconds.',
    phrase: 'fade-out {} s',
  },
  loop: {
    kind: 'boolean',
    default: false,
    label: 'Repeat until the end',
    description: 'Whether to repeat the sound until the video ends.',
    phrase: 'loop',
  },
} as const satisfies Fields;

/**
 * The fields of a `transform`, by kind of the editable; tracks have those of `audio`. A field that is added here is read, checked,
 * documented, shown in plans and edited on the page; only its effect is written elsewhere.
 */
export const TRANSFORM_FIELDS = { image: IMAGE_FIELDS, video: VIDEO_FIELDS, audio: AUDIO_FIELDS } as const;

/** Kind of an editable whose values have a `transform`. */
export type TransformedKind = keyof typeof TRANSFORM_FIELDS;
