import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../json.ts';
import type { JsonSchema } from './json-schema.ts';

/** Schemas by the name by which `$ref` references them. */
export type NamedSchemas = Readonly<Record<string, JsonSchema>>;

/** Accepts a value of another type than the keyword is about. */
type Rule = (value: unknown, schema: JsonSchema, named: NamedSchemas) => boolean;

/**
 * Returns whether a value satisfies a schema, without compiling it: that takes a hundred times as long as most documents are worth. Only
 * Ajv reports what is wrong with a value, and a test compares both.
 *
 * @param schema its references are names of other schemas
 * @throws Error for an unknown keyword or name
 */
export function satisfies(value: unknown, schema: JsonSchema | boolean, named: NamedSchemas = {}): boolean {
  if (typeof schema === 'boolean') return schema;
  return Object.keys(schema).every((keyword) => {
    if (!Object.hasOwn(RULES, keyword)) throw new Error(`Internal error: unknown keyword ${keyword}`);
    const rule = RULES[keyword as keyof JsonSchema];
    return rule === null || rule(value, schema, named);
  });
}

/** Null for an annotation, and for a keyword that the rule of another one reads. */
const RULES: Readonly<Record<keyof JsonSchema, Rule | null>> = {
  $schema: null,
  $comment: null,
  title: null,
  description: null,
  markdownDescription: null,
  default: null,
  examples: null,
  defaultSnippets: null,
  patternErrorMessage: null,
  errorMessage: null,
  definitions: null,
  // biome-ignore lint/suspicious/noThenProperty: the name of the keyword; the table is never awaited
  then: null,
  else: null,
  $ref: (value, { $ref }, named) => {
    if (!Object.hasOwn(named, $ref!)) throw new Error(`Internal error: unknown schema ${$ref}`);
    return satisfies(value, named[$ref!]!, named);
  },
  type: (value, { type }) => (typeof type === 'string' ? isOf(type, value) : type!.some((one) => isOf(one, value))),
  const: (value, schema) => isEqual(value, schema.const),
  enum: (value, schema) => schema.enum!.some((one) => isEqual(value, one)),
  pattern: (value, { pattern }) => typeof value !== 'string' || expressionOf(pattern!).test(value),
  minLength: (value, { minLength }) => typeof value !== 'string' || [...value].length >= minLength!,
  maxLength: (value, { maxLength }) => typeof value !== 'string' || [...value].length <= maxLength!,
  minimum: (value, { minimum }) => !isNumber(value) || value >= minimum!,
  maximum: (value, { maximum }) => !isNumber(value) || value <= maximum!,
  exclusiveMinimum: (value, { exclusiveMinimum }) => !isNumber(value) || value > exclusiveMinimum!,
  multipleOf: (value, { multipleOf }) => !isNumber(value) || isWhole(value / multipleOf!),
  items: (value, { items }, named) => !Array.isArray(value) || value.every((item) => satisfies(item, items!, named)),
  minItems: (value, { minItems }) => !Array.isArray(value) || value.length >= minItems!,
  maxItems: (value, { maxItems }) => !Array.isArray(value) || value.length <= maxItems!,
  minProperties: (value, { minProperties }) => !isRecord(value) || Object.keys(value).length >= minProperties!,
  maxProperties: (value, { maxProperties }) => !isRecord(value) || Object.keys(value).length <= maxProperties!,
  required: (value, { required }) => !isRecord(value) || required!.every((name) => Object.hasOwn(value, name)),
  propertyNames: (value, { propertyNames }, named) =>
    !isRecord(value) || Object.keys(value).every((name) => satisfies(name, propertyNames!, named)),
  properties: (value, { properties }, named) =>
    !isRecord(value) ||
    Object.keys(value).every(
      (name) => !Object.hasOwn(properties!, name) || satisfies(value[name], properties![name]!, named),
    ),
  additionalProperties: (value, { properties = {}, additionalProperties }, named) =>
    !isRecord(value) ||
    Object.keys(value).every(
      (name) => Object.hasOwn(properties, name) || satisfies(value[name], additionalProperties!, named),
    ),
  allOf: (value, { allOf }, named) => allOf!.every((schema) => satisfies(value, schema, named)),
  anyOf: (value, { anyOf }, named) => anyOf!.some((schema) => satisfies(value, schema, named)),
  not: (value, { not }, named) => !satisfies(value, not!, named),
  if: (value, schema, named) =>
    satisfies(value, (satisfies(value, schema.if!, named) ? schema.then : schema.else) ?? true, named),
};

function isOf(type: string, value: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'integer':
      return Number.isInteger(value);
    case 'number':
      return isNumber(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isRecord(value);
    default:
      // `string` or `boolean`.
      return typeof value === type;
  }
}

/** JSON has no other numbers. */
function isNumber(value: unknown): value is number {
  return Number.isFinite(value);
}

/** Refuses numbers of more than 21 digits, as Ajv does. */
function isWhole(value: number): boolean {
  return Number.parseInt(String(value), 10) === value;
}

function isEqual(value: unknown, other: unknown): boolean {
  // Zero has no sign in JSON.
  return value === other || (typeof other === 'object' && isDeepStrictEqual(value, other));
}

const expressions = new Map<string, RegExp>();

function expressionOf(pattern: string): RegExp {
  const known = expressions.get(pattern);
  if (known !== undefined) return known;
  const created = new RegExp(pattern, 'u');
  expressions.set(pattern, created);
  return created;
}
