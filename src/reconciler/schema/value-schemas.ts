import { type Field, type Fields, LANGUAGE_TAG, type NumberField, type Relation } from '../../contract/fields/field.ts';
import { MAX_TRACKS, TRACK_NAME } from '../../contract/wire/mapping.ts';
import { defined } from '../../kernel/defined.ts';
import { type JsonSchema, when } from '../../kernel/json-schema/json-schema.ts';

/**
 * `file`: a definition as written, where `${column}` may replace any text, and numbers are accepted as texts. `video`: a
 * definition after merging and filling in, where all texts are strings.
 */
export type DefinitionForm = 'file' | 'video';

/** Pattern of texts that a row fills in. */
export const PLACEHOLDER = '\\$\\{';

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
export function colorSchema(form: DefinitionForm): JsonSchema {
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

function integers(minimum: number, maximum: number): JsonSchema {
  return { minimum, maximum, multipleOf: 1 };
}

/** Returns the schema of an id or a segment of an id, with the rules of `parseVideoId`. Accepts any text with a placeholder. */
export function videoIdSchema(): JsonSchema {
  const segment = '(?!\\.{1,2}(/|$))[A-Za-z0-9._-]+';
  return {
    ...textSchema('file'),
    pattern: `^((?=.{1,200}$)${segment}(/${segment})*|.*${PLACEHOLDER}.*)$`,
    patternErrorMessage:
      'An id may contain letters A–Z, digits, ".", "_" and "-", with "/" between segments; at most 200 characters',
  };
}

/** Returns the schema of a condition of a scene, a video, a track or an optional value. */
export function conditionSchema(description: string): JsonSchema {
  return { description, type: ['string', 'boolean', 'number', 'object'], examples: ['${offer}'] };
}

/** Returns the schemas of the fields of a table. Fields of a group are in a map of their own, which requires the first of them. */
export function fieldSchemas(fields: Fields, form: DefinitionForm): Record<string, JsonSchema> {
  const schemas: Record<string, JsonSchema> = {};
  const groups = new Map<string, Fields>();
  for (const [name, field] of Object.entries(fields)) {
    const { group, description } = field;
    if (group === undefined) schemas[name] = { description, ...fieldSchema(field, form) };
    else {
      const { group: _group, onlyWith: _onlyWith, ...inGroup } = field;
      groups.set(group, { ...groups.get(group), [name.slice(group.length + 1)]: inGroup });
    }
  }
  for (const [group, members] of groups) {
    schemas[group] = {
      type: 'object',
      description: GROUP_DESCRIPTIONS[group]!,
      additionalProperties: false,
      required: Object.keys(members).slice(0, 1),
      properties: fieldSchemas(members, form),
    };
  }
  return schemas;
}

const GROUP_DESCRIPTIONS: Readonly<Record<string, string>> = {
  duck: 'Lowers the track while other tracks speak.',
};

function fieldSchema(field: Field, form: DefinitionForm): JsonSchema {
  switch (field.kind) {
    case 'number':
      return numberSchema(form, limitsOf(field));
    case 'choice':
      return { enum: field.values, ...defined({ default: field.isProposed ? field.default : undefined }) };
    case 'boolean':
      return booleanSchema(form);
    case 'names': {
      const name: JsonSchema = { type: 'string', pattern: form === 'video' ? TRACK_NAME.source : '.' };
      const list: JsonSchema = { type: 'array', items: name, minItems: 1, maxItems: MAX_TRACKS };
      return when({ type: 'array' }, list, name);
    }
    case 'text':
      return { type: 'string', minLength: 1, maxLength: field.maxLength };
    case 'language':
      return languageSchema(form);
    case 'color':
      return colorSchema(form);
  }
}

/** Returns the schema of a BCP 47 tag. */
export function languageSchema(form: DefinitionForm): JsonSchema {
  if (form === 'file') return { type: 'string', examples: ['en', 'pt-BR', 'ja'] };
  return {
    type: 'string',
    pattern: LANGUAGE_TAG.source,
    patternErrorMessage: 'Must be a BCP 47 tag like en, pt-BR or zh-Hant',
  };
}

function limitsOf({ min, above, max, multipleOf }: NumberField): JsonSchema {
  return defined({ minimum: min, exclusiveMinimum: above, maximum: max, multipleOf });
}

/** Returns the rules for fields that may be used only with a value of another field. */
export function fieldRules(fields: Fields): JsonSchema[] {
  const groups = new Map<string, { readonly relation: ValueRelation; readonly names: string[] }>();
  for (const [name, { onlyWith }] of Object.entries(fields)) {
    if (onlyWith?.value === undefined) continue;
    const key = `${onlyWith.field}=${onlyWith.value}`;
    const group = groups.get(key) ?? { relation: { ...onlyWith, value: onlyWith.value }, names: [] };
    group.names.push(name);
    groups.set(key, group);
  }
  return [...groups.values()].flatMap(({ relation, names }) => {
    const required = names.filter((name) => fields[name]!.onlyWith!.isRequired);
    return [
      ...(required.length === 0 ? [] : [when(hasValue(relation.field, relation.value), { required })]),
      when(isUnmet(relation, fields), refused(...names)),
    ];
  });
}

/** A relation to a value. A field that needs any value of another is in a group with it. */
type ValueRelation = Relation & { readonly value: string };

/** Matches objects in which the other field has a different value, or a different default. */
function isUnmet({ field, value, isImplied }: ValueRelation, fields: Fields): JsonSchema {
  const choice = fields[field]!;
  const values = choice.kind === 'choice' ? choice.values.filter((known) => known !== value) : [];
  const properties = { [field]: { enum: values } };
  if (isImplied !== true && choice.default !== value) return { properties };
  return values.length === 1 ? hasValue(field, values[0]!) : { properties, required: [field] };
}

/** Matches objects with this value of a field. */
export function hasValue(field: string, value: string): JsonSchema {
  return { required: [field], properties: { [field]: { const: value } } };
}

/** Refuses all values of the fields. */
export function refused(...fields: readonly string[]): JsonSchema {
  return { properties: Object.fromEntries(fields.map((field) => [field, false])) };
}
