import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../json.ts';
import type { JsonSchema } from './json-schema.ts';

/** Schemas by the name by which `$ref` references them. */
export type NamedSchemas = Readonly<Record<string, JsonSchema>>;

/** Returns whether a value satisfies a schema. */
type Predicate = (value: unknown) => boolean;

/** Returns the predicate of a schema within another one, or of a named schema. */
type Inner = (schema: JsonSchema | boolean) => Predicate;

/** Creates the predicate of a keyword, which accepts a value of another type than the keyword is about. Null if another rule does it. */
type Rule = (schema: JsonSchema, inner: Inner, refer: (name: string) => Predicate) => Predicate | null;

/**
 * Returns a function that says whether a value satisfies a schema. Each part of the schema becomes a closure when a value first reaches
 * it: what Ajv does takes a hundred times as long as most documents are worth. Only Ajv reports what is wrong with a value, and a
 * test compares both.
 *
 * @param schema its references are names of other schemas
 * @returns throws an Error for an unknown keyword or name
 */
export function predicateOf(schema: JsonSchema | boolean, named: NamedSchemas = {}): Predicate {
  const predicates = new Map<string, Predicate>();
  const refer = (name: string): Predicate => {
    const known = predicates.get(name);
    if (known !== undefined) return known;
    if (!Object.hasOwn(named, name)) throw new Error(`Internal error: unknown schema ${name}`);
    const created = inner(named[name]!);
    predicates.set(name, created);
    return created;
  };
  const inner: Inner = (part) => {
    if (typeof part === 'boolean') return () => part;
    let rules: Predicate[] | null = null;
    return (value) => {
      rules ??= Object.keys(part).flatMap((keyword) => {
        if (!Object.hasOwn(RULES, keyword)) throw new Error(`Internal error: unknown keyword ${keyword}`);
        return RULES[keyword as keyof JsonSchema]?.(part, inner, refer) ?? [];
      });
      // Without an iterator: a plan checks a hundred parts of each video.
      for (let index = 0; index < rules.length; index++) if (!rules[index]!(value)) return false;
      return true;
    };
  };
  return inner(schema);
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
  $ref: ({ $ref }, _inner, refer) => refer($ref!),
  type({ type }) {
    if (typeof type === 'string') return typePredicate(type);
    const types = type!.map(typePredicate);
    return (value) => types.some((isOf) => isOf(value));
  },
  const: (schema) => (value) => isEqual(value, schema.const),
  enum: (schema) => (value) => schema.enum!.some((allowed) => isEqual(value, allowed)),
  pattern({ pattern }) {
    const expression = new RegExp(pattern!, 'u');
    return (value) => typeof value !== 'string' || expression.test(value);
  },
  // A code point has one or two code units.
  minLength({ minLength }) {
    return (value) => typeof value !== 'string' || value.length >= 2 * minLength! || [...value].length >= minLength!;
  },
  maxLength({ maxLength }) {
    return (value) => typeof value !== 'string' || value.length <= maxLength! || [...value].length <= maxLength!;
  },
  minimum: ofNumbers(
    ({ minimum }) =>
      (value) =>
        value >= minimum!,
  ),
  maximum: ofNumbers(
    ({ maximum }) =>
      (value) =>
        value <= maximum!,
  ),
  exclusiveMinimum: ofNumbers(
    ({ exclusiveMinimum }) =>
      (value) =>
        value > exclusiveMinimum!,
  ),
  multipleOf: ofNumbers(
    ({ multipleOf }) =>
      (value) =>
        isWhole(value / multipleOf!),
  ),
  items({ items }, inner) {
    const isItem = inner(items!);
    return (value) => !Array.isArray(value) || value.every((item) => isItem(item));
  },
  minItems:
    ({ minItems }) =>
    (value) =>
      !Array.isArray(value) || value.length >= minItems!,
  maxItems:
    ({ maxItems }) =>
    (value) =>
      !Array.isArray(value) || value.length <= maxItems!,
  minProperties:
    ({ minProperties }) =>
    (value) =>
      !isRecord(value) || Object.keys(value).length >= minProperties!,
  maxProperties:
    ({ maxProperties }) =>
    (value) =>
      !isRecord(value) || Object.keys(value).length <= maxProperties!,
  required:
    ({ required }) =>
    (value) =>
      !isRecord(value) || required!.every((name) => Object.hasOwn(value, name)),
  propertyNames({ propertyNames }, inner) {
    const isName = inner(propertyNames!);
    return (value) => !isRecord(value) || Object.keys(value).every((name) => isName(name));
  },
  properties({ properties, additionalProperties }, inner) {
    const byName = new Map(Object.entries(properties!).map(([name, property]) => [name, inner(property)]));
    const isAdditional = inner(additionalProperties ?? true);
    return (value) =>
      !isRecord(value) || Object.keys(value).every((name) => (byName.get(name) ?? isAdditional)(value[name]));
  },
  additionalProperties({ properties, additionalProperties }, inner) {
    if (properties !== undefined) return null;
    const isAdditional = inner(additionalProperties!);
    return (value) => !isRecord(value) || Object.keys(value).every((name) => isAdditional(value[name]));
  },
  allOf({ allOf }, inner) {
    const all = allOf!.map(inner);
    return (value) => all.every((satisfies) => satisfies(value));
  },
  anyOf({ anyOf }, inner) {
    const all = anyOf!.map(inner);
    return (value) => all.some((satisfies) => satisfies(value));
  },
  not({ not }, inner) {
    const isRefused = inner(not!);
    return (value) => !isRefused(value);
  },
  if(schema, inner) {
    const condition = inner(schema.if!);
    const [consequence, otherwise] = [inner(schema.then ?? true), inner(schema.else ?? true)];
    return (value) => (condition(value) ? consequence(value) : otherwise(value));
  },
};

function ofNumbers(limit: (schema: JsonSchema) => (value: number) => boolean): Rule {
  return (schema) => {
    const isWithin = limit(schema);
    return (value) => !isNumber(value) || isWithin(value);
  };
}

function typePredicate(type: string): Predicate {
  switch (type) {
    case 'null':
      return (value) => value === null;
    case 'integer':
      return (value) => Number.isInteger(value);
    case 'number':
      return isNumber;
    case 'array':
      return (value) => Array.isArray(value);
    case 'object':
      return isRecord;
    default:
      // `string` or `boolean`.
      return (value) => typeof value === type;
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
