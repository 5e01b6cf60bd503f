import { isRecord } from '../is-record.ts';
import { jsonPointer } from '../json-pointer.ts';
import { nearest } from '../nearest.ts';
import type { CropStrategy } from '../service/wire.ts';
import { parseColor } from './color.ts';

export type MappingProblemCode =
  | 'unknown_editable'
  | 'missing_editable'
  | 'wrong_kind'
  | 'invalid_color'
  | 'invalid_url'
  | 'text_too_long'
  | 'unknown_property'
  | 'definition_invalid';

/** A mistake in one resource entry. */
export interface FieldProblem {
  readonly code: MappingProblemCode;
  /** JSON pointer from the entry. */
  readonly at: string;
  readonly detail: string;
}

const STRATEGIES: readonly CropStrategy[] = ['cover', 'contain', 'fill', 'manual'];
const CROP = ['crop_x', 'crop_y', 'crop_width', 'crop_height'];

/** Field → the strategy that it belongs to, and what it takes. */
const FIELDS: Readonly<Record<string, readonly [CropStrategy, expected: string, (value: unknown) => boolean]>> = {
  crop_x: ['manual', 'a number from 0', (value) => isNumber(value) && value >= 0],
  crop_y: ['manual', 'a number from 0', (value) => isNumber(value) && value >= 0],
  crop_width: ['manual', 'a number above 0', (value) => isNumber(value) && value > 0],
  crop_height: ['manual', 'a number above 0', (value) => isNumber(value) && value > 0],
  focus_x: ['cover', 'a number from 0 to 1', isShare],
  focus_y: ['cover', 'a number from 0 to 1', isShare],
  background: [
    'contain',
    '6 or 8 hexadecimal digits',
    (value) => typeof value === 'string' && parseColor(value) !== null,
  ],
};

/** Holds the `transform` of an image's entry, which may be any JSON, against what the engine does with one. */
export function checkTransform(transform: unknown): FieldProblem[] {
  if (transform === undefined) return [];
  if (!isRecord(transform)) return [invalid('', 'transform is an object')];
  const { crop_strategy: strategy = 'cover', ...fields } = transform;
  if (!STRATEGIES.some((known) => known === strategy)) {
    return [invalid('/crop_strategy', `crop_strategy is one of ${STRATEGIES.join(', ')}`)];
  }
  const problems = Object.entries(fields).flatMap(([name, value]) => checkField(name, value, String(strategy)));
  if (strategy !== 'manual') return problems;
  const missing = CROP.filter((name) => !Object.hasOwn(fields, name));
  return [...problems, ...missing.map((name) => invalid('', `crop_strategy manual takes ${name} too`))];
}

function checkField(name: string, value: unknown, strategy: string): FieldProblem[] {
  const field = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined;
  if (field === undefined) {
    const meant = nearest(name.slice(0, 200), ['crop_strategy', ...Object.keys(FIELDS)]);
    const detail = `a transform has no field ${name}${meant === null ? '' : `; did you mean ${meant}?`}`;
    return [{ code: 'unknown_property', at: jsonPointer(['transform', name]), detail }];
  }
  const [belongsTo, expected, holds] = field;
  if (belongsTo !== strategy) return [invalid(`/${name}`, `${name} goes with crop_strategy ${belongsTo} alone`)];
  return holds(value) ? [] : [invalid(`/${name}`, `${name} is ${expected}`)];
}

function invalid(at: string, detail: string): FieldProblem {
  return { code: 'definition_invalid', at: `/transform${at}`, detail };
}

function isShare(value: unknown): boolean {
  return isNumber(value) && value >= 0 && value <= 1;
}

function isNumber(value: unknown): value is number {
  return Number.isFinite(value);
}
