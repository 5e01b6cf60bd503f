import { isSlotKind, kindFacts, type SlotKind, slotFacts } from '../../contract/fields/editable-kinds.ts';
import type { Fields } from '../../contract/fields/field.ts';
import { TRACK_FIELDS, TRANSFORM_FIELDS, type TransformedKind } from '../../contract/fields/transform-fields.ts';
import type { Editable } from '../../contract/wire/style-version.ts';
import { defined } from '../../kernel/defined.ts';
import { sha256 } from '../../kernel/digest.ts';
import { type JsonSchema, when } from '../../kernel/json-schema/json-schema.ts';
import {
  colorSchema,
  conditionSchema,
  type DefinitionForm,
  fieldRules,
  fieldSchemas,
  hasValue,
  PLACEHOLDER,
  refused,
  textSchema,
} from './value-schemas.ts';

/**
 * Returns the schemas of the values of editables, by kind. Each schema accepts the short form or the full form of the
 * service interface, chosen by `if/then`.
 */
export function kindSchemas(editables: readonly Editable[], form: DefinitionForm): Record<string, JsonSchema> {
  return Object.fromEntries(editables.map((editable) => [kindName(editable), kindSchema(editable, form)]));
}

/** Returns the name of an editable's schema in `kindSchemas`. */
export function kindName(editable: Editable): string {
  if (editable.input_type === 'captions') return 'captions';
  if (!isFillable(editable)) return 'unfillable';
  const { input_type: kind, max_length: maxLength, allowed_fonts: allowed } = editable;
  if (kind === 'text' && maxLength !== undefined) return `text_${maxLength}`;
  return kind === 'font' && allowed !== undefined ? `font_${sha256(JSON.stringify(allowed)).slice(0, 8)}` : kind;
}

function kindSchema(editable: Editable, form: DefinitionForm): JsonSchema {
  const { input_type: kind } = editable;
  if (isSlotKind(kind)) return shortOrFull(slotSchema(kind, form), 'text', form);
  switch (kind) {
    case 'text':
      return shortOrFull(textSchema(form, editable.max_length), 'text', form);
    case 'color':
      return shortOrFull(colorSchema(form), 'text', form);
    case 'image':
      return mediaFormSchema(transformSchema('image', form), form);
    case 'video':
      return mediaFormSchema(transformSchema('video', form), form);
    case 'audio':
      return mediaFormSchema(transformSchema('audio', form), form);
    case 'font':
      return fontSchema(form, editable.allowed_fonts);
    case 'captions':
      return { not: {}, description: 'Filled by `captions`, not by a value.' };
    default:
      return { not: {}, description: 'Not supported by this version of reelform.' };
  }
}

/** Returns the schema of a track: a sound with its place in the scene or video, and in the mix. */
export function trackSchema(form: DefinitionForm): JsonSchema {
  const transform = transformSchema('track', form);
  return when(
    { type: 'object', required: ['speak'] },
    spokenSchema(transform, form),
    mediaFormSchema(transform, form, { words: WORDS }),
  );
}

/** Characters that are spoken at once. */
const MAX_SPOKEN_LENGTH = 5000;

/** A track that a voice speaks. */
function spokenSchema(transform: JsonSchema, form: DefinitionForm): JsonSchema {
  return {
    type: 'object',
    additionalProperties: false,
    properties: {
      speak: {
        description: 'Text that a voice of reelform.yaml speaks. `reelform speak` makes the sound.',
        minLength: 1,
        ...textSchema(form, MAX_SPOKEN_LENGTH),
      },
      voice: {
        description: 'Name of a voice in reelform.yaml. May be left out if there is only one.',
        ...textSchema(form),
        minLength: 1,
      },
      caption: {
        description: 'The text as captions show it, if they show it otherwise than it is spoken.',
        minLength: 1,
        ...textSchema(form, MAX_SPOKEN_LENGTH),
      },
      options: { description: 'Options of the voice for this text.', type: 'object' },
      ...transform.properties,
      ...conditional(form),
      ...(form === 'video' && { source: false, words: false }),
    },
    ...defined({ allOf: transform.allOf }),
  };
}

const WORDS: JsonSchema = {
  description:
    'Times of the spoken words: path of a WebVTT or JSON file. Tracks that are lowered under the track follow them.',
  type: 'string',
  pattern: '\\.([Vv][Tt][Tt]|[Jj][Ss][Oo][Nn])$|\\$\\{',
  patternErrorMessage: 'A path of a .vtt or .json file in the repository',
};

/**
 * Accepts a source, a map of the source and its transform's fields, or the full form of the interface.
 *
 * @param beyond further properties beside the source
 */
function mediaFormSchema(
  transform: JsonSchema,
  form: DefinitionForm,
  beyond: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema {
  const full: JsonSchema = {
    additionalProperties: false,
    properties: { source: mediaSourceSchema(), transform, ...beyond, ...conditional(form) },
  };
  const beside: JsonSchema = {
    additionalProperties: false,
    properties: {
      source: { description: SOURCE, ...mediaSchema() },
      ...transform.properties,
      ...beyond,
      ...conditional(form),
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
  return shortOrFull(form === 'video' || allowed === undefined ? name : when(isFilledIn, {}, name), 'font', form);
}

/** Returns whether this version supports the kind of the editable. */
export function isFillable({ input_type: kind }: Editable): boolean {
  return kindFacts(kind) !== undefined;
}

function shortOrFull(value: JsonSchema, field: 'text' | 'font', form: DefinitionForm): JsonSchema {
  const full: JsonSchema = {
    type: 'object',
    additionalProperties: false,
    required: ['source'],
    properties: {
      source: sourceSchema(value, field),
      ...conditional(form),
      ...(field === 'text' && translatable(form)),
    },
  };
  return when({ type: 'object' }, full, value);
}

/** A condition of a value; it is evaluated before a merged definition is checked. */
function conditional(form: DefinitionForm): Record<string, JsonSchema> {
  return form === 'file' ? { when: conditionSchema('Leaves out the value if the condition is false.') } : {};
}

/** Whether a text is in catalogues; it is read before a merged definition is checked. */
function translatable(form: DefinitionForm): Record<string, JsonSchema> {
  return form === 'file'
    ? { translate: { description: 'False for a text that all languages show.', type: 'boolean' } }
    : {};
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

const TRANSFORM_DESCRIPTIONS: Readonly<Record<TransformedKind | 'track', string>> = {
  image: 'How the image fills its area.',
  video: 'How the clip fills its area, where it starts, and its volume.',
  audio: 'Where the sound starts, and its volume.',
  track: 'Where the sound starts, when it is heard, and how loud.',
};

/** Schema of the `transform` of an image, a sound, or a video: a clip, or an image that may be animated. */
function transformSchema(kind: TransformedKind | 'track', form: DefinitionForm): JsonSchema {
  const fields: Fields = kind === 'track' ? TRACK_FIELDS : TRANSFORM_FIELDS[kind];
  const rules = [
    ...fieldRules(fields),
    ...(kind === 'video' ? MOVEMENT_RULES : []),
    ...(kind === 'track' ? LEVEL_RULES : []),
  ];
  return {
    type: 'object',
    description: TRANSFORM_DESCRIPTIONS[kind],
    additionalProperties: false,
    properties: fieldSchemas(fields, form),
    ...defined({ allOf: rules.length === 0 ? undefined : rules }),
  };
}

const MOVES: JsonSchema = {
  required: ['animate_strategy'],
  properties: { animate_strategy: { not: { const: 'none' } } },
};

const MOVEMENT_RULES: readonly JsonSchema[] = [
  when({ allOf: [hasValue('crop_strategy', 'manual'), MOVES] }, refused('animate_strategy')),
  when({ not: MOVES }, refused('animate_speed')),
];

const LEVEL_RULES: readonly JsonSchema[] = [when({ required: ['level'] }, refused('volume'))];

/** Returns the schema of a kind with a slot. Editors also see a number as a YAML number. */
function slotSchema(kind: SlotKind, form: DefinitionForm): JsonSchema {
  const { pattern: text, editorMessage: message, isYamlNumber } = slotFacts(kind);
  const pattern = ` *${text} *`;
  if (form === 'video') return { type: 'string', pattern: `^${pattern}$`, patternErrorMessage: message };
  return {
    type: isYamlNumber ? ['number', 'string'] : 'string',
    errorMessage: message,
    pattern: `^(${pattern}|.*${PLACEHOLDER}.*)$`,
    patternErrorMessage: message,
  };
}
