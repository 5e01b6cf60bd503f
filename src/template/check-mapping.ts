import { isRecord } from '../is-record.ts';
import { jsonPointer } from '../json-pointer.ts';
import { nearest } from '../nearest.ts';
import type { Editable, StyleVersion } from '../service/wire.ts';
import { checkTransform, type FieldProblem, type MappingProblemCode } from './check-transform.ts';
import { parseColor } from './color.ts';

/** One mistake in a mapping, as the service reports it. */
export interface MappingProblem {
  readonly code: MappingProblemCode;
  /** JSON pointer into the request. */
  readonly pointer: string;
  readonly editable: string;
  readonly detail: string;
}

/** Unicode code points of a text whose editable says no limit of its own. */
const MAX_TEXT = 2_000;
const RESOURCES = '#/mapping/resources';

/**
 * Holds a mapping's resources, which may be any JSON, against a specification and tells all that is wrong, in the
 * specification's order: what it finds nothing wrong with can be bound.
 */
export function checkMapping(resources: Readonly<Record<string, unknown>>, spec: StyleVersion): MappingProblem[] {
  const problems: MappingProblem[] = [];
  for (const [key, editable] of Object.entries(spec.editables)) {
    if (Object.hasOwn(resources, key)) {
      const pointer = `${RESOURCES}${jsonPointer([key])}`;
      for (const { at, ...problem } of checkEntry(resources[key], editable)) {
        problems.push({ ...problem, pointer: `${pointer}${at}`, editable: key });
      }
    } else if (editable.required !== false) {
      const detail = `${key} is not filled`;
      problems.push({ code: 'missing_editable', pointer: RESOURCES, editable: key, detail });
    }
  }
  const known = Object.keys(spec.editables);
  for (const key of Object.keys(resources)) {
    if (Object.hasOwn(spec.editables, key)) continue;
    const detail = `the template has no editable ${key}${didYouMean(key, known)}`;
    problems.push({ code: 'unknown_editable', pointer: `${RESOURCES}${jsonPointer([key])}`, editable: key, detail });
  }
  return problems;
}

/** The JSON pointer, as a URI fragment, of the source that fills an editable. */
export function sourcePointer(editable: string): string {
  return `${RESOURCES}${jsonPointer([editable])}/source/remote_url`;
}

function checkEntry(entry: unknown, editable: Editable): FieldProblem[] {
  const kind = editable.input_type;
  const isMedia = kind !== 'text' && kind !== 'color';
  const field = isMedia ? 'remote_url' : 'text';
  const value = isRecord(entry) && isRecord(entry.source) ? entry.source[field] : undefined;
  if (!isRecord(entry) || typeof value !== 'string') {
    const detail = `${isMedia ? `an editable of kind ${kind}` : `a ${kind}`} takes source.${field}`;
    return [{ code: 'wrong_kind', at: '', detail }];
  }
  return [
    ...unknownFields(entry, isMedia ? ['source', 'transform'] : ['source'], ''),
    ...unknownFields(entry.source as Record<string, unknown>, [field], '/source'),
    ...(isMedia ? checkUrl(value) : checkText(value, editable)),
    ...(isMedia ? checkTransform(entry.transform) : []),
  ];
}

function checkText(text: string, { input_type, max_length = MAX_TEXT }: Editable): FieldProblem[] {
  if (input_type === 'color') {
    if (parseColor(text) !== null) return [];
    const told = text.length > 40 ? `${text.slice(0, 39)}…` : text;
    return [{ code: 'invalid_color', at: '', detail: `${JSON.stringify(told)} is not 6 or 8 hexadecimal digits` }];
  }
  const length = [...text].length;
  return length <= max_length
    ? []
    : [{ code: 'text_too_long', at: '', detail: `${length} characters, at most ${max_length}` }];
}

/** Uploads are named by their digest; everything else is fetched. */
function checkUrl(text: string): FieldProblem[] {
  const invalid = (detail: string): FieldProblem[] => [{ code: 'invalid_url', at: '/source/remote_url', detail }];
  if (/^urn:sha256:[0-9a-f]{64}$/.test(text)) return [];
  if (text.length > 8_192) return invalid('the URL has more than 8192 characters');
  const url = /\s/.test(text) || !URL.canParse(text) ? null : new URL(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return invalid('a source is an http or https URL');
  if (url.username !== '' || url.password !== '') return invalid('the URL holds a user name or a password');
  return [];
}

function unknownFields(record: Record<string, unknown>, known: readonly string[], at: string): FieldProblem[] {
  return Object.keys(record)
    .filter((name) => !known.includes(name))
    .map((name) => ({
      code: 'unknown_property',
      at: `${at}${jsonPointer([name])}`,
      detail: `there is no field ${name}${didYouMean(name, known)}`,
    }));
}

function didYouMean(word: string, candidates: readonly string[]): string {
  const meant = nearest(word.slice(0, 200), candidates);
  return meant === null ? '' : `; did you mean ${meant}?`;
}
