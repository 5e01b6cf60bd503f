import type { Fields } from './field.ts';

/**
 * The fields of a style of captions. Lengths are in percent of the frame or of the text size, so that a style serves frames of all
 * sizes and shapes. Axes and features of the font are beside them, see `CaptionStyle`.
 */
export const CAPTION_STYLE_FIELDS = {
  font: {
    kind: 'text',
    maxLength: 100,
    default: 'Inter',
    description: 'Name of a font: of the templates, of the project, or a built-in font.',
  },
  weight: {
    kind: 'number',
    min: 1,
    max: 1000,
    default: 600,
    description: 'Weight of the letters, if the font is variable. An axis `wght` takes precedence.',
  },
  size: {
    kind: 'number',
    min: 1,
    max: 40,
    unit: 'percent',
    default: 5.5,
    description: 'Size of the text in percent of the shorter side of the frame.',
  },
  line_height: {
    kind: 'number',
    min: 50,
    max: 300,
    unit: 'percent',
    default: 122,
    description: 'Distance of lines in percent of the text size.',
  },
  tracking: {
    kind: 'number',
    min: -20,
    max: 100,
    unit: 'percent',
    default: 0,
    description: 'Space between letters in percent of the text size.',
  },
  case: {
    kind: 'choice',
    values: ['none', 'upper', 'lower'],
    default: 'none',
    description: 'Capital or small letters.',
  },
  color: { kind: 'color', default: 'FFFFFF', description: 'Colour of the text.' },
  active_color: { kind: 'color', description: 'Colour of the word that is spoken. As `color` if absent.' },
  active_background: { kind: 'color', description: 'Colour of a box behind the word that is spoken. None if absent.' },
  background: { kind: 'color', description: 'Colour of a box behind the text. None if absent.' },
  box: {
    kind: 'choice',
    values: ['lines', 'block'],
    default: 'lines',
    onlyWith: { field: 'background' },
    description: 'Whether each line has a box of its width, or all lines have one.',
  },
  padding: {
    kind: 'number',
    min: 0,
    max: 200,
    unit: 'percent',
    default: 28,
    description:
      'Space between the text and the edge of its box in percent of the text size; above and below, half of it.',
  },
  radius: {
    kind: 'number',
    min: 0,
    max: 200,
    unit: 'percent',
    default: 0,
    description: 'Radius of the corners of boxes in percent of the text size.',
  },
  outline: {
    kind: 'number',
    min: 0,
    max: 40,
    unit: 'percent',
    default: 0,
    description: 'Width of the line around letters in percent of the text size.',
  },
  outline_color: { kind: 'color', default: '000000', description: 'Colour of the line around letters.' },
  shadow: {
    kind: 'number',
    min: 0,
    max: 100,
    unit: 'percent',
    default: 0,
    description: 'How far the shadow lies below the text, in percent of the text size.',
  },
  shadow_blur: {
    kind: 'number',
    min: 0,
    max: 200,
    unit: 'percent',
    default: 0,
    description: 'Softness of the shadow in percent of the text size. A soft shadow makes drawing slower.',
  },
  shadow_color: {
    kind: 'color',
    description: 'Colour of the shadow. None if absent.',
  },
  position: {
    kind: 'choice',
    values: ['top', 'middle', 'bottom'],
    default: 'bottom',
    description: 'Where captions stand in the frame.',
  },
  align: {
    kind: 'choice',
    values: ['left', 'center', 'right'],
    default: 'center',
    description: 'How lines are aligned.',
  },
  margin: {
    kind: 'number',
    min: 0,
    max: 45,
    unit: 'percent',
    default: 8,
    description: 'Distance from the upper or lower edge in percent of the height of the frame.',
  },
  margin_side: {
    kind: 'number',
    min: 0,
    max: 45,
    unit: 'percent',
    default: 7,
    description: 'Least distance from the left and the right edge in percent of the width of the frame.',
  },
  width: {
    kind: 'number',
    min: 10,
    max: 100,
    unit: 'percent',
    default: 80,
    description: 'Width of the widest line in percent of the width of the frame.',
  },
  lines: {
    kind: 'number',
    min: 1,
    max: 6,
    multipleOf: 1,
    default: 2,
    description:
      'Lines that are shown at once. A caption whose words have times is shown in several parts if it has more.',
  },
  words: {
    kind: 'number',
    min: 1,
    max: 50,
    multipleOf: 1,
    description:
      'Words that are shown at once. A caption whose words have times is shown in several parts if it has more.',
  },
  animation: {
    kind: 'choice',
    values: ['none', 'fade', 'pop', 'word', 'karaoke'],
    default: 'none',
    description:
      'How captions appear: at once, softly, growing, word by word as they are spoken, or filled with the colour of the active word as they are spoken.',
  },
} as const satisfies Fields;
