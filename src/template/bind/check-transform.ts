import { ANIMATE_SPEEDS, ANIMATE_STRATEGIES, CROP_STRATEGIES } from '../../contract/wire/mapping.ts';
import { suggestion } from '../../kernel/hints.ts';
import { isRecord, jsonPointer } from '../../kernel/json.ts';
import { parseColor } from '../color.ts';

export type MappingProblemCode =
  | 'unknown_editable'
  | 'missing_editable'
  | 'wrong_kind'
  | 'invalid_color'
  | 'invalid_url'
  | 'text_too_long'
  | 'font_missing'
  | 'unknown_property'
  | 'definition_invalid';

/** A problem of a resource. */
export interface FieldProblem {
  readonly code: MappingProblemCode;
  /** JSON pointer relative to the resource. */
  readonly at: string;
  readonly detail: string;
}

type TransformedKind = 'image' | 'video' | 'audio';

interface FieldRule {
  readonly expected: string;
  readonly holds: (value: unknown) => boolean;
  /** Another field, the value that it must have, and its default. */
  readonly requires?: readonly [field: string, value: string, defaultValue: string];
}

const CROP = ['crop_x', 'crop_y', 'crop_width', 'crop_height'];

const from0: FieldRule = { expected: 'a number from 0', holds: (value) => isNumber(value) && value >= 0 };
const above0: FieldRule = { expected: 'a number above 0', holds: (value) => isNumber(value) && value > 0 };
const upTo = (most: number): FieldRule => {
  return { expected: `a number from 0 to ${most}`, holds: (value) => isNumber(value) && value >= 0 && value <= most };
};
const [share, volume] = [upTo(1), upTo(4)];
const manual = { requires: ['crop_strategy', 'manual', 'cover'] } as const;
const cover = { requires: ['crop_strategy', 'cover', 'cover'] } as const;

const IMAGE: Readonly<Record<string, FieldRule>> = {
  crop_strategy: oneOf(CROP_STRATEGIES),
  crop_x: { ...from0, ...manual },
  crop_y: { ...from0, ...manual },
  crop_width: { ...above0, ...manual },
  crop_height: { ...above0, ...manual },
  focus_x: { ...share, ...cover },
  focus_y: { ...share, ...cover },
  background: {
    expected: '6 or 8 hexadecimal digits',
    holds: (value) => typeof value === 'string' && parseColor(value) !== null,
    requires: ['crop_strategy', 'contain', 'cover'],
  },
};

const FIELDS: Readonly<Record<TransformedKind, Readonly<Record<string, FieldRule>>>> = {
  image: IMAGE,
  video: {
    ...IMAGE,
    trim_strategy: oneOf(['none', 'manual']),
    trim_start_time: { ...from0, expected: 'seconds from 0', requires: ['trim_strategy', 'manual', 'manual'] },
    volume,
    animate_strategy: oneOf(ANIMATE_STRATEGIES),
    animate_speed: oneOf(ANIMATE_SPEEDS),
  },
  audio: {
    trim_start_time: { ...from0, expected: 'seconds from 0' },
    volume,
    fade_in: { ...from0, expected: 'seconds from 0' },
    fade_out: { ...from0, expected: 'seconds from 0' },
    loop: { expected: 'true or false', holds: (value) => typeof value === 'boolean' },
  },
};

/** Validates the `transform` of an entry, which may be any JSON, against the supported fields. */
export function checkTransform(transform: unknown, kind: TransformedKind): FieldProblem[] {
  if (transform === undefined) return [];
  if (!isRecord(transform)) return [invalid('', 'transform must be an object')];
  const problems = Object.entries(transform).flatMap(([name, value]) => checkField(name, value, transform, kind));
  return [...problems, ...checkCrop(transform)];
}

function checkField(name: string, value: unknown, transform: Fields, kind: TransformedKind): FieldProblem[] {
  const rules = FIELDS[kind];
  const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
  if (rule === undefined) {
    return [{ code: 'unknown_property', at: jsonPointer(['transform', name]), detail: unknownField(name, kind) }];
  }
  const { expected, holds, requires } = rule;
  if (requires !== undefined && !meetsRequirement(requires, transform, rules)) {
    return [invalid(`/${name}`, `${name} can only be used with ${requires[0]} ${requires[1]}`)];
  }
  return holds(value) ? [] : [invalid(`/${name}`, `${name} must be ${expected}`)];
}

type Fields = Readonly<Record<string, unknown>>;

/** Returns whether the other field has the required value. Accepts an invalid value, which is reported for that field. */
function meetsRequirement(
  [field, required, defaultValue]: NonNullable<FieldRule['requires']>,
  transform: Fields,
  rules: Readonly<Record<string, FieldRule>>,
): boolean {
  const value = Object.hasOwn(transform, field) ? transform[field] : defaultValue;
  return value === required || !rules[field]!.holds(value);
}

function checkCrop(transform: Fields): FieldProblem[] {
  if (transform.crop_strategy !== 'manual') return [];
  const problems = CROP.filter((name) => !Object.hasOwn(transform, name)).map((name) =>
    invalid('', `crop_strategy manual also needs ${name}`),
  );
  const { animate_strategy: move = 'none' } = transform;
  if (move === 'none') return problems;
  return [
    ...problems,
    invalid('/animate_strategy', 'crop_strategy manual can only be used with animate_strategy none'),
  ];
}

function unknownField(name: string, kind: TransformedKind): string {
  const others = (Object.keys(FIELDS) as TransformedKind[]).filter((other) => Object.hasOwn(FIELDS[other], name));
  if (others.length > 0) return `${name} can only be used with a source of kind ${others.join(' or ')}`;
  return `a transform has no field ${name}${suggestion(name, Object.keys(FIELDS[kind]))}`;
}

function oneOf(values: readonly string[]): FieldRule {
  return { expected: `one of ${values.join(', ')}`, holds: (value) => values.some((known) => known === value) };
}

function invalid(at: string, detail: string): FieldProblem {
  return { code: 'definition_invalid', at: `/transform${at}`, detail };
}

function isNumber(value: unknown): value is number {
  return Number.isFinite(value);
}
