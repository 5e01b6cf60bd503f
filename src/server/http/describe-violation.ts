import { closestMatch } from '../../hints.ts';
import { jsonPointer } from '../../json.ts';
import type { Violation } from '../../schema/violation.ts';
import type { RequestProblem } from '../../wire/problem.ts';

/** Which part of a request was checked. */
export type RequestPart = 'body' | 'querystring';

/** Without those of a value that may also be null: that it is not null is no news, nor that it is none of the two. */
export function withoutNullable(violations: readonly Violation[]): readonly Violation[] {
  const among = (path: readonly string[], each: Violation): boolean => path.every((part, at) => each.path[at] === part);
  const isOfNull = ({ keyword, schema }: Violation): boolean => keyword === 'type' && schema.type === 'null';
  return violations.filter((violation) => {
    if (violation.keyword !== 'anyOf' && !isOfNull(violation)) return true;
    return !violations.some((each) => each.keyword !== 'anyOf' && !isOfNull(each) && among(violation.path, each));
  });
}

/** One broken rule of a request's schema, in words for whoever wrote the client. */
export function describeViolation(violation: Violation, part: RequestPart): RequestProblem {
  const { path, keyword, params, schema } = violation;
  const name = path.length === 0 ? (part === 'body' ? 'the body' : 'the query') : path.join('.');
  switch (keyword) {
    case 'additionalProperties': {
      const field = String(params.additionalProperty);
      const meant = closestMatch(field, Object.keys(schema.properties ?? {}));
      const hint = meant === null ? '' : `; did you mean ${meant}?`;
      const detail = `${name} has no ${part === 'body' ? 'field' : 'parameter'} ${quoted(field)}${hint}`;
      return { code: 'unknown_field', pointer: pointerTo(field.length > 100 ? path : [...path, field], part), detail };
    }
    case 'required':
      return {
        code: 'missing_field',
        pointer: pointerTo(path, part),
        detail: `${[...path, String(params.missingProperty)].join('.')} is missing`,
      };
    case 'type':
      return {
        code: 'wrong_type',
        pointer: pointerTo(path, part),
        detail: `${name} has to be ${kindsOf(schema.type)}, not ${kindOf(violation.data)}`,
      };
    default:
      return {
        code: 'invalid_value',
        pointer: pointerTo(path, part),
        detail: `${name} has to be ${wanted(violation)}`,
      };
  }
}

function wanted({ keyword, schema, data }: Violation): string {
  switch (keyword) {
    case 'enum': {
      const values = (schema.enum ?? []).map(String);
      const meant = typeof data === 'string' ? closestMatch(data, values) : null;
      const one = values.length === 1 ? values[0]! : `one of ${values.join(', ')}`;
      return meant === null || values.length === 1 ? one : `${one}; did you mean ${meant}?`;
    }
    case 'minLength':
    case 'maxLength':
      return `${schema.minLength ?? 0} to ${schema.maxLength ?? 'any number of'} characters long`;
    case 'minItems':
    case 'maxItems':
      return `a list of ${schema.minItems ?? 0} to ${schema.maxItems ?? 'any number of'} entries`;
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
      return schema.maximum === undefined
        ? `${schema.minimum ?? `more than ${schema.exclusiveMinimum}`}${schema.minimum === undefined ? '' : ' or more'}`
        : `from ${schema.minimum ?? schema.exclusiveMinimum} to ${schema.maximum}`;
    case 'pattern':
      return `a text like ${schema.pattern}`;
    default:
      return `as its schema says (${keyword})`;
  }
}

const KINDS: Readonly<Record<string, string>> = {
  object: 'an object',
  array: 'an array',
  string: 'a string',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  null: 'null',
};

function kindsOf(type: Violation['schema']['type']): string {
  const names = typeof type === 'string' ? [type] : (type ?? []);
  return names.map((name) => KINDS[name] ?? name).join(' or ');
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'boolean') return String(value);
  return KINDS[typeof value] ?? typeof value;
}

/** Names come from strangers: short, and nothing that a terminal would obey. */
function quoted(name: string): string {
  return JSON.stringify(name.length > 60 ? `${name.slice(0, 59)}…` : name);
}

/** @returns a JSON pointer into the body as a URI fragment, or `?name` for a parameter of the query */
function pointerTo(path: readonly string[], part: RequestPart): string {
  if (part === 'querystring') return `?${path.join('.')}`;
  return `#${jsonPointer(path)}`;
}
