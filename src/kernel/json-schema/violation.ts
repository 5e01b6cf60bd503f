import type { ErrorObject } from 'ajv';
import { present } from '../defined.ts';
import type { Code } from '../diagnostic.ts';
import { closestMatch, didYouMean } from '../hints.ts';
import { parseJsonPointer } from '../json.ts';
import type { JsonSchema } from './json-schema.ts';

/** A schema rule that a document violates. */
export interface Violation {
  readonly path: readonly string[];
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Value at the path. */
  readonly data: unknown;
  /** Schema that contains the keyword. */
  readonly schema: JsonSchema;
  /** True if the rule applies to the last name of the path rather than to its value. */
  readonly ofName: boolean;
}

/** Wording of a violation. */
export interface Description {
  readonly code: Code;
  readonly message: string;
  readonly hint?: string | undefined;
  /** Path to locate; by default that of the violation. */
  readonly path?: readonly string[];
  readonly part?: 'key' | 'value';
}

/** Converts the errors of Ajv, without errors that follow from another error. Requires the option `verbose`. */
export function violationsOf(errors: readonly ErrorObject[]): Violation[] {
  // Nearly every document.
  if (errors.length === 0) return [];
  const violations = errors
    .filter(({ keyword }) => keyword !== 'if' && keyword !== 'propertyNames')
    .map(({ instancePath, propertyName, keyword, params, data, parentSchema }) => ({
      keyword,
      params,
      data,
      schema: (parentSchema ?? {}) as JsonSchema,
      path: present([...parseJsonPointer(instancePath), propertyName]),
      ofName: propertyName !== undefined,
    }));
  // A misspelt field violates two rules: the wrong name is unknown and the right name is missing. Report the first.
  const misnamed = violations.filter(({ keyword }) => keyword === 'additionalProperties');
  const misnamedAt = new Set(misnamed.map(pathText));
  // At the top, only the property that is meant: `titel` for `title`, or `resource` for `resources` and all that is in it.
  const meant = new Set(misnamed.filter(({ path }) => path.length === 0).map(meantProperty));
  return violations.filter((violation) => {
    const { keyword, path, params } = violation;
    if (keyword !== 'required') return true;
    if (path.length >= 2) return !misnamedAt.has(pathText(violation));
    return !meant.has(path[0] ?? String(params.missingProperty));
  });
}

/** Returns the known property of which an unknown property is a misspelling, or null. */
function meantProperty(violation: Violation): string | null {
  return closestMatch(String(violation.params.additionalProperty), knownProperties(violation));
}

function knownProperties({ schema }: Pick<Violation, 'schema'>): string[] {
  return Object.keys(schema.properties ?? {});
}

function pathText({ path }: Pick<Violation, 'path'>): string {
  return JSON.stringify(path);
}

/** Describes the requirement of a keyword, to follow “must be”. */
function expectation(keyword: string, schema: JsonSchema): string {
  switch (keyword) {
    case 'enum':
      return (schema.enum ?? []).length === 1 ? shown(schema.enum![0]) : `one of ${(schema.enum ?? []).join(', ')}`;
    case 'const':
      return shown(schema.const);
    case 'pattern':
      return schema.patternErrorMessage?.replace(/^Must be /, '') ?? `a string that matches ${schema.pattern}`;
    case 'minLength':
    case 'maxLength':
      return schema.maxLength === undefined
        ? 'a text that is not empty'
        : `a text of ${schema.minLength ?? 0} to ${schema.maxLength} characters`;
    case 'multipleOf':
      return schema.multipleOf === 2 ? 'an even number' : `a multiple of ${schema.multipleOf}`;
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
      return `a number ${range(schema)}`;
    case 'minItems':
      return 'a list that is not empty';
    case 'minProperties':
      return schema.minProperties === 1
        ? 'a map that is not empty'
        : `a map with ${schema.minProperties} entries or more`;
    case 'maxProperties':
      return 'a map with fewer entries';
    default:
      return `${kinds(schema.type)}${schema.maximum === undefined ? '' : ` ${range(schema)}`}`;
  }
}

function range({ minimum, maximum, exclusiveMinimum }: JsonSchema): string {
  if (exclusiveMinimum !== undefined) return `greater than ${exclusiveMinimum}`;
  return maximum === undefined ? `of ${minimum} or more` : `from ${minimum} to ${maximum}`;
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  object: 'a map',
  array: 'a list',
};

function kinds(type: JsonSchema['type']): string {
  const names = (Array.isArray(type) ? type : [type]).map((type: string) => KINDS[type] ?? 'something else');
  return names.includes('a text') && !names.includes('a list') ? 'a text' : names.join(' or ');
}

/** Formats a value for a message: shortened, in quotes, without passwords. */
export function shown(value: unknown): string {
  if (value === null || value === undefined) return 'empty';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a map';
  if (typeof value !== 'string') return String(value);
  const text = value.replaceAll(/\/\/[^/\s]*@/g, '//…@');
  const characters = [...text];
  return JSON.stringify(characters.length > 60 ? `${characters.slice(0, 59).join('')}…` : text);
}

/** Error codes of a kind of document. */
export interface PropertyCodes {
  readonly invalid: Code;
  readonly missing: Code;
}

/**
 * Describes a violation in terms of the schema.
 *
 * @param name of the value, such as `concurrency` or `a definition`
 * @param advice returns a hint for a property that does not exist
 */
export function describeProperty(
  violation: Violation,
  name: string,
  codes: PropertyCodes,
  advice: (property: string, known: readonly string[]) => string | undefined = () => undefined,
): Description {
  const { path, keyword, params, data, schema } = violation;
  switch (keyword) {
    case 'additionalProperties': {
      const property = String(params.additionalProperty);
      const known = knownProperties(violation);
      const hint = advice(property, known) ?? didYouMean(property, known) ?? `It has ${known.join(', ')}`;
      const message = `${shown(property)} is not a property of ${name}`;
      return { code: 'unknown_property', message, hint, path: [...path, property], part: 'key' };
    }
    case 'required': {
      const property = String(params.missingProperty);
      const message = path.length > 0 ? `${name} has no ${property}` : `${property} is missing`;
      return { code: codes.missing, message, hint: `Add ${property}: …`, path: [...path, property], part: 'key' };
    }
    default: {
      const asked = expectation(keyword, schema);
      const hint = hintFor(violation);
      if (!violation.ofName) {
        const came = /(?:Properties|Items)$/.test(keyword) ? '' : `, not ${shown(data)}`;
        return { code: codes.invalid, message: `${name} must be ${asked}${came}`, hint };
      }
      return {
        code: codes.invalid,
        message: `The name ${shown(path.at(-1))} must be ${asked}`,
        hint: 'Rename it',
        part: 'key',
      };
    }
  }
}

function hintFor({ keyword, schema, data }: Violation): string | undefined {
  if (keyword === 'pattern' && typeof data === 'string' && schema.patternErrorMessage?.includes(' tag like ')) {
    const tag = usualTag(data);
    const isTag = new RegExp(schema.pattern!).test(tag);
    return isTag ? `Write ${tag}` : 'Write the letters of the language, then those of its script or region';
  }
  if (keyword === 'enum') return didYouMean(String(data), (schema.enum ?? []).map(String));
  if (keyword === 'type' && schema.type === 'object') {
    const known = Object.keys(schema.properties ?? {});
    return known.length > 0 ? `Write it as a map of ${known.join(', ')}` : 'Write it as a map, like { name: value }';
  }
  if (keyword === 'minProperties') {
    const left = Object.keys(schema.properties ?? {}).filter((known) => !Object.hasOwn(data as object, known));
    return left.length > 0 ? `Add ${left.join(' or ')}` : undefined;
  }
  // A template's folder without the ./ that distinguishes it from an id.
  const isFolder = keyword === 'pattern' && typeof data === 'string' && /^[^.:/][^:]*\/[^:]*$/.test(data);
  return isFolder ? `Write ./${data}` : undefined;
}

/**
 * Returns a language tag in its usual spelling: `de-AT` for `de_at`.
 *
 * @see RFC 5646, section 2.1.1
 */
function usualTag(text: string): string {
  const [language = '', ...rest] = text.trim().toLowerCase().split(/[-_]/);
  const parts = rest.map((part) => {
    if (part.length === 2) return part.toUpperCase();
    return part.length === 4 ? part.charAt(0).toUpperCase() + part.slice(1) : part;
  });
  return [language, ...parts].join('-');
}
