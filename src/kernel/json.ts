/** Formats a path of names and indices as a JSON pointer; the empty path is the document itself. @see RFC 6901, section 3 */
export function jsonPointer(path: readonly (string | number)[]): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** Parses a JSON pointer to its names and indices. @see RFC 6901, section 4 */
export function parseJsonPointer(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Returns whether a value is a JSON object: neither null nor an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns whether a value is a list that contains only numbers; an empty list is. */
export function isNumberList(value: unknown): value is number[] {
  if (!Array.isArray(value)) return false;
  for (const item of value) if (typeof item !== 'number') return false;
  return true;
}

/** Parses a JSON text; returns undefined if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Parses the text of a JSON object; returns null for any other text. */
export function parseRecord(text: string): Record<string, unknown> | null {
  const value = parseJson(text);
  return isRecord(value) ? value : null;
}

/** Returns a property of a record; undefined for inherited properties, such as `constructor`. */
export function ownValue<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** Converts a map to a record with changed values. */
export function mapToRecord<T, U>(map: ReadonlyMap<string, T>, change: (value: T) => U): Record<string, U> {
  // An assignment of this name would set the prototype.
  if (map.has('__proto__')) return Object.fromEntries([...map].map(([key, value]) => [key, change(value)]));
  const record: Record<string, U> = {};
  map.forEach((value, key) => {
    record[key] = change(value);
  });
  return record;
}

/** Limits of a JSON text. */
interface JsonBounds {
  /** Strings, numbers, arrays, objects, literals and field names together. */
  readonly values: number;
  readonly depth: number;
  readonly numberBytes: number;
}

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
/** Kinds of bytes outside strings. Numbers and literals are words. */
const [WORD, BETWEEN, STRING, OPEN, CLOSE] = [0, 1, 2, 3, 4];
/** Byte → its kind. */
const KINDS = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte === QUOTE) return STRING;
  if (byte === 0x5b || byte === 0x7b) return OPEN;
  if (byte === 0x5d || byte === 0x7d) return CLOSE;
  return byte <= 0x20 || byte === 0x2c || byte === 0x3a ? BETWEEN : WORD;
});

/**
 * Returns which limit a JSON text exceeds, or null. Call it before `JSON.parse`, which allocates up to 30 bytes for each byte
 * and cannot be interrupted. Reads the bytes once, without allocating; one look-up a byte, because commands read most texts before
 * V8 compiles this function. Does not check the syntax.
 *
 * @param bytes UTF-8
 */
export function checkJsonBounds(bytes: Uint8Array, { values, depth, numberBytes }: JsonBounds): string | null {
  let count = 0;
  let level = 0;
  let word = -1;
  for (let at = 0; at < bytes.length; at++) {
    const kind = KINDS[bytes[at]!]!;
    if (kind === WORD && word !== -1) {
      if (at - word >= numberBytes) return `a number of more than ${numberBytes} characters`;
      continue;
    }
    word = kind === WORD ? at : -1;
    if (kind === BETWEEN) continue;
    if (kind === CLOSE) {
      level -= 1;
      continue;
    }
    count += 1;
    if (count > values) return `more than ${values.toLocaleString('en')} values`;
    if (kind === OPEN) {
      level += 1;
      if (level > depth) return `more than ${depth} levels`;
    } else if (kind === STRING) {
      at = endOfText(bytes, at);
    }
  }
  return null;
}

/**
 * Returns the position after an object in a valid JSON text.
 *
 * @param bytes UTF-8
 * @param start position of its brace
 */
export function endOfObject(bytes: Uint8Array, start: number): number {
  let level = 0;
  for (let at = start; at < bytes.length; at++) {
    const kind = KINDS[bytes[at]!]!;
    if (kind === STRING) at = endOfText(bytes, at);
    else if (kind === OPEN) level += 1;
    else if (kind === CLOSE) level -= 1;
    if (level === 0) return at + 1;
  }
  return bytes.length;
}

/** Returns the position of the closing quote of a string, or the end of the bytes. */
function endOfText(bytes: Uint8Array, start: number): number {
  let at = start;
  do {
    at = nextQuote(bytes, at + 1);
    if (at === -1) return bytes.length;
  } while (bytes[at - 1] === BACKSLASH && isEscaped(bytes, at, start));
  return at;
}

/** Most strings are names of a few bytes, and calls of `indexOf` take longer than their loop. */
const SHORT = 32;

function nextQuote(bytes: Uint8Array, start: number): number {
  const end = Math.min(bytes.length, start + SHORT);
  for (let at = start; at < end; at++) if (bytes[at] === QUOTE) return at;
  return bytes.indexOf(QUOTE, end);
}

/** Returns whether an odd number of backslashes precedes the byte. */
function isEscaped(bytes: Uint8Array, at: number, start: number): boolean {
  let before = at - 1;
  while (before > start && bytes[before] === BACKSLASH) before -= 1;
  return (at - 1 - before) % 2 === 1;
}
