import type { Editable } from '../service/wire.ts';
import { type JsonSchema, when } from './json-schema.ts';

/**
 * `file`: a definition as its author writes it, with `${column}` wherever a text may stand, and with numbers that count
 * by their text. `video`: merged and filled in, every text a text.
 */
export type DefinitionForm = 'file' | 'video';

/**
 * The schemas of what fills editables, one for each kind that there is among them: its short form or the interface's
 * full form, chosen by `if/then`.
 */
export function kindSchemas(editables: readonly Editable[], form: DefinitionForm): Record<string, JsonSchema> {
  return Object.fromEntries(editables.map((editable) => [kindName(editable), kindSchema(editable, form)]));
}

/** The name of an editable's schema among `kindSchemas`. */
export function kindName(editable: Editable): string {
  if (!isFillable(editable)) return 'unfillable';
  const { input_type: kind, max_length: maxLength } = editable;
  return kind === 'text' && maxLength !== undefined ? `text_${maxLength}` : kind;
}

function kindSchema(editable: Editable, form: DefinitionForm): JsonSchema {
  switch (editable.input_type) {
    case 'text':
      return shortOrFull(textSchema(form, editable.max_length), 'text');
    case 'color':
      return shortOrFull(colorSchema(form), 'text');
    case 'image':
      return shortOrFull(mediaSchema(), 'remote_url', { transform: transformSchema(form) });
    default:
      return { not: {}, description: 'This version of reelform cannot fill it.' };
  }
}

/** Whether a definition can fill the editable at all. */
export function isFillable(editable: Editable): boolean {
  return ['text', 'color', 'image'].includes(editable.input_type);
}

/** What may stand where a text is meant. */
export function textSchema(form: DefinitionForm, maxLength?: number): JsonSchema {
  const limit = maxLength === undefined ? {} : { maxLength };
  if (form === 'video') return { type: 'string', ...limit };
  const type = ['string', 'number', 'boolean'];
  // How long a text with a placeholder becomes, its row decides.
  return maxLength === undefined
    ? { type }
    : { type, if: { type: 'string', pattern: PLACEHOLDER }, else: { type, ...limit } };
}

/** Found in every text that a row will fill in. */
export const PLACEHOLDER = '\\$\\{';

function shortOrFull(
  value: JsonSchema,
  field: 'text' | 'remote_url',
  more: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema {
  const source: JsonSchema = {
    type: 'object',
    additionalProperties: false,
    required: [field],
    properties: { [field]: value },
  };
  const full: JsonSchema = {
    type: 'object',
    additionalProperties: false,
    required: ['source'],
    properties: { source, ...more },
  };
  return when({ type: 'object' }, full, value);
}

function colorSchema(form: DefinitionForm): JsonSchema {
  const digits = '#?([0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})';
  return {
    type: form === 'video' ? 'string' : ['string', 'number'],
    pattern: form === 'video' ? `^${digits}$` : `^(${digits}|.*${PLACEHOLDER}.*)$`,
    patternErrorMessage: 'A colour has 6 or 8 hexadecimal digits: "#EEADA7"',
  };
}

/** A path of the repository or an http(s) URL: what no other scheme begins. */
function mediaSchema(): JsonSchema {
  return {
    type: 'string',
    minLength: 1,
    pattern: '^([Hh][Tt][Tt][Pp][Ss]?://|(?![A-Za-z][A-Za-z0-9+.-]+:))',
    patternErrorMessage: 'A path in the repository, or an http(s) URL',
  };
}

function transformSchema(form: DefinitionForm): JsonSchema {
  const number = (limits: JsonSchema): JsonSchema =>
    form === 'video'
      ? { type: 'number', ...limits }
      : { type: ['number', 'string'], pattern: PLACEHOLDER, patternErrorMessage: 'Must be a number', ...limits };
  const strategies = ['cover', 'contain', 'fill', 'manual'];
  const crop = ['crop_x', 'crop_y', 'crop_width', 'crop_height'];
  const onlyWith = (strategy: string, fields: readonly string[]): JsonSchema => {
    const others = { properties: { crop_strategy: { enum: strategies.filter((other) => other !== strategy) } } };
    const refused = { properties: Object.fromEntries(fields.map((field) => [field, false])) };
    return when(strategy === 'cover' ? { ...others, required: ['crop_strategy'] } : others, refused);
  };
  return {
    type: 'object',
    description: 'How the image fills its area.',
    additionalProperties: false,
    properties: {
      crop_strategy: {
        description:
          'cover: fills the area, cropped as needed. contain: all of the image. fill: stretched. manual: a rectangle of the image.',
        enum: strategies,
        default: 'cover',
      },
      crop_x: { description: 'Left edge, in pixels of the image.', ...number({ minimum: 0 }) },
      crop_y: { description: 'Upper edge, in pixels of the image.', ...number({ minimum: 0 }) },
      crop_width: { description: 'Pixels of the image.', ...number({ exclusiveMinimum: 0 }) },
      crop_height: { description: 'Pixels of the image.', ...number({ exclusiveMinimum: 0 }) },
      focus_x: {
        description: 'What stays in view with cover: 0 left, 1 right.',
        ...number({ minimum: 0, maximum: 1 }),
      },
      focus_y: {
        description: 'What stays in view with cover: 0 top, 1 bottom.',
        ...number({ minimum: 0, maximum: 1 }),
      },
      background: { description: 'The colour around a contained image.', ...colorSchema(form) },
    },
    allOf: [
      when({ required: ['crop_strategy'], properties: { crop_strategy: { const: 'manual' } } }, { required: crop }),
      onlyWith('manual', crop),
      onlyWith('cover', ['focus_x', 'focus_y']),
      onlyWith('contain', ['background']),
    ],
  };
}
