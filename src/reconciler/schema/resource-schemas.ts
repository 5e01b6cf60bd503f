import { ANIMATE_SPEEDS, ANIMATE_STRATEGIES, CROP_STRATEGIES } from '../../contract/wire/mapping.ts';
import { isSlotKind, SLOT_EXAMPLES, SLOT_PATTERNS, type SlotKind } from '../../contract/wire/slot-text.ts';
import type { Editable } from '../../contract/wire/style-version.ts';
import { defined } from '../../kernel/defined.ts';
import { sha256 } from '../../kernel/digest.ts';
import { type JsonSchema, when } from '../../kernel/json-schema/json-schema.ts';

/**
 * Returns the schemas of the values of editables, one for each kind. Each accepts the short form or the full form of the
 * service interface, chosen by `if/then`.
 */
export function kindSchemas(editables: readonly Editable[], form: DefinitionForm): Record<string, JsonSchema> {
  return Object.fromEntries(editables.map((editable) => [kindName(editable), kindSchema(editable, form)]));
}

/** Returns the name of an editable's schema in `kindSchemas`. */
export function kindName(editable: Editable): string {
  if (!isFillable(editable)) return 'unfillable';
  const { input_type: kind, max_length: maxLength, allowed_fonts: allowed } = editable;
  if (kind === 'text' && maxLength !== undefined) return `text_${maxLength}`;
  return kind === 'font' && allowed !== undefined ? `font_${sha256(JSON.stringify(allowed)).slice(0, 8)}` : kind;
}

function kindSchema(editable: Editable, form: DefinitionForm): JsonSchema {
  switch (editable.input_type) {
    case 'text':
      return shortOrFull(textSchema(form, editable.max_length), 'text');
    case 'color':
      return shortOrFull(colorSchema(form), 'text');
    case 'number':
    case 'point':
    case 'gradient':
      return shortOrFull(slotSchema(editable.input_type, form), 'text');
    case 'image':
      return mediaFormSchema(imageTransformSchema(form));
    case 'video':
      return mediaFormSchema(clipTransformSchema(form));
    case 'audio':
      return soundSchema(form);
    case 'font':
      return fontSchema(form, editable.allowed_fonts);
    default:
      return { not: {}, description: 'Not supported by this version of reelform.' };
  }
}

export function soundSchema(form: DefinitionForm): JsonSchema {
  return mediaFormSchema(audioTransformSchema(form));
}

/** Accepts a source, a map of the source and its transform's fields, or the full form of the interface. */
function mediaFormSchema(transform: JsonSchema): JsonSchema {
  const full: JsonSchema = { additionalProperties: false, properties: { source: mediaSourceSchema(), transform } };
  const beside: JsonSchema = {
    additionalProperties: false,
    properties: {
      source: { description: SOURCE, ...mediaSchema() },
      ...transform.properties,
    },
    ...defined({ allOf: transform.allOf }),
  };
  const isFull: JsonSchema = {
    anyOf: [{ required: ['transform'] }, { required: ['source'], properties: { source: { type: 'object' } } }],
  };
  return when(
    { type: 'object' },
    { type: 'object', required: ['source'], allOf: [when(isFull, full, beside)] },
    mediaSchema(),
  );
}

/** @param allowed names; any if absent */
export function fontSchema(form: DefinitionForm, allowed?: readonly string[]): JsonSchema {
  const name: JsonSchema = { type: 'string', minLength: 1, ...defined({ enum: allowed }) };
  // A placeholder is checked after it is filled in.
  const isFilledIn: JsonSchema = { type: 'string', pattern: PLACEHOLDER };
  return shortOrFull(form === 'video' || allowed === undefined ? name : when(isFilledIn, {}, name), 'font');
}

/** Returns whether this version supports the kind of the editable. */
export function isFillable({ input_type: kind }: Editable): boolean {
  return ['text', 'color', 'image', 'video', 'font', 'audio'].includes(kind) || isSlotKind(kind);
}

function shortOrFull(value: JsonSchema, field: 'text' | 'font'): JsonSchema {
  const full: JsonSchema = {
    type: 'object',
    additionalProperties: false,
    required: ['source'],
    properties: { source: sourceSchema(value, field) },
  };
  return when({ type: 'object' }, full, value);
}

const SOURCE = 'Path of a file in the repository, or an http(s) URL.';

/** Source of a file in the full form: a path or URL, or the map of the interface. */
function mediaSourceSchema(): JsonSchema {
  return { description: SOURCE, ...when({ type: 'object' }, sourceSchema(mediaSchema(), 'remote_url'), mediaSchema()) };
}

function sourceSchema(value: JsonSchema, field: string): JsonSchema {
  return { type: 'object', additionalProperties: false, required: [field], properties: { [field]: value } };
}

/** A repository path or an http(s) URL: any text without another scheme. */
function mediaSchema(): JsonSchema {
  return {
    type: 'string',
    minLength: 1,
    pattern: '^([Hh][Tt][Tt][Pp][Ss]?://|(?![A-Za-z][A-Za-z0-9+.-]+:))',
    patternErrorMessage: 'A path in the repository, or an http(s) URL',
  };
}

const CROP = ['crop_x', 'crop_y', 'crop_width', 'crop_height'];
const FROM_ZERO: JsonSchema = { minimum: 0 };
const SHARE: JsonSchema = { minimum: 0, maximum: 1 };
const VOLUME: JsonSchema = { minimum: 0, maximum: 4 };

/** Schema of the `transform` of an image. */
function imageTransformSchema(form: DefinitionForm): JsonSchema {
  return {
    type: 'object',
    description: 'How the image fills its area.',
    additionalProperties: false,
    properties: pictureFields(form, 'image'),
    allOf: PICTURE_RULES,
  };
}

/** Schema of the `transform` of a video: a clip, or an image that may be animated. */
function clipTransformSchema(form: DefinitionForm): JsonSchema {
  return {
    type: 'object',
    description: 'How the clip fills its area, where it starts, and its volume.',
    additionalProperties: false,
    properties: {
      ...pictureFields(form, 'clip'),
      trim_strategy: {
        description: 'manual (default with trim_start_time): starts at trim_start_time. none: starts at the beginning.',
        enum: ['none', 'manual'],
      },
      trim_start_time: { description: 'Start position in the clip, in seconds.', ...numberSchema(form, FROM_ZERO) },
      volume: {
        description:
          'Volume of the sound of the clip: 1 is the original volume, 4 the maximum. If absent, the clip is silent.',
        ...numberSchema(form, VOLUME),
      },
      animate_strategy: {
        description: 'Animation of an image that is used in place of a clip.',
        enum: ANIMATE_STRATEGIES,
      },
      animate_speed: { description: 'Speed of the animation.', enum: ANIMATE_SPEEDS },
    },
    allOf: [...PICTURE_RULES, ...CLIP_RULES],
  };
}

/** Schema of the `transform` of a sound. */
function audioTransformSchema(form: DefinitionForm): JsonSchema {
  return {
    type: 'object',
    description: 'Where the sound starts, and its volume.',
    additionalProperties: false,
    properties: {
      trim_start_time: { description: 'Start position in the sound, in seconds.', ...numberSchema(form, FROM_ZERO) },
      volume: {
        description: 'Volume: 1 (default) is the original volume, 4 the maximum.',
        ...numberSchema(form, VOLUME),
      },
      fade_in: { description: 'Length of the fade-in, in seconds.', ...numberSchema(form, FROM_ZERO) },
      fade_out: { description: 'Length of the fade-out, in seconds.', ...numberSchema(form, FROM_ZERO) },
      loop: { description: 'Whether to repeat the sound until the video ends.', ...booleanSchema(form) },
    },
  };
}

function pictureFields(form: DefinitionForm, name: 'image' | 'clip'): Record<string, JsonSchema> {
  const edge = { description: `Pixels of the ${name}.`, ...numberSchema(form, { exclusiveMinimum: 0 }) };
  return {
    crop_strategy: {
      description: `cover: fills the area, cropped as needed. contain: shows the entire ${name}. fill: stretches it. manual: shows a rectangle of the ${name}.`,
      enum: CROP_STRATEGIES,
      default: 'cover',
    },
    crop_x: { description: `Left edge, in pixels of the ${name}.`, ...numberSchema(form, FROM_ZERO) },
    crop_y: { description: `Top edge, in pixels of the ${name}.`, ...numberSchema(form, FROM_ZERO) },
    crop_width: edge,
    crop_height: edge,
    focus_x: { description: 'Horizontal focus with cover: 0 left, 1 right.', ...numberSchema(form, SHARE) },
    focus_y: { description: 'Vertical focus with cover: 0 top, 1 bottom.', ...numberSchema(form, SHARE) },
    background: { description: `Colour around a contained ${name}.`, ...colorSchema(form) },
  };
}

const onlyWith = (strategy: string, fields: readonly string[]): JsonSchema => {
  const others = { properties: { crop_strategy: { enum: CROP_STRATEGIES.filter((other) => other !== strategy) } } };
  return when(strategy === 'cover' ? { ...others, required: ['crop_strategy'] } : others, refused(...fields));
};

function refused(...fields: readonly string[]): JsonSchema {
  return { properties: Object.fromEntries(fields.map((field) => [field, false])) };
}

function says(field: string, value: string): JsonSchema {
  return { required: [field], properties: { [field]: { const: value } } };
}

const PICTURE_RULES: readonly JsonSchema[] = [
  when(says('crop_strategy', 'manual'), { required: CROP }),
  onlyWith('manual', CROP),
  onlyWith('cover', ['focus_x', 'focus_y']),
  onlyWith('contain', ['background']),
];

const MOVES: JsonSchema = {
  required: ['animate_strategy'],
  properties: { animate_strategy: { not: { const: 'none' } } },
};

const CLIP_RULES: readonly JsonSchema[] = [
  when(says('trim_strategy', 'none'), refused('trim_start_time')),
  when({ allOf: [says('crop_strategy', 'manual'), MOVES] }, refused('animate_strategy')),
  when({ not: MOVES }, refused('animate_speed')),
];

/**
 * `file`: a definition as written, where `${column}` may replace any text, and numbers are accepted as texts. `video`: a
 * definition after merging and filling in, where all texts are strings.
 */
export type DefinitionForm = 'file' | 'video';

/** Pattern of texts that a row fills in. */
const PLACEHOLDER = '\\$\\{';

export function textSchema(form: DefinitionForm, maxLength?: number): JsonSchema {
  const limit = maxLength === undefined ? {} : { maxLength };
  if (form === 'video') return { type: 'string', ...limit };
  const type = ['string', 'number', 'boolean'];
  // The length of a text with a placeholder is checked after it is filled in.
  return maxLength === undefined
    ? { type }
    : { type, if: { type: 'string', pattern: PLACEHOLDER }, else: { type, ...limit } };
}

export function numberSchema(form: DefinitionForm, limits: JsonSchema): JsonSchema {
  return form === 'video'
    ? { type: 'number', ...limits }
    : { type: ['number', 'string'], pattern: PLACEHOLDER, patternErrorMessage: 'Must be a number', ...limits };
}

export function booleanSchema(form: DefinitionForm): JsonSchema {
  return form === 'video'
    ? { type: 'boolean' }
    : { type: ['boolean', 'string'], pattern: PLACEHOLDER, patternErrorMessage: 'Must be true or false' };
}

const COLOR_MESSAGE = 'A colour must have 6 or 8 hexadecimal digits: "#EEADA7"';

/**
 * Returns the schema of a colour: 6 or 8 hexadecimal digits, with or without `#`.
 *
 * Reelform reads an unquoted `000000` as written, but an editor validates the number 0. The schema accepts 0 and numbers with
 * exactly 6 or 8 digits. For other numbers, such as 12345, an editor cannot know whether they have leading zeros.
 */
function colorSchema(form: DefinitionForm): JsonSchema {
  const digits = '#?([0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})';
  if (form === 'video') return { type: 'string', pattern: `^${digits}$`, patternErrorMessage: COLOR_MESSAGE };
  return {
    type: ['string', 'number'],
    errorMessage: COLOR_MESSAGE,
    pattern: `^(${digits}|.*${PLACEHOLDER}.*)$`,
    patternErrorMessage: COLOR_MESSAGE,
    ...when(
      { type: 'number', not: { anyOf: [{ const: 0 }, integers(1e5, 1e6 - 1), integers(1e7, 1e8 - 1)] } },
      { type: 'string', errorMessage: `${COLOR_MESSAGE}. Quote values that consist only of digits` },
    ),
  };
}

const SLOT_MESSAGES: Readonly<Record<SlotKind, string>> = {
  number: `Must be a number below a million with at most six decimals, like ${SLOT_EXAMPLES.number}`,
  point: `Must be two numbers, like "${SLOT_EXAMPLES.point}"`,
  gradient: `Must be 2 to 32 colours with positions, in quotes: "${SLOT_EXAMPLES.gradient}"`,
};

/** Returns the schema of a number, a point or a gradient. Editors also see a number as a YAML number. */
function slotSchema(kind: SlotKind, form: DefinitionForm): JsonSchema {
  const pattern = ` *${SLOT_PATTERNS[kind]} *`;
  const message = SLOT_MESSAGES[kind];
  if (form === 'video') return { type: 'string', pattern: `^${pattern}$`, patternErrorMessage: message };
  return {
    type: kind === 'number' ? ['number', 'string'] : 'string',
    errorMessage: message,
    pattern: `^(${pattern}|.*${PLACEHOLDER}.*)$`,
    patternErrorMessage: message,
  };
}

function integers(minimum: number, maximum: number): JsonSchema {
  return { minimum, maximum, multipleOf: 1 };
}

/** Returns the schema of an id or a segment of one, with the rules of `parseVideoId`. Accepts any text with a placeholder. */
export function videoIdSchema(): JsonSchema {
  const segment = '(?!\\.{1,2}(/|$))[A-Za-z0-9._-]+';
  return {
    ...textSchema('file'),
    pattern: `^((?=.{1,200}$)${segment}(/${segment})*|.*${PLACEHOLDER}.*)$`,
    patternErrorMessage:
      'An id may contain letters A–Z, digits, ".", "_" and "-", with "/" between segments; at most 200 characters',
  };
}
