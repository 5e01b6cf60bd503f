import type { Span } from '../diagnostic.ts';
import type { MapEntry, ScalarNode, TreeNode } from './tree.ts';

/** Thrown where a text is not written in the usual way. */
const UNUSUAL = Symbol('unusual');

/** Tabs, CR, characters that a definition may not contain, and byte order marks. */
const RARE = /[^\n\x20-\x7e\xa0-\ufefe\uff00-\uffff]/;
const SPACES = / */y;
/** Blank lines and comments above a line. */
const ABOVE = /(?: *(?:#[^\n]*)?\n)*/y;
/** What may follow a value on its line. */
const REST = / *(?:(?<= )#[^\n]*)?(?:\n|$)/y;
const KEY = /(?!__proto__:)[A-Za-z_(][\w.()/-]{0,200}(?=:(?:[ \n]|$))/y;
const ITEM = /-(?=[ \n]|$)/y;
const DOUBLE_QUOTED = /"(?:[^"\\\n]|\\["\\/n])*"/y;
const SINGLE_QUOTED = /'(?:[^'\n]|'')*'/y;
const PLAIN = /[^\s\-?:,[\]{}#&*!|>'"%@`](?:[^\n:#]|:(?![ \n]|$)|(?<! )#)*/y;
const PLAIN_IN_FLOW = /[A-Za-z./(](?:[^\n:#,[\]{}]|:(?![ \n,[\]{}]|$)|(?<! )#)*/y;
const NUMBER = /-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?(?= *(?:\n|(?<= )#|$))/y;
const NUMBER_IN_FLOW = /-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?(?= *[,\]}])/y;
/** What the core schema reads as null, as a boolean or as a number. */
const NO_TEXT = /^(?:~|null|true|false|0o[0-7]+|0x[\da-f]+|[-+]?\.inf|\.nan|[-+]?(?:\.\d+|\d+\.?\d*)(?:e[-+]?\d+)?)$/i;
/** What begins a text of several lines. */
const BLOCK_HEADER = /[|>]-?\n/y;
/** A line of such a text after its indentation, without further spaces at either end. */
const BLOCK_LINE = /[^ \n](?:[^\n]*[^ \n])?\n/y;
const BLANK_LINE = / *\n| +$/y;
const MAX_DEPTH = 32;

/**
 * Reads YAML as most people write it: maps and lists in blocks, or in brackets on one line; values on one line, or texts of
 * several lines after `>` or `|`; comments above an entry or at the end of a line. Takes a small part of the time of the parser, which reads all other texts and
 * reports all mistakes.
 *
 * @returns the tree that the parser returns for this text; null if the text contains anything else
 */
export function readUsualYaml(file: string, text: string): TreeNode | null {
  if (RARE.test(text) || !text.isWellFormed()) return null;
  try {
    return new UsualReader(file, text).read();
  } catch (error) {
    if (error === UNUSUAL) return null;
    throw error;
  }
}

class UsualReader {
  readonly #file: string;
  readonly #text: string;
  /** In UTF-16 code units. Between lines: the first character of the next one that is neither a space nor a comment. */
  #at = 0;
  /** Column of that character; -1 at the end of the text. */
  #column = -1;
  /** Whether a comment is above that line. */
  #isBelowComment = false;
  /** End of the last value, with what follows on its line. */
  #end = 0;

  constructor(file: string, text: string) {
    this.#file = file;
    this.#text = text;
  }

  read(): TreeNode {
    this.#goToLine();
    const root = this.#column === 0 ? this.#block(0) : null;
    if (root === null || this.#column !== -1) throw UNUSUAL;
    return root;
  }

  /** Reads the map or list that begins here, up to the first line that is indented less. */
  #block(depth: number): TreeNode {
    if (depth > MAX_DEPTH) throw UNUSUAL;
    return this.#finds(ITEM) ? this.#list(this.#column, depth) : this.#map(this.#column, depth);
  }

  #map(column: number, depth: number): TreeNode {
    const start = this.#at;
    const entries = new Map<string, MapEntry>();
    do {
      this.#entry(entries, () => this.#value(column, depth));
    } while (this.#goesOn(column));
    return { kind: 'map', entries, span: this.#span(start, this.#end) };
  }

  /** Reads a key and its value. */
  #entry(entries: Map<string, MapEntry>, readValue: () => TreeNode): void {
    const keySpan = this.#span(this.#at, this.#read(KEY));
    const key = this.#text.slice(keySpan.start, keySpan.end);
    if (entries.has(key)) throw UNUSUAL;
    this.#at += 1;
    this.#read(SPACES);
    entries.set(key, { keySpan, value: readValue() });
  }

  #list(column: number, depth: number): TreeNode {
    const start = this.#at;
    const items: TreeNode[] = [];
    do {
      this.#read(ITEM);
      items.push(this.#item(column, depth));
    } while (this.#goesOn(column) && this.#finds(ITEM));
    return { kind: 'list', items, span: this.#span(start, this.#end) };
  }

  #value(column: number, depth: number): TreeNode {
    if (!this.#isAtLineEnd()) return this.#valueOnLine(column, depth);
    this.#goToLine();
    if (this.#column > column && /[{[]/.test(this.#text[this.#at]!)) return this.#valueOnLine(column, depth);
    // A list in a map need not be indented.
    if (this.#column > column || (this.#column === column && this.#finds(ITEM))) return this.#block(depth + 1);
    throw UNUSUAL;
  }

  #item(column: number, depth: number): TreeNode {
    const start = this.#at;
    this.#read(SPACES);
    if (this.#isAtLineEnd()) {
      this.#goToLine();
      if (this.#column > column) return this.#block(depth + 1);
      throw UNUSUAL;
    }
    if (!this.#finds(KEY) && !this.#finds(ITEM)) return this.#valueOnLine(column, depth);
    this.#column = column + 1 + this.#at - start;
    return this.#block(depth + 1);
  }

  /** Reads a value and the rest of its line. The lines of its entry begin at a column, others to the left of it. */
  #valueOnLine(column: number, depth: number): TreeNode {
    const lines = this.#lines(column);
    const value = lines ?? this.#flow(depth + 1) ?? this.#quoted() ?? this.#plain(NUMBER, PLAIN);
    this.#end = lines === null ? this.#read(REST) : this.#at;
    this.#goToLine();
    // The text goes on.
    if (this.#column > column) throw UNUSUAL;
    return value;
  }

  /** Reads a text of several lines, all indented by the same number of spaces; null if there is none here. */
  #lines(column: number): ScalarNode | null {
    if (!this.#finds(BLOCK_HEADER)) return null;
    const start = this.#at;
    const first = this.#read(BLOCK_HEADER);
    const indentation = this.#text.slice(first, this.#read(SPACES));
    if (indentation.length <= column) throw UNUSUAL;
    this.#at = first;
    const lines: string[] = [];
    while (this.#text.startsWith(indentation, this.#at)) {
      this.#at += indentation.length;
      lines.push(this.#text.slice(this.#at, this.#read(BLOCK_LINE) - 1));
    }
    // The parser decides what blank lines below belong to.
    if (this.#finds(BLANK_LINE)) throw UNUSUAL;
    const text = lines.join(this.#text[start] === '>' ? ' ' : '\n');
    return this.#scalar(start, this.#text[start + 1] === '-' ? text : `${text}\n`);
  }

  /** Reads a map or list in brackets; null if there is none here. */
  #flow(depth: number): TreeNode | null {
    const bracket = this.#text[this.#at];
    if (bracket !== '{' && bracket !== '[') return null;
    if (depth > MAX_DEPTH) throw UNUSUAL;
    const start = this.#at;
    const close = bracket === '{' ? '}' : ']';
    const entries = new Map<string, MapEntry>();
    const items: TreeNode[] = [];
    do {
      this.#at += 1;
      this.#read(SPACES);
      if (this.#text[this.#at] === close && entries.size + items.length === 0) break;
      if (bracket === '[') {
        items.push(this.#valueInFlow(depth));
      } else {
        this.#entry(entries, () => this.#valueInFlow(depth));
      }
      this.#read(SPACES);
    } while (this.#text[this.#at] === ',');
    if (this.#text[this.#at] !== close) throw UNUSUAL;
    this.#at += 1;
    const span = this.#span(start, this.#at);
    return bracket === '{' ? { kind: 'map', entries, span } : { kind: 'list', items, span };
  }

  #valueInFlow(depth: number): TreeNode {
    return this.#flow(depth + 1) ?? this.#quoted() ?? this.#plain(NUMBER_IN_FLOW, PLAIN_IN_FLOW);
  }

  #quoted(): ScalarNode | null {
    const start = this.#at;
    if (this.#text[start] === '"') {
      const source = this.#text.slice(start, this.#read(DOUBLE_QUOTED));
      return this.#scalar(start, source.includes('\\') ? (JSON.parse(source) as string) : source.slice(1, -1));
    }
    if (this.#text[start] !== "'") return null;
    const source = this.#text.slice(start, this.#read(SINGLE_QUOTED));
    return this.#scalar(start, source.slice(1, -1).replaceAll("''", "'"));
  }

  #plain(number: RegExp, plain: RegExp): ScalarNode {
    const start = this.#at;
    if (this.#finds(number)) {
      const text = this.#text.slice(start, this.#read(number));
      return this.#scalar(start, text, Number(text));
    }
    let end = this.#read(plain);
    while (this.#text[end - 1] === ' ') end -= 1;
    this.#at = end;
    const text = this.#text.slice(start, end);
    if (text === 'true' || text === 'false') return this.#scalar(start, text, text === 'true');
    if (NO_TEXT.test(text)) throw UNUSUAL;
    return this.#scalar(start, text);
  }

  #scalar(start: number, text: string, value: ScalarNode['value'] = text): ScalarNode {
    return { kind: 'scalar', value, text, span: this.#span(start, this.#at), baseFile: this.#file };
  }

  /** Returns whether the next line belongs to the entries that begin at a column. */
  #goesOn(column: number): boolean {
    if (this.#column === column) return true;
    // The parser decides whether a comment below entries belongs to them.
    if (this.#column > column || this.#isBelowComment) throw UNUSUAL;
    return false;
  }

  #goToLine(): void {
    const above = this.#at;
    // Most lines have no blank lines and comments above them.
    let at = above;
    while (this.#text[at] === ' ') at += 1;
    if (at < this.#text.length && this.#text[at] !== '\n' && this.#text[at] !== '#') {
      this.#isBelowComment = false;
      this.#at = at;
      this.#column = at - above;
      return;
    }
    const start = this.#read(ABOVE);
    this.#isBelowComment = this.#text.slice(above, start).includes('#');
    this.#read(SPACES);
    this.#column = this.#at === this.#text.length ? -1 : this.#at - start;
  }

  #isAtLineEnd(): boolean {
    return this.#at === this.#text.length || this.#text[this.#at] === '\n';
  }

  #finds(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    return pattern.test(this.#text);
  }

  /** Goes behind a pattern. Returns that place. */
  #read(pattern: RegExp): number {
    if (!this.#finds(pattern)) throw UNUSUAL;
    this.#at = pattern.lastIndex;
    return this.#at;
  }

  #span(start: number, end: number): Span {
    return { file: this.#file, start, end };
  }
}
