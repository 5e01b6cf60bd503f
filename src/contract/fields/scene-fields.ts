import type { Fields } from './field.ts';

/** The fields of a transition. `type` and `duration` are required. */
export const TRANSITION_FIELDS = {
  type: {
    kind: 'choice',
    values: ['fade', 'dip', 'slide', 'push', 'wipe', 'iris', 'zoom'],
    description: 'How the scene replaces the scene before it.',
  },
  duration: { kind: 'number', above: 0, unit: 'seconds', description: 'Duration in seconds.' },
  at: {
    kind: 'choice',
    values: ['before'],
    description: 'During the end of the scene before, instead of the start of this scene.',
  },
  easing: {
    kind: 'choice',
    values: ['linear', 'ease-in', 'ease-out', 'ease-in-out'],
    default: 'ease-in-out',
    description: 'How the movement starts and ends.',
  },
  direction: {
    kind: 'choice',
    values: ['left', 'right', 'up', 'down'],
    default: 'left',
    description: 'Where the pictures of slide, push and wipe move.',
  },
  color: { kind: 'color', default: '000000', description: 'Colour of dip: 6 hexadecimal digits.' },
} as const satisfies Fields;

/** Fields of a scene that decide how it fills the video. */
export const PLACEMENT_FIELDS = {
  fit: {
    kind: 'choice',
    values: ['cover', 'contain'],
    description: 'How a template of another shape fills the video; required for it.',
  },
  background: {
    kind: 'color',
    default: '000000',
    description: 'Colour behind the scene: 6 hexadecimal digits. Outputs with transparency have none.',
  },
  shorten: {
    kind: 'choice',
    values: ['cut', 'speed'],
    description: 'Permits a scene that is shorter than its template can be: the end is cut, or the scene plays faster.',
  },
} as const satisfies Fields;
