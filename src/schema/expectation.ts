import type { JsonSchema } from './json-schema.ts';

/** What the broken keyword asks for, to follow “must be”. */
export function expectation(keyword: string, schema: JsonSchema): string {
  switch (keyword) {
    case 'enum':
      return (schema.enum ?? []).length === 1 ? shown(schema.enum![0]) : `one of ${(schema.enum ?? []).join(', ')}`;
    case 'const':
      return shown(schema.const);
    case 'pattern':
      return schema.patternErrorMessage?.replace(/^Must be /, '') ?? `a text like ${schema.pattern}`;
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
  const names = (Array.isArray(type) ? type : [type]).map((one: string) => KINDS[one] ?? 'something else');
  return names.includes('a text') && !names.includes('a list') ? 'a text' : names.join(' or ');
}

/** A value of the user's as it stands in a message: short, in quotes, without passwords. */
export function shown(value: unknown): string {
  if (value === null || value === undefined) return 'empty';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a map';
  if (typeof value !== 'string') return String(value);
  const text = value.replaceAll(/\/\/[^/\s]*@/g, '//…@');
  const characters = [...text];
  return JSON.stringify(characters.length > 60 ? `${characters.slice(0, 59).join('')}…` : text);
}
