import { serviceError } from '../../../contract/service-error.ts';
import { sha256 } from '../../../kernel/digest.ts';
import { jsonPointer } from '../../../kernel/json.ts';

/**
 * Parses a JSON body. Returns undefined for an empty body, which some clients send with a content type.
 *
 * @throws ServiceError 400 with the location of the mistake, without quoting the body
 */
export function parseJsonBody(bytes: Uint8Array, maxDepth: number): unknown {
  if (bytes.length === 0) return undefined;
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw serviceError('bad_request', 'The body is not valid UTF-8');
  }
  const mistake = scanJson(text, maxDepth);
  if (mistake === null) return JSON.parse(text) as unknown;
  const what = mistake.code === 'invalid_json' ? 'The body is not valid JSON' : 'The body is not accepted';
  throw serviceError('bad_request', `${what}: ${mistake.detail}`, [mistake]);
}

/** Digest that distinguishes requests with the same Idempotency-Key. */
export function requestDigest(method: string, url: string, body: Uint8Array | null): ReturnType<typeof sha256> {
  return sha256(`${method} ${url}\n${sha256(body ?? '')}`);
}

/** The first reason to reject a JSON text. */
interface JsonMistake {
  readonly code:
    | 'invalid_json'
    | 'too_deep'
    | 'too_many_fields'
    | 'too_many_values'
    | 'text_too_long'
    | 'duplicate_field'
    | 'forbidden_field'
    | 'invalid_text'
    | 'invalid_number';
  /** JSON pointer of the value or member, as a URI fragment. */
  readonly pointer: string;
  /** Quotes field names but never values. */
  readonly detail: string;
}

/** Field names that could modify the prototype of a JavaScript object. */
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);

/**
 * Limits far above legitimate requests: a mapping has at most 500 entries of a few values, and the longest text is a
 * URL.
 */
export const JSON_LIMITS = {
  /** Fields of one object. */
  fields: 1_000,
  /** Total number of texts, numbers, lists and objects. */
  values: 10_000,
  /** UTF-16 code units of one text, escapes counted as written. */
  textLength: 100_000,
} as const;

class Mistake extends Error {
  readonly mistake: JsonMistake;

  constructor(mistake: JsonMistake) {
    super(mistake.detail);
    this.mistake = mistake;
  }
}

/**
 * Scans a JSON text in one pass and finds mistakes that `JSON.parse` does not report or locate: syntax errors with
 * their position, duplicate field names, excessive nesting, texts that databases reject (NUL, lone surrogates) and
 * numbers beyond the range of a double.
 *
 * @returns null when `JSON.parse` can process the text
 * @see RFC 8259
 */
export function scanJson(text: string, maxDepth: number): JsonMistake | null {
  try {
    new Scanner(text, maxDepth).scan();
    return null;
  } catch (error) {
    if (error instanceof Mistake) return error.mistake;
    throw error;
  }
}

class Scanner {
  readonly #text: string;
  readonly #maxDepth: number;
  readonly #path: (string | number)[] = [];
  #at = 0;
  #values = 0;

  constructor(text: string, maxDepth: number) {
    this.#text = text;
    this.#maxDepth = maxDepth;
  }

  scan(): void {
    this.#value();
    if (this.#at < this.#text.length) this.#syntax('the end of the body');
  }

  #value(): void {
    this.#values += 1;
    if (this.#values > JSON_LIMITS.values) this.#fail('too_many_values', `more than ${JSON_LIMITS.values} values`);
    this.#space();
    switch (this.#text[this.#at]) {
      case '{':
        this.#object();
        break;
      case '[':
        this.#array();
        break;
      case '"':
        this.#string();
        break;
      default:
        this.#scalar();
    }
    this.#space();
  }

  #object(): void {
    this.#enter();
    const names = new Set<string>();
    if (!this.#take('}')) {
      do {
        this.#space();
        if (this.#text[this.#at] !== '"') this.#syntax('a field name in double quotes');
        const name = this.#string();
        this.#path.push(name);
        if (FORBIDDEN.has(name)) this.#fail('forbidden_field', `${name} is not allowed as a field name`);
        if (names.has(name)) this.#fail('duplicate_field', `duplicate field ${JSON.stringify(name.slice(0, 60))}`);
        names.add(name);
        if (names.size > JSON_LIMITS.fields) {
          this.#fail('too_many_fields', `more than ${JSON_LIMITS.fields} fields in one object`);
        }
        this.#space();
        if (!this.#take(':')) this.#syntax('a colon');
        this.#value();
        this.#path.pop();
      } while (this.#take(','));
      if (!this.#take('}')) this.#syntax('a comma or }');
    }
  }

  #array(): void {
    this.#enter();
    if (!this.#take(']')) {
      let index = 0;
      do {
        this.#path.push(index++);
        this.#value();
        this.#path.pop();
      } while (this.#take(','));
      if (!this.#take(']')) this.#syntax('a comma or ]');
    }
  }

  #enter(): void {
    if (this.#path.length >= this.#maxDepth) this.#fail('too_deep', `nested deeper than ${this.#maxDepth} levels`);
    this.#at += 1;
    this.#space();
  }

  #string(): string {
    const start = this.#at;
    let isPlain = true;
    for (;;) {
      this.#at += 1;
      const unit = this.#text.charCodeAt(this.#at);
      if (unit === 0x22) break;
      if (this.#at - start > JSON_LIMITS.textLength) {
        this.#fail('text_too_long', `a string of more than ${JSON_LIMITS.textLength} characters`);
      }
      if (Number.isNaN(unit)) this.#syntax('the closing quote of a string');
      if (unit < 0x20) this.#syntax('an escaped control character');
      if (unit !== 0x5c) continue;
      isPlain = false;
      ESCAPE.lastIndex = this.#at;
      if (!ESCAPE.test(this.#text)) this.#syntax('a valid escape sequence');
      this.#at = ESCAPE.lastIndex - 1;
    }
    this.#at += 1;
    const literal = this.#text.slice(start, this.#at);
    const value = isPlain ? literal.slice(1, -1) : (JSON.parse(literal) as string);
    if (value.includes('\0')) this.#fail('invalid_text', 'a string must not contain the NUL character');
    if (!value.isWellFormed()) this.#fail('invalid_text', 'a string must not contain an unpaired surrogate');
    return value;
  }

  #scalar(): void {
    SCALAR.lastIndex = this.#at;
    const literal = SCALAR.exec(this.#text)?.[0];
    if (literal === undefined) this.#syntax('a value');
    this.#at += literal.length;
    if (literal === 'true' || literal === 'false' || literal === 'null') return;
    if (!Number.isFinite(Number(literal))) this.#fail('invalid_number', 'the number is too large');
  }

  #space(): void {
    SPACE.lastIndex = this.#at;
    SPACE.test(this.#text);
    this.#at = SPACE.lastIndex;
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #syntax(expected: string): never {
    const before = this.#text.slice(0, this.#at).split('\n');
    const place = `line ${before.length}, column ${before.at(-1)!.length + 1}`;
    this.#fail('invalid_json', `expected ${expected} at ${place}`);
  }

  #fail(code: JsonMistake['code'], detail: string): never {
    const pointer = jsonPointer(this.#path);
    throw new Mistake({ code, pointer: pointer.length > 500 ? '#' : `#${pointer}`, detail });
  }
}

const SPACE = /[ \t\n\r]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
