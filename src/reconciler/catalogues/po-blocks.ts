import { po } from 'gettext-parser';
import { defined } from '../../kernel/defined.ts';

/** A block of a PO file, as gettext-parser reads it. */
export interface PoBlock {
  readonly msgctxt?: string;
  readonly msgid: string;
  readonly msgid_plural?: string;
  readonly msgstr: readonly string[];
  readonly comments?: PoComments;
  /** Where the file has the block and the empty lines after it; absent where the library read it. */
  readonly range?: Range;
}

export interface PoComments {
  readonly translator?: string;
  readonly reference?: string;
  readonly extracted?: string;
  readonly flag?: string;
  readonly previous?: string;
}

type Section = Record<string, Record<string, PoBlock>>;

/** A PO file, as gettext-parser reads it. */
export interface PoTable {
  charset: string;
  headers: Record<string, string>;
  translations: Section;
  obsolete?: Section;
}

/** A place in a file, as offsets. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/** Blocks of a PO file in their order. */
export interface PoBlocks {
  readonly used: readonly PoBlock[];
  readonly obsolete: readonly PoBlock[];
  /** The line of each context. */
  readonly places: ReadonlyMap<string, Range>;
}

const STRINGS = String.raw`((?:"[^"\\\n]*(?:\\.[^"\\\n]*)*"[ \t]*\n)+)`;
const COMMENTS = String.raw`((?:#(?!~)[^\r\n]*\n)*)`;
const HEADER = new RegExp(`\\n*${COMMENTS}msgid ""[ \\t]*\\nmsgstr ${STRINGS}\\n*`, 'y');
/** A block without plural forms, in the spelling of gettext's programs. */
const PLAIN = new RegExp(`${COMMENTS}msgctxt ${STRINGS}msgid ${STRINGS}msgstr ${STRINGS}\\n*`, 'y');
/** The start of a block, or the end of the file. */
const START = /(?:#(?!~[^|])[^\n]*\n)*(?:#~ )?msg(?:ctxt|id) "|$/y;

/**
 * Reads a PO file. Reads the blocks that every tool writes alike without gettext-parser, whose time and garbage decided that of plans,
 * and all from the first other block by it.
 *
 * @throws SyntaxError of gettext-parser
 */
export function readBlocks(text: string): PoBlocks {
  return readPlainBlocks(text) ?? readByLibrary(text);
}

/** Reads a PO file by gettext-parser alone. @throws SyntaxError */
export function readByLibrary(text: string): PoBlocks {
  const table = parse(text);
  return {
    used: blocksOf(table.translations),
    obsolete: blocksOf(table.obsolete ?? {}),
    places: placesIn(text),
  };
}

/** Reads the header of a PO file that `readBlocks` reads: its table has the header, and blocks of the file that nothing needs. */
export function readHeader(text: string): PoTable {
  return parse(headerOf(text) ?? text);
}

function headerOf(text: string): string | null {
  // The library adds a plural form to the block before it, whatever is between them.
  if (text.includes('msgid_plural')) return null;
  HEADER.lastIndex = 0;
  return HEADER.test(text) && startsBlock(text, HEADER.lastIndex) ? text.slice(0, HEADER.lastIndex) : null;
}

/** Returns whether the library reads the text from here alike with and without the blocks before it. */
function startsBlock(text: string, from: number): boolean {
  START.lastIndex = from;
  return START.test(text);
}

/** Returns null for a file that the library has to read as a whole. */
function readPlainBlocks(text: string): PoBlocks | null {
  const header = headerOf(text);
  if (header === null) return null;
  const plain = new Map<string, PoBlock>();
  const places = new Map<string, Range>();
  let end = header.length;
  PLAIN.lastIndex = end;
  for (let found = PLAIN.exec(text); found !== null; found = PLAIN.exec(text)) {
    const [, comments = '', context = '', source = '', target = ''] = found;
    const msgctxt = unquoted(context);
    // The library sorts blocks by their context: the same one together, and numbers first.
    if (plain.has(msgctxt) || !msgctxt.includes('#')) return null;
    const start = found.index + comments.length;
    places.set(msgctxt, { start, end: text.indexOf('\n', start) });
    plain.set(msgctxt, {
      msgid: unquoted(source),
      msgctxt,
      ...defined({ comments: comments === '' ? undefined : commentsOf(comments) }),
      msgstr: [unquoted(target)],
      range: { start: found.index, end: PLAIN.lastIndex },
    });
    end = PLAIN.lastIndex;
  }
  if (!startsBlock(text, end)) return null;
  const rest = text.slice(end);
  let read: PoBlocks;
  try {
    read = readByLibrary(`${header}${rest}`);
  } catch {
    // Its message has to name the line of the whole file.
    return null;
  }
  if (read.used.some(({ msgctxt = '' }) => plain.has(msgctxt) || /^\d+$/.test(msgctxt))) return null;
  const moved = [...read.places].map(([context, range]): [string, Range] => {
    return [context, { start: range.start + end - header.length, end: range.end + end - header.length }];
  });
  return { ...read, used: [...plain.values(), ...read.used], places: new Map([...moved, ...places]) };
}

function parse(text: string): PoTable {
  const parsed = (validation: boolean): PoTable => po.parse(text, { defaultCharset: 'utf-8', validation }) as PoTable;
  try {
    return parsed(true);
  } catch (error) {
    // gettext-parser takes the names of object properties, such as `constructor`, for texts that are there already.
    const [, duplicate] =
      /^Duplicate msgid error: entry "(\w+)"/.exec(error instanceof Error ? error.message : '') ?? [];
    if (duplicate === undefined || !(duplicate in {})) throw error;
    return parsed(false);
  }
}

function blocksOf(section: Section): PoBlock[] {
  return Object.values(section).flatMap((bySource) => Object.values(bySource));
}

const KINDS: Readonly<Record<string, keyof PoComments>> = {
  ':': 'reference',
  '.': 'extracted',
  ',': 'flag',
  '|': 'previous',
};

/** Reads the comments of a block as the library does. */
function commentsOf(written: string): PoComments {
  const comments: { -readonly [Kind in keyof PoComments]: PoComments[Kind] } = {};
  for (const line of written.slice(1, -1).split('\n#')) {
    const kind = KINDS[line.charAt(0)] ?? 'translator';
    const text = kind === 'translator' ? line.trimStart() : line.slice(1).trimStart();
    const value = kind === 'reference' ? text.trimEnd() : text;
    const before = comments[kind];
    comments[kind] = before === undefined ? value : `${before}\n${value}`;
  }
  return comments;
}

/** Finds the line of each context. */
function placesIn(text: string): Map<string, Range> {
  const found = [...text.matchAll(/^(?:#~ )?msgctxt ((?:(?:#~ )?"(?:[^"\\\n]|\\.)*"[ \t]*\r?\n)+)/gm)];
  const places = found.map((match): [string, Range] => {
    const { index: start } = match;
    return [unquoted(match[1]!), { start, end: text.indexOf('\n', start) }];
  });
  return new Map(places.reverse());
}

/** Finds the texts of a file that the library does not read, because it has one of them twice. */
export function textsIn(file: string, text: string) {
  const found = text.matchAll(
    /^msgctxt ((?:"(?:[^"\\\n]|\\.)*"[ \t]*\r?\n)+)msgid ((?:"(?:[^"\\\n]|\\.)*"[ \t]*\r?\n)+)/gm,
  );
  return [...found].map(({ index: start, 1: context = '', 2: source = '' }) => {
    const at = { file, start, end: text.indexOf('\n', start) };
    return { context: unquoted(context), source: unquoted(source), isObsolete: false, at };
  });
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r' };

/** Joins quoted strings on lines of their own, and resolves escapes. */
export function unquoted(written: string): string {
  const text = written.slice(written.indexOf('"') + 1, written.lastIndexOf('"'));
  return text.replaceAll(/\\(.)|"\s*(?:#~ )?"/gs, (_, escaped?: string) =>
    escaped === undefined ? '' : (ESCAPES[escaped] ?? escaped),
  );
}

/** Writes a text as one quoted string. */
export function quoted(text: string): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n').replaceAll('\t', '\\t');
  return `"${escaped.replaceAll('\r', '\\r')}"`;
}
