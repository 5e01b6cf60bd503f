/** A JSON pointer to what lies behind these names and indices; empty for the document itself. @see RFC 6901, section 3 */
export function jsonPointer(path: readonly (string | number)[]): string {
  return path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The names and indices of a JSON pointer. @see RFC 6901, section 4 */
export function parseJsonPointer(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** Whether a value is what JSON calls an object: neither null nor a list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What a JSON text may have at most. */
interface JsonBounds {
  /** Texts, numbers, lists, objects and words in all; names of fields count as well. */
  readonly values: number;
  readonly depth: number;
  /** Bytes of one number. */
  readonly numberBytes: number;
}

const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * What of a JSON text is more than its bounds, or null: to be asked before `JSON.parse`, which makes up to 30 bytes of each
 * byte, and cannot be stopped. Goes through the bytes once and keeps none. Whether the text is JSON at all it does not say.
 *
 * @param bytes UTF-8
 */
export function checkJsonBounds(bytes: Uint8Array, { values, depth, numberBytes }: JsonBounds): string | null {
  let count = 0;
  let level = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte <= 0x20 || byte === COMMA || byte === COLON) continue;
    if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
      level -= 1;
      continue;
    }
    count += 1;
    if (count > values) return `more than ${values.toLocaleString('en')} values`;
    if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      level += 1;
      if (level > depth) return `more than ${depth} levels`;
    } else if (byte === QUOTE) {
      at = endOfText(bytes, at);
    } else {
      const end = endOfWord(bytes, at);
      if (end - at > numberBytes) return `a number of more than ${numberBytes} characters`;
      at = end - 1;
    }
  }
  return null;
}

/** The quote that ends a text; the end of all bytes where none does. */
function endOfText(bytes: Uint8Array, start: number): number {
  let at = start;
  do {
    at = bytes.indexOf(QUOTE, at + 1);
    if (at === -1) return bytes.length;
  } while (isEscaped(bytes, at, start));
  return at;
}

/** An odd number of backslashes stands before it. */
function isEscaped(bytes: Uint8Array, at: number, start: number): boolean {
  let before = at - 1;
  while (before > start && bytes[before] === BACKSLASH) before -= 1;
  return (at - 1 - before) % 2 === 1;
}

/** The byte behind a number, or one of the words that JSON has. */
function endOfWord(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  for (; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte <= 0x20 || byte === COMMA || byte === COLON || byte === QUOTE) break;
    if (byte === OPEN_LIST || byte === CLOSE_LIST || byte === OPEN_OBJECT || byte === CLOSE_OBJECT) break;
  }
  return at;
}
