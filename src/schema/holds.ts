import { isRecord } from '../is-record.ts';
import { EDITOR_KEYWORDS, type JsonSchema } from './json-schema.ts';

type Schema = JsonSchema | boolean;

/**
 * Whether a value is what a schema of ours says; never true where Ajv finds anything wrong. False also for a schema that
 * has a keyword which is not known here.
 *
 * @param named what its `$ref` refer to
 * @see https://json-schema.org/draft-07/json-schema-validation
 */
export function holds(schema: Schema, value: unknown, named: Readonly<Record<string, JsonSchema>> = {}): boolean {
  try {
    return isValid(schema, value, named);
  } catch (error) {
    if (error instanceof UnknownKeyword) return false;
    throw error;
  }
}

class UnknownKeyword extends Error {}

type Named = Readonly<Record<string, JsonSchema>>;
type Rule = (argument: never, value: unknown, named: Named, schema: JsonSchema) => boolean;

const always = (): boolean => true;

/** What is meant by a keyword; those that say something of other kinds of values hold for each. */
const RULES: Readonly<Record<string, Rule>> = {
  $ref: (name: string, value, named) => {
    if (!Object.hasOwn(named, name)) throw new UnknownKeyword();
    return isValid(named[name]!, value, named);
  },
  type: (types: string | readonly string[], value) =>
    typeof types === 'string' ? isOfType(types, value) : types.some((type) => isOfType(type, value)),
  const: (wanted: unknown, value) => isSame(wanted, value),
  enum: (wanted: readonly unknown[], value) => wanted.some((one) => isSame(one, value)),
  pattern: (pattern: string, value) => typeof value !== 'string' || expressionOf(pattern).test(value),
  minLength: (limit: number, value) => typeof value !== 'string' || lengthOf(value) >= limit,
  maxLength: (limit: number, value) => typeof value !== 'string' || lengthOf(value) <= limit,
  minimum: (limit: number, value) => !isNumber(value) || value >= limit,
  maximum: (limit: number, value) => !isNumber(value) || value <= limit,
  exclusiveMinimum: (limit: number, value) => !isNumber(value) || value > limit,
  multipleOf: (step: number, value) => !isNumber(value) || Number.isInteger(value / step),
  items: (items: Schema, value, named) => !Array.isArray(value) || value.every((one) => isValid(items, one, named)),
  minItems: (limit: number, value) => !Array.isArray(value) || value.length >= limit,
  required: (names: readonly string[], value) => !isRecord(value) || names.every((name) => isThere(value, name)),
  properties: (properties: Record<string, Schema>, value, named) =>
    !isRecord(value) ||
    Object.entries(properties).every(([name, one]) => !isThere(value, name) || isValid(one, value[name], named)),
  additionalProperties: (others: Schema, value, named, { properties = {} }) =>
    !isRecord(value) ||
    Object.keys(value).every((name) => Object.hasOwn(properties, name) || isValid(others, value[name], named)),
  maxProperties: (limit: number, value) => !isRecord(value) || Object.keys(value).length <= limit,
  propertyNames: (names: Schema, value, named) =>
    !isRecord(value) || Object.keys(value).every((name) => isValid(names, name, named)),
  allOf: (schemas: readonly Schema[], value, named) => schemas.every((one) => isValid(one, value, named)),
  anyOf: (schemas: readonly Schema[], value, named) => schemas.some((one) => isValid(one, value, named)),
  not: (schema: Schema, value, named) => !isValid(schema, value, named),
  if: (condition: Schema, value, named, schema) => {
    const consequence = isValid(condition, value, named) ? schema.then : schema.else;
    return consequence === undefined || isValid(consequence, value, named);
  },
  ...Object.fromEntries(
    // The last two are read with `if`.
    [
      '$schema',
      '$id',
      '$comment',
      'title',
      'description',
      'default',
      'examples',
      ...EDITOR_KEYWORDS,
      'then',
      'else',
    ].map((annotation) => [annotation, always]),
  ),
};

function isValid(schema: Schema, value: unknown, named: Named): boolean {
  if (typeof schema === 'boolean') return schema;
  let isWell = true;
  for (const [keyword, argument] of Object.entries(schema)) {
    if (argument === undefined) continue;
    const rule = Object.hasOwn(RULES, keyword) ? RULES[keyword] : undefined;
    if (rule === undefined) throw new UnknownKeyword();
    isWell &&= rule(argument as never, value, named, schema);
  }
  return isWell;
}

function isOfType(type: string, value: unknown): boolean {
  switch (type) {
    case 'object':
      return isRecord(value);
    case 'array':
      return Array.isArray(value);
    case 'number':
      return isNumber(value);
    case 'integer':
      return Number.isInteger(value);
    case 'null':
      return value === null;
    case 'string':
    case 'boolean':
      return typeof value === type;
    default:
      throw new UnknownKeyword();
  }
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

/** Whether it has a value of its own under this name. */
function isThere(value: Readonly<Record<string, unknown>>, name: string): boolean {
  return Object.hasOwn(value, name) && value[name] !== undefined;
}

function isSame(wanted: unknown, value: unknown): boolean {
  if (typeof wanted === 'object' && wanted !== null) throw new UnknownKeyword();
  return wanted === value;
}

/** In code points. */
function lengthOf(text: string): number {
  let length = text.length;
  for (let at = 0; at < text.length - 1; at++) {
    const isPair = (text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
    if (isPair) {
      length--;
      at++;
    }
  }
  return length;
}

const expressions = new Map<string, RegExp>();

function expressionOf(pattern: string): RegExp {
  const known = expressions.get(pattern) ?? new RegExp(pattern, 'u');
  expressions.set(pattern, known);
  return known;
}
