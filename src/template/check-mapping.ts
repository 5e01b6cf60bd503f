import { nearest } from '../nearest.ts';
import type { Editable, Resource, StyleVersion } from '../service/wire.ts';
import { parseColor } from './color.ts';

/** One mistake in a mapping, as the service reports it. */
export interface MappingProblem {
  readonly code: 'unknown_editable' | 'missing_editable' | 'wrong_kind' | 'invalid_color' | 'text_too_long';
  /** JSON pointer into the request. */
  readonly pointer: string;
  readonly editable: string;
  readonly detail: string;
}

/** Holds a mapping's resources against a specification and tells all that is wrong, in the specification's order. */
export function checkMapping(resources: Readonly<Record<string, Resource>>, spec: StyleVersion): MappingProblem[] {
  const problems: MappingProblem[] = [];
  for (const [key, editable] of Object.entries(spec.editables)) {
    if (!Object.hasOwn(resources, key)) {
      if (editable.required === false) continue;
      problems.push({
        code: 'missing_editable',
        pointer: '#/mapping/resources',
        editable: key,
        detail: `${key} is not filled`,
      });
      continue;
    }
    const problem = checkResource(resources[key]!, editable);
    if (problem !== null)
      problems.push({ ...problem, pointer: `#/mapping/resources/${escapePointer(key)}`, editable: key });
  }
  const known = Object.keys(spec.editables);
  for (const key of Object.keys(resources)) {
    if (Object.hasOwn(spec.editables, key)) continue;
    const meant = nearest(key, known);
    const detail = `the template has no editable ${key}${meant === null ? '' : `; did you mean ${meant}?`}`;
    problems.push({
      code: 'unknown_editable',
      pointer: `#/mapping/resources/${escapePointer(key)}`,
      editable: key,
      detail,
    });
  }
  return problems;
}

function checkResource(resource: Resource, editable: Editable): Pick<MappingProblem, 'code' | 'detail'> | null {
  const source: { text?: unknown; remote_url?: unknown } = resource.source;
  if (editable.input_type === 'text' || editable.input_type === 'color') {
    const { text } = source;
    if (typeof text !== 'string') return { code: 'wrong_kind', detail: `a ${editable.input_type} takes source.text` };
    if (editable.input_type === 'color' && parseColor(text) === null) {
      return { code: 'invalid_color', detail: `${JSON.stringify(text)} is not 6 or 8 hexadecimal digits` };
    }
    const length = [...text].length;
    if (editable.max_length !== undefined && length > editable.max_length) {
      return { code: 'text_too_long', detail: `${length} characters, at most ${editable.max_length}` };
    }
    return null;
  }
  return typeof source.remote_url === 'string'
    ? null
    : { code: 'wrong_kind', detail: `an editable of kind ${editable.input_type} takes source.remote_url` };
}

/** @see RFC 6901, section 3 */
function escapePointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
