import { EXAMPLES } from './examples.ts';
import { type Component, idSchema, listOf, objectOf, ref, TIMESTAMP } from './json-schema.ts';
import { REQUEST_PROBLEM } from './responses.ts';

const TEXTS = listOf({ type: 'string' });

export const EDITABLE: Component = {
  $id: 'Editable',
  description: 'What can be filled in a template.',
  ...objectOf(
    {
      input_type: {
        type: 'string',
        enum: ['color', 'text', 'image', 'video', 'font', 'audio'],
        description: 'The kind of editable',
      },
      example_text: { type: 'string', description: 'Example value; of a colour, hexadecimal digits without `#`' },
      stillcut: { type: 'string', description: 'The preview frame that the editable shows in' },
      fonts: { ...TEXTS, description: 'Fonts that the editable uses; of a font, the one that it stands in for' },
      width: { type: 'integer', description: 'Pixels of the area that an image or a video fills' },
      height: { type: 'integer', description: 'Pixels of the area that an image or a video fills' },
      label: { type: 'string', description: 'A name for people' },
      required: { type: 'boolean', description: 'Whether it has to be filled; true when absent' },
      max_length: { type: 'integer', description: 'Most Unicode characters of a text' },
      duration: { type: 'number', description: 'Seconds of a video or a sound that can be seen or heard' },
      allowed_fonts: { ...TEXTS, description: 'Fonts that can be chosen' },
    },
    ['example_text', 'fonts', 'width', 'height', 'label', 'required', 'max_length', 'duration', 'allowed_fonts'],
  ),
};

const SPECIFICATION = {
  id: idSchema('The `template_style_version_id` of render sessions', 'tsv_9c41e7d2'),
  editables: {
    type: 'object',
    additionalProperties: ref(EDITABLE),
    description: 'Key → editable, in the order of the template. A mapping fills the same keys',
  },
  fonts: { ...TEXTS, description: 'Names of the fonts that the template uses' },
  available_fonts: { ...TEXTS, description: 'Names of all fonts that can be chosen; the same as `fonts` when absent' },
};

const OPTIONAL = ['available_fonts'];

export const STYLE_VERSION: Component = {
  $id: 'StyleVersion',
  description: 'The mapping specification of a template style version.',
  examples: [EXAMPLES.specification],
  ...objectOf(SPECIFICATION, OPTIONAL),
};

export const STYLE_VERSION_DETAILS: Component = {
  $id: 'StyleVersionDetails',
  examples: [EXAMPLES.details],
  description: 'A template style version: its specification, and what the service knows beside. It never changes.',
  ...objectOf(
    {
      ...SPECIFICATION,
      name: { type: 'string', description: "The template's name" },
      status: {
        type: 'string',
        enum: ['processing', 'edit_ready', 'failed'],
        description: '`edit_ready`: sessions can use it',
      },
      errors: listOf(ref(REQUEST_PROBLEM), { description: 'Why it failed' }),
      digest: { type: 'string', description: 'SHA-256 over what of the package can reach a frame' },
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
