import { nearest } from '../nearest.ts';
import type { Editable, StyleVersion } from '../service/wire.ts';
import type { NamedSpec } from './definition-schema.ts';
import { describeProperty, type PropertyCodes } from './describe-property.ts';
import { exampleOf } from './editable-docs.ts';
import { shown } from './expectation.ts';
import type { Description, Violation } from './violation.ts';

/** A violation below `resources` in the words of the template; `null` where it is none, or the general words will do. */
export function describeResource(violation: Violation, template: NamedSpec, codes: PropertyCodes): Description | null {
  const { path, keyword, params } = violation;
  if (path[0] !== 'resources') return null;
  if (path.length === 1) {
    if (keyword === 'additionalProperties') return unknownEditable(String(params.additionalProperty), template);
    if (keyword === 'required') return missingEditable(String(params.missingProperty), template.spec);
    return null;
  }
  const key = path[1]!;
  const editable = template.spec.editables[key]!;
  const name = nameOf(key, editable);
  const inside = path.slice(2).join('.');
  return (
    describeValue(violation, name, editable) ??
    describeProperty(violation, inside === '' ? name : `${inside} of ${name}`, codes)
  );
}

/** `t_01 (Headline)` */
function nameOf(key: string, { label }: Editable): string {
  return label === undefined ? key : `${key} (${label})`;
}

function unknownEditable(key: string, { name, spec }: NamedSpec): Description {
  const editables = Object.entries(spec.editables);
  const names = editables.flatMap(([known, { label }]) => (label === undefined ? [known] : [known, label]));
  const meant = nearest(key, names);
  const found = editables.find(([known, { label }]) => known === meant || label === meant);
  const hint =
    found === undefined
      ? `It has ${editables.map(([known]) => known).join(', ')}`
      : `Did you mean ${nameOf(...found)}?`;
  return {
    code: 'unknown_editable',
    message: `The template ${name} has no editable ${shown(key)}`,
    hint,
    path: ['resources', key],
    part: 'key',
  };
}

function missingEditable(key: string, { editables }: StyleVersion): Description {
  const editable = editables[key]!;
  const value = exampleOf(editable)[0];
  const hint = `Add ${key}: ${value === undefined ? '…' : editable.input_type === 'color' ? shown(value) : value}`;
  return { code: 'missing_editable', message: `${nameOf(key, editable)} is not filled`, hint, part: 'key' };
}

const KINDS: Readonly<Record<string, string>> = {
  text: 'a text',
  color: 'a colour',
  image: 'an image',
  video: 'a video',
  font: 'a font',
  audio: 'a sound',
};

function describeValue(violation: Violation, name: string, editable: Editable): Description | null {
  const { path, keyword, params, data, schema } = violation;
  const kind = KINDS[editable.input_type] ?? 'of an unknown kind';
  const field = path.length > 2 ? path.at(-1) : undefined;
  const isSource = path.length === 2 || field === 'text' || field === 'remote_url';
  const wrong = (message: string, hint?: string): Description => ({ code: 'wrong_kind', message, hint });
  switch (keyword) {
    case 'not':
      return wrong(`${name} is ${kind}, which this version of reelform cannot fill`, 'Remove it');
    case 'type': {
      if (!isSource) return null;
      const hint = `Write ${kind}${example(editable)}`;
      return data === null
        ? wrong(`${name} has no value`, hint)
        : wrong(`${name} takes ${kind}, not ${shown(data)}`, hint);
    }
    case 'minLength':
      return wrong(`${name} has no value`, `Write ${kind}${example(editable)}`);
    case 'pattern':
      if (field === 'background') return invalidColor(`background of ${name}`, data);
      return editable.input_type === 'color' ? invalidColor(name, data) : invalidSource(name, data);
    case 'maxLength':
      return tooLong(name, [...String(data)].length, schema.maxLength ?? 0);
    case 'additionalProperties': {
      if (field !== 'source') return null;
      const came = String(params.additionalProperty);
      const takes = Object.keys(schema.properties ?? {}).join();
      const hint = `Write ${takes} instead of ${came}`;
      return {
        ...wrong(`${name} is ${kind}: its source has ${takes}, not ${shown(came)}`, hint),
        path: [...path, came],
        part: 'key',
      };
    }
    case 'false schema':
      return transformField(name, field ?? '');
    default:
      return null;
  }
}

function example(editable: Editable): string {
  const value = exampleOf(editable)[0];
  return value === undefined ? '' : `, like ${shown(value)}`;
}

function invalidColor(name: string, data: unknown): Description {
  const message = `${name} takes a colour of 6 or 8 hexadecimal digits, not ${shown(data)}`;
  return { code: 'invalid_color', message, hint: 'Write it like "#EEADA7", in quotes' };
}

function invalidSource(name: string, data: unknown): Description {
  const message = `${name} takes a path or an http(s) URL, not ${shown(data)}`;
  return { code: 'invalid_url', message, hint: 'Write https://…, or the path of a file in the repository' };
}

function tooLong(name: string, length: number, limit: number): Description {
  const message = `${name} takes at most ${limit} characters, not ${length}`;
  return { code: 'text_too_long', message, hint: `Shorten it by ${length - limit}` };
}

function transformField(name: string, field: string): Description {
  const strategy = field.startsWith('crop_') ? 'manual' : field.startsWith('focus_') ? 'cover' : 'contain';
  const message = `${name}: ${field} goes with crop_strategy ${strategy} alone`;
  return {
    code: 'definition_invalid',
    message,
    hint: `Remove ${field}, or write crop_strategy: ${strategy}`,
    part: 'key',
  };
}
