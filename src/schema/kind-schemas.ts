import { sha256 } from '../digest.ts';
import type { Editable } from '../wire/style-version.ts';
import { type JsonSchema, when } from './json-schema.ts';
import { audioTransformSchema, clipTransformSchema, imageTransformSchema } from './transform-schemas.ts';
import { colorSchema, type DefinitionForm, PLACEHOLDER, textSchema } from './value-schemas.ts';

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
    case 'image':
      return shortOrFull(mediaSchema(), 'remote_url', { transform: imageTransformSchema(form) });
    case 'video':
      return shortOrFull(mediaSchema(), 'remote_url', { transform: clipTransformSchema(form) });
    case 'audio':
      return soundSchema(form);
    case 'font':
      return fontSchema(form, editable.allowed_fonts);
    default:
      return { not: {}, description: 'This version of reelform cannot fill it.' };
  }
}

/** A sound: its source alone, its source with the fields of its transform beside it, or the interface's full form. */
export function soundSchema(form: DefinitionForm): JsonSchema {
  const transform = audioTransformSchema(form);
  const full: JsonSchema = { additionalProperties: false, properties: { source: mediaSourceSchema(), transform } };
  const beside: JsonSchema = {
    additionalProperties: false,
    properties: {
      source: { description: SOURCE, ...mediaSchema() },
      ...transform.properties,
    },
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

/** @param allowed the names that it can have; any where it is absent */
export function fontSchema(form: DefinitionForm, allowed?: readonly string[]): JsonSchema {
  const name: JsonSchema = { type: 'string', minLength: 1, ...(allowed === undefined ? {} : { enum: allowed }) };
  // Which font a placeholder names, its row decides.
  const isFilledIn: JsonSchema = { type: 'string', pattern: PLACEHOLDER };
  return shortOrFull(form === 'video' || allowed === undefined ? name : when(isFilledIn, {}, name), 'font');
}

/** Whether a definition can fill the editable at all. */
export function isFillable(editable: Editable): boolean {
  return ['text', 'color', 'image', 'video', 'font', 'audio'].includes(editable.input_type);
}

function shortOrFull(
  value: JsonSchema,
  field: 'text' | 'remote_url' | 'font',
  more: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema {
  const full: JsonSchema = {
    type: 'object',
    additionalProperties: false,
    required: ['source'],
    properties: { source: field === 'remote_url' ? mediaSourceSchema() : sourceSchema(value, field), ...more },
  };
  return when({ type: 'object' }, full, value);
}

const SOURCE = 'A file of the repository, or an http(s) URL.';

/** The source of a file in the full form: its path or URL, or the interface's map. */
function mediaSourceSchema(): JsonSchema {
  return { description: SOURCE, ...when({ type: 'object' }, sourceSchema(mediaSchema(), 'remote_url'), mediaSchema()) };
}

function sourceSchema(value: JsonSchema, field: string): JsonSchema {
  return { type: 'object', additionalProperties: false, required: [field], properties: { [field]: value } };
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
