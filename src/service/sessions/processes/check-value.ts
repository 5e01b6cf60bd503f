import { isRecord } from '../../../kernel/json.ts';
import { TemporaryFile } from '../../../kernel/temporary-file.ts';

/**
 * Checks a value from a process that may be taken over. Returns a value with the declared fields only, so that no other
 * field travels on.
 *
 * @throws UncheckedValue
 */
export type Check<T> = (value: unknown) => T;

/** A value that does not have its declared shape. */
export class UncheckedValue extends Error {}

type Fields = Readonly<Record<string, Check<unknown>>>;
type Checked<Shape extends Fields> = { readonly [Key in keyof Shape]: ReturnType<Shape[Key]> };

function refuse(expected: string): never {
  throw new UncheckedValue(`a value is not ${expected}`);
}

/** Strings up to a length; far beyond any name, path or message. */
const MAX_CHARACTERS = 1_000_000;

export const text: Check<string> = (value) =>
  typeof value === 'string' && value.length <= MAX_CHARACTERS ? value : refuse('a text');
export const flag: Check<boolean> = (value) => (typeof value === 'boolean' ? value : refuse('true or false'));
export const number: Check<number> = (value) =>
  typeof value === 'number' && Number.isFinite(value) ? value : refuse('a number');
export const count: Check<number> = (value) =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : refuse('a count');
export const bytes: Check<Uint8Array> = (value) => (value instanceof Uint8Array ? value : refuse('bytes'));
export const temporaryFile: Check<TemporaryFile> = (value) =>
  value instanceof TemporaryFile ? value : refuse('a file');

/** Accepts only the given constants. */
export function oneOf<const T extends string | number | true | null>(...choices: readonly T[]): Check<T> {
  return (value) => {
    const choice = choices.find((candidate) => candidate === value);
    return choice === undefined ? refuse(`one of ${choices.join(', ')}`) : choice;
  };
}

export function nullable<T>(check: Check<T>): Check<T | null> {
  return (value) => (value === null ? null : check(value));
}

export function listOf<T>(check: Check<T>): Check<T[]> {
  return (value) => (Array.isArray(value) ? value.map((item) => check(item)) : refuse('a list'));
}

/** A map by strings. */
export function mapOf<T>(check: Check<T>): Check<Map<string, T>> {
  return (value) =>
    value instanceof Map ? new Map([...value].map(([key, item]) => [text(key), check(item)])) : refuse('a map');
}

/** A record by any keys. */
export function recordOf<T>(check: Check<T>): Check<Record<string, T>> {
  return (value) =>
    isRecord(value) && !(value instanceof Map) && !(value instanceof Uint8Array)
      ? Object.fromEntries(Object.entries(value).map(([key, item]) => [text(key), check(item)]))
      : refuse('a record');
}

/** A record with these fields. */
export function fields<const Shape extends Fields>(shape: Shape): Check<Checked<Shape>> {
  const checks = Object.entries(shape);
  return (value) => {
    if (!isRecord(value)) return refuse('a record');
    const checked = checks.map(([key, check]) => [key, check(Object.hasOwn(value, key) ? value[key] : undefined)]);
    return Object.fromEntries(checked) as Checked<Shape>;
  };
}

/** A record whose fields may be absent. */
export function optionalFields<const Shape extends Fields>(shape: Shape): Check<Partial<Checked<Shape>>> {
  const checks = Object.entries(shape);
  return (value) => {
    if (!isRecord(value)) return refuse('a record');
    const present = checks.filter(([key]) => Object.hasOwn(value, key) && value[key] !== undefined);
    return Object.fromEntries(present.map(([key, check]) => [key, check(value[key])])) as Partial<Checked<Shape>>;
  };
}

/** A record that has the fields of both. */
export function both<A, B>(first: Check<A>, second: Check<B>): Check<A & B> {
  return (value) => ({ ...first(value), ...second(value) });
}

/** A record whose shape depends on the value of a field. */
export function byField<const Key extends string, const Shapes extends Fields>(
  key: Key,
  shapes: Shapes,
): Check<{ [Name in keyof Shapes]: ReturnType<Shapes[Name]> & { readonly [K in Key]: Name } }[keyof Shapes]> {
  return (value) => {
    const name = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
    const check = typeof name === 'string' && Object.hasOwn(shapes, name) ? shapes[name] : undefined;
    if (check === undefined) return refuse(`one of ${Object.keys(shapes).join(', ')}`);
    return { ...(check(value) as object), [key]: name } as never;
  };
}

/** Chooses the check by whether the record has the key. */
export function byPresence<A, B>(key: string, withKey: Check<A>, without: Check<B>): Check<A | B> {
  return (value) => (Object.hasOwn(Object(value), key) ? withKey(value) : without(value));
}
