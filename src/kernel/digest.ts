import { createHash, hash } from 'node:crypto';
import { remembered } from './memory.ts';

declare const brand: unique symbol;

/** Lower-case hexadecimal SHA-256, 64 characters. */
export type Sha256 = string & { readonly [brand]: 'Sha256' };

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json | undefined };

/** Returns the SHA-256 of bytes, or of a string in UTF-8. */
export function sha256(data: Uint8Array | string): Sha256 {
  return hash('sha256', data, 'hex') as Sha256;
}

/** Returns the SHA-256 of bytes that never change, once: thousands of assets and inputs share files. */
export const knownSha256 = remembered((bytes: Uint8Array): Sha256 => sha256(bytes));

/** Bytes that are hashed between two turns of the event loop: about 4 ms. */
const STEP_BYTES = 4 << 20;

/** The SHA-256 of a file of any size. Lets other work run in between: a file of 200 MB takes 0.2 s. */
export async function fileSha256(bytes: Uint8Array): Promise<Sha256> {
  const hash = createHash('sha256');
  for (let start = 0; start < bytes.length; start += STEP_BYTES) {
    if (start > 0) await new Promise((resolve) => setImmediate(resolve));
    hash.update(bytes.subarray(start, start + STEP_BYTES));
  }
  return hash.digest('hex') as Sha256;
}

/**
 * Serializes a value canonically: keys in code-unit order, no white space, numbers as ECMAScript prints them; `undefined`
 * members are omitted.
 *
 * @throws TypeError for a non-finite number and for a lone surrogate, which JSON cannot represent
 * @see RFC 8785, sections 3.2.2 and 3.2.3
 */
export function canonicalJson(value: Json): string {
  if (typeof value === 'string') return quoted(value);
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError(`${value} has no JSON form`);
    return String(value);
  }
  if (value instanceof KnownJson) return value.text;
  const known = sharedTexts.get(value);
  if (typeof known === 'string') return known;
  const text = serialized(value);
  // A concatenated text would keep all of its pieces.
  if (known === null) sharedTexts.set(value, Buffer.from(text).toString());
  return text;
}

/** Concatenates, because a plan serializes each value of each video. */
function serialized(value: object): string {
  if (Array.isArray(value)) {
    let items = '';
    for (let index = 0; index < value.length; index++) items += (index === 0 ? '' : ',') + canonicalJson(value[index]);
    return `[${items}]`;
  }
  const record = value as { readonly [key: string]: Json | undefined };
  let members = '';
  const keys = sorted(Object.keys(record));
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index]!;
    const member = record[key];
    if (member !== undefined) members += `${members === '' ? '' : ','}${quoted(key)}:${canonicalJson(member)}`;
  }
  return `{${members}}`;
}

/** Texts of shared values; null before a value was serialized. */
const sharedTexts = new WeakMap<object, string | null>();

/**
 * Declares that a value is part of many, so that `canonicalJson` serializes it once for all of them.
 *
 * @param value is never modified
 */
export function shareJson<Value extends object>(value: Value): Value {
  if (!sharedTexts.has(value)) sharedTexts.set(value, null);
  return value;
}

/** Returns the canonical JSON of a map as an object, whose values a function serializes canonically. */
export function canonicalMap<Value>(map: ReadonlyMap<string, Value>, serialize: (value: Value) => string): string {
  const keys = sorted([...map.keys()]);
  let members = '';
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index]!;
    members += `${index === 0 ? '' : ','}${quoted(key)}:${serialize(map.get(key)!)}`;
  }
  return `{${members}}`;
}

class KnownJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Returns a value for `canonicalJson` whose canonical JSON is known. */
export function knownJson(text: string): Json {
  return new KnownJson(text) as unknown as Json;
}

/** Characters that JSON writes as they are, and that need no check for lone surrogates. */
const PLAIN = /^[ !#-[\]-~]*$/;

function quoted(text: string): string {
  if (PLAIN.test(text)) return `"${text}"`;
  if (!text.isWellFormed()) throw new TypeError('a text holds a lone surrogate');
  return JSON.stringify(text);
}

/** Longest list of keys that is sorted in place: `sort` copies it, and calls a function for each two keys. */
const SHORT = 32;

/** Sorts by code unit. Most objects have a few keys, which are in order or nearly so. */
function sorted(keys: string[]): string[] {
  if (keys.length > SHORT) return keys.sort(byCodeUnit);
  for (let index = 1; index < keys.length; index++) {
    const key = keys[index]!;
    let place = index;
    for (; place > 0 && keys[place - 1]! > key; place--) keys[place] = keys[place - 1]!;
    keys[place] = key;
  }
  return keys;
}

/** Compares by UTF-16 code unit, so that the order of written ids and keys does not depend on the locale. */
export function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
