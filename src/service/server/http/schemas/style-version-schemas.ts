import { EDITABLE_KIND_NAMES, kindFacts, SLOT_KINDS, slotFacts } from '../../../../contract/fields/editable-kinds.ts';
import { EXAMPLES } from './examples.ts';
import { type Component, identifierSchema, listOf, objectOf, ref, TIMESTAMP } from './json-schema.ts';
import { REQUEST_PROBLEM } from './responses.ts';

const SLOT_EXAMPLES = SLOT_KINDS.map((kind) => `${kindFacts(kind).noun} \`${slotFacts(kind).example}\``);
const TEXTS = listOf({ type: 'string' });

export const EDITABLE: Component = {
  $id: 'Editable',
  description: 'A value of a template that a mapping can set.',
  ...objectOf(
    {
      input_type: {
        type: 'string',
        enum: EDITABLE_KIND_NAMES,
        description: 'Kind of the editable',
      },
      example_text: {
        type: 'string',
        description: `Example value; for a colour, hexadecimal digits without \`#\`; for ${SLOT_EXAMPLES.join(', ')}`,
      },
      stillcut: { type: 'string', description: 'Stillcut in which the editable is visible' },
      fonts: { ...TEXTS, description: 'Fonts that the editable uses; for a font editable, the font that it replaces' },
      width: { type: 'integer', description: 'Size in pixels of the area that an image or video fills' },
      height: { type: 'integer', description: 'Size in pixels of the area that an image or video fills' },
      label: { type: 'string', description: 'Display name' },
      required: { type: 'boolean', description: 'Whether a value is required. Defaults to true' },
      max_length: { type: 'integer', description: 'Maximum length of a text, in Unicode characters' },
      duration: { type: 'number', description: 'Seconds of a video or sound that are visible or audible' },
      allowed_fonts: { ...TEXTS, description: 'Fonts to choose from' },
    },
    ['example_text', 'fonts', 'width', 'height', 'label', 'required', 'max_length', 'duration', 'allowed_fonts'],
  ),
};

const FRAMES = listOf({ type: 'integer' }, { description: 'First frame, and the frame after the last' });

const PLACE = objectOf(
  {
    hold: { type: 'integer', description: 'The frame that can be held' },
    loop: FRAMES,
    stretch: FRAMES,
    min: { type: 'integer', description: 'Shortest length in frames' },
    max: { type: 'integer', description: 'Longest length in frames' },
  },
  ['hold', 'loop', 'stretch', 'min', 'max'],
);

const SPECIFICATION = {
  id: identifierSchema('`template_style_version_id` for render sessions', 'tsv_9c41e7d2'),
  editables: {
    type: 'object',
    additionalProperties: ref(EDITABLE),
    description: 'Key → editable, in the order of the template. A mapping uses the same keys',
  },
  fonts: { ...TEXTS, description: 'Names of the fonts used by the template' },
  available_fonts: { ...TEXTS, description: 'Names of all fonts to choose from. Defaults to `fonts`' },
  timing: listOf(PLACE, {
    description: 'Where the template can become longer or shorter, in its frames and in order of priority',
  }),
};

const OPTIONAL = ['available_fonts', 'timing'];

export const STYLE_VERSION: Component = {
  $id: 'StyleVersion',
  description: 'The mapping specification of a template style version.',
  examples: [EXAMPLES.specification],
  ...objectOf(SPECIFICATION, OPTIONAL),
};

export const STYLE_VERSION_DETAILS: Component = {
  $id: 'StyleVersionDetails',
  examples: [EXAMPLES.details],
  description: 'An immutable version of a template: its mapping specification and metadata.',
  ...objectOf(
    {
      ...SPECIFICATION,
      name: { type: 'string', description: 'Name of the template' },
      status: {
        type: 'string',
        enum: ['processing', 'edit_ready', 'failed'],
        description: '`edit_ready`: sessions can use it',
      },
      errors: listOf(ref(REQUEST_PROBLEM), { description: 'Reason of the failure' }),
      digest: { type: 'string', description: 'SHA-256 of the contents of the package that can affect a frame' },
      width: { type: 'integer', description: 'Pixels' },
      height: { type: 'integer', description: 'Pixels' },
      fps: { type: 'number', description: 'Frames per second' },
      duration: { type: 'number', description: 'Seconds' },
      stillcuts: {
        type: 'object',
        additionalProperties: { type: 'string', format: 'uri' },
        description: 'Name → URL of a PNG; empty until `edit_ready`',
      },
      created_at: TIMESTAMP,
    },
    OPTIONAL,
  ),
};
