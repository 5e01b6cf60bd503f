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

const ducked = { field: 'duck_under' } as const;

/** Fields of a track: those of a sound, its place in the scene or video, and its place in the mix. */
export const TRACK_FIELDS = {
  ...AUDIO_FIELDS,
  start: {
    kind: 'number',
    min: 0,
    unit: 'seconds',
    default: 0,
    label: 'Heard from',
    description: 'When the sound is heard, in seconds from the start of its scene or video.',
    phrase: 'at {} s',
  },
  overrun: {
    kind: 'boolean',
    default: false,
    label: 'Goes on after the scene',
    description: 'Whether the track of a scene goes on after the end of its scene.',
    phrase: 'goes on after its scene',
  },
  level: {
    kind: 'number',
    min: -60,
    max: 0,
    unit: 'LUFS',
    label: 'Level',
    description:
      'Loudness of the track in LUFS, before ducking and instead of `volume`. A quiet sound is raised by at most 12 dB.',
    phrase: 'level {} LUFS',
  },
  duck_under: {
    kind: 'names',
    group: 'duck',
    label: 'Lowered under',
    description:
      'Names of the tracks under which this track is lowered. A name means every track of that name in the video and in its scenes.',
    phrase: 'ducks under {}',
  },
  duck_depth: {
    kind: 'number',
    group: 'duck',
    above: 0,
    max: 60,
    unit: 'dB',
    default: 10,
    label: 'Lowered by',
    description: 'Decibels by which the track is lowered.',
    onlyWith: ducked,
    phrase: 'by {} dB',
  },
  duck_attack: {
    kind: 'number',
    group: 'duck',
    min: 0,
    max: 10,
    unit: 'seconds',
    default: 0.15,
    label: 'Attack',
    description: 'Seconds from full volume to the first syllable.',
    onlyWith: ducked,
    phrase: 'attack {} s',
  },
  duck_hold: {
    kind: 'number',
    group: 'duck',
    min: 0,
    max: 10,
    unit: 'seconds',
    default: 0.2,
    label: 'Hold',
    description: 'Seconds after the last syllable until the track rises. Pauses under 0.85 s are bridged.',
    onlyWith: ducked,
    phrase: 'hold {} s',
  },
  duck_release: {
    kind: 'number',
    group: 'duck',
    min: 0,
    max: 10,
    unit: 'seconds',
    default: 0.5,
    label: 'Release',
    description: 'Seconds until full volume.',
    onlyWith: ducked,
    phrase: 'release {} s',
  },
} as const satisfies Fields;

/**
 * The fields of a `transform`, by kind of the editable; those of a track are `TRACK_FIELDS`. A field that is added here is read, checked,
 * documented, shown in plans and edited on the page; only its effect is written elsewhere.
 */
export const TRANSFORM_FIELDS = { image: IMAGE_FIELDS, video: VIDEO_FIELDS, audio: AUDIO_FIELDS } as const;

/** Kind of an editable whose values have a `transform`. */
export type TransformedKind = keyof typeof TRANSFORM_FIELDS;
