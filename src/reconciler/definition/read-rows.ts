import { createRequire } from 'node:module';
import type { CsvError, Info } from 'csv-parse/sync';
import { type Diagnostic, errorAt, failure, type Result, type Span, startOf } from '../../kernel/diagnostic.ts';
import { parseYaml } from '../../kernel/yaml/parse-yaml.ts';
import { child, type TreeNode } from '../../kernel/yaml/tree.ts';

const MAX_ROWS = 100_000;

/**
 * Parses the rows of a data file by its extension: CSV or TSV with a header line, JSON with an array of objects, YAML with
 * a list of maps. Requires 1 to 100,000 rows. Never throws.
 */
export function readRows(file: string, text: string): Result<Row[]> {
  const rows = /\.[ct]sv$/i.test(file) ? readCsv(file, text) : readYamlRows(file, text);
  if (!rows.ok) return rows;
  const at = startOf(file);
  if (rows.value.length === 0) {
    return failure('data_invalid', at, `${file} has no rows`, 'Add a row, or remove the definition');
  }
  if (rows.value.length > MAX_ROWS) {
    const message = `${file} has ${rows.value.length} rows, but at most ${MAX_ROWS} are supported`;
    return failure('data_invalid', at, message, 'Split the file');
  }
  return rows;
}

/** Returns whether the extension is that of a data file. */
export function isDataFile(path: string): boolean {
  return /\.(?:csv|tsv|json|ya?ml)$/i.test(path);
}

/** Parses YAML and JSON. Parsed as YAML, the numbers of JSON keep their spelling. */
function readYamlRows(file: string, text: string): Result<Row[]> {
  const parsed = parseYaml(file, text);
  if (!parsed.ok) return parsed;
  const root = parsed.value;
  if (root === null) return { ok: true, value: [] };
  if (root.kind !== 'list') {
    return failure('data_invalid', root.span, `${file} is not a list of rows`, 'Write a list of maps, one per video');
  }
  return rowsIn(file, root.items);
}

/** Reads the rows of a list of maps. @param file that contains them */
export function rowsIn(file: string, items: readonly TreeNode[]): Result<Row[]> {
  const problems: Diagnostic[] = [];
  const rows = items.map((item, index) => readRow(file, item, index + 1, problems));
  return problems.length > 0 ? { ok: false, diagnostics: problems } : { ok: true, value: rows };
}

function readRow(file: string, item: TreeNode, number: number, problems: Diagnostic[]): Row {
  const values = new Map<string, string>();
  const name = `${file} row ${number}`;
  const row: Row = {
    values,
    file,
    name,
    span: item.span,
    cellSpan: (column) => child(item, column)?.span ?? item.span,
  };
  if (item.kind !== 'map') {
    problems.push(
      errorAt('data_invalid', item.span, `Row ${number} must be a map of columns`, 'Write each column as name: value'),
    );
    return row;
  }
  for (const [column, { keySpan, value }] of item.entries) {
    if (value.kind === 'scalar') {
      values.set(column, value.value === null ? '' : value.text);
    } else {
      const message = `The column ${JSON.stringify(column)} of row ${number} is a ${value.kind}, not a text`;
      problems.push(errorAt('data_invalid', keySpan, message, 'A column must be a text, number or boolean'));
    }
  }
  return row;
}

/** One row of a data file, which defines one video. */
export interface Row {
  /** Column → text as written, such as `007` or `1.10`. */
  readonly values: ReadonlyMap<string, string>;
  /** The data file, repository-relative. */
  readonly file: string;
  /** For messages: `data/stores.csv line 3`. */
  readonly name: string;
  readonly span: Span;
  /** Returns the location of the cell in a column of `values`. */
  cellSpan(column: string): Span;
  /** Returns the file of a column, if the row has columns of several. */
  fileOf?(column: string): string;
  /** Returns whether a column is defined by the definition itself, not by its data. */
  isWritten?(column: string): boolean;
  /** Receives each column that is filled in. */
  onRead?(column: string): void;
  /** Receives each scalar of a definition that is filled in. */
  onScalar?(node: TreeNode): void;
  /** Returns the row of a scene as the video reads it that this row belongs to; see `localRow`. */
  localized?(inner: Row, scene: string): Row;
  /** Locales whose files a video uses where its own locale has none, the nearest first; absent without such. */
  readonly parents?: readonly string[];
  /** The row as its file has it, of which ids are made; null without data, and absent if the row is not changed. */
  readonly original?: Row | null;
}

/** Adds the columns of the definition's row to those of a scene's row, which win. @param scene id of the scene with its row */
export function withOuterRow(inner: Row, outer: Row | null, scene = ''): Row {
  if (outer === null) return inner;
  const row = outer.localized?.(inner, scene) ?? inner;
  const rowOf = (column: string): Row => (row.values.has(column) ? row : outer);
  return {
    ...row,
    values: new Map([...outer.values, ...row.values]),
    cellSpan: (column) => rowOf(column).cellSpan(column),
    fileOf: (column) => rowOf(column).file,
    isWritten: (column) => !row.values.has(column) && outer.isWritten?.(column) === true,
    onRead: (column) => rowOf(column).onRead?.(column),
    ...(outer.onScalar && { onScalar: outer.onScalar }),
    ...(outer.parents && !row.values.has('locale') && { parents: outer.parents }),
  };
}

/** UTF-16 code units of a CSV file. */
const MAX_LENGTH = 16 << 20;

/**
 * Parses CSV with a header line. The separator is that of a first line `sep=;`, or the comma, semicolon or tab that is most
 * frequent in the header. Ignores empty lines, and rows and unnamed columns without any value, which spreadsheets write around a
 * table. A line break in a value is LF.
 *
 * @see RFC 4180
 */
export function readCsv(file: string, text: string): Result<Row[]> {
  if (text.length > MAX_LENGTH) {
    return failure('data_invalid', startOf(file), `${file} is too large for a data file`);
  }
  const { delimiter, preamble } = dialectOf(text);
  const lines = new Lines(file, text, delimiter);
  const control = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/.exec(text);
  if (control !== null) {
    const at = { file, start: control.index, end: control.index + 1 };
    return failure('data_invalid', at, `${file} contains a control character`, 'Remove it');
  }
  // Keeps the line break of the preamble, so that lines are counted as in the file.
  const records = parseRecords(text.slice(preamble.replace(/[\r\n]+$/, '').length), delimiter);
  if (records instanceof Error) {
    const line = Number(records.lines) || 1;
    const open = openQuote(file, text, preamble.length, delimiter);
    const isUnclosed = open !== null && ['CSV_QUOTE_NOT_CLOSED', 'CSV_INVALID_CLOSING_QUOTE'].includes(records.code);
    const problem = isUnclosed ? 'the closing " of this cell is missing' : CSV_PROBLEMS[records.code];
    const hint = `${isUnclosed ? 'Add " at the end of the cell. ' : ''}Double quotes inside a quoted text: ""`;
    const message = `${file} is not valid CSV: ${problem ?? records.message}`;
    return failure('data_invalid', isUnclosed ? open : lines.span(line), message, hint);
  }

  const [header, ...body] = records;
  const problems: Diagnostic[] = [];
  const names = (header?.record ?? []).map((column) => column.trim());
  const columns = names.flatMap((name, at): [string, number][] => {
    return name !== '' || body.some(({ record }) => (record[at] ?? '') !== '') ? [[name, at]] : [];
  });
  const doubled = columns.find(([name], index) => columns.findIndex(([earlier]) => earlier === name) !== index)?.[0];
  if (doubled !== undefined) {
    const line = lines.nextFilled(preamble === '' ? 0 : 1);
    const message =
      doubled === ''
        ? 'Several columns have values but no name'
        : `The header contains the column ${JSON.stringify(doubled)} twice`;
    const hint = doubled === '' ? 'Name them in the header, or delete them' : 'Rename one of the two';
    problems.push(errorAt('data_invalid', lines.span(line), message, hint));
  }
  const width = (columns.at(-1)?.[1] ?? 0) + 1;
  const rows = body.map(({ record, info }, index): Row => {
    const line = lines.nextFilled((index === 0 ? header : body[index - 1])?.info.lines ?? 0);
    const problem = lengthProblem(record, names, width);
    if (problem !== null) {
      problems.push(errorAt('data_invalid', lines.span(line), `Line ${line} ${problem.message}`, problem.hint));
    }
    const values = new Map(columns.map(([column, at]) => [column, withLineFeeds(record[at] ?? '')]));
    const span = lines.span(line, info.lines);
    const cellSpan = (column: string): Span => {
      const at = columns.find(([name]) => name === column)?.[1];
      return at === undefined ? span : { file, ...cellRange(text, span.start, at, delimiter) };
    };
    return { values, file, name: `${file} line ${line}`, span, cellSpan };
  });
  return problems.length > 0 ? { ok: false, diagnostics: problems } : { ok: true, value: rows };
}

/** @param width number of columns up to the last used column */
function lengthProblem(
  record: readonly string[],
  names: readonly string[],
  width: number,
): { readonly message: string; readonly hint: string } | null {
  if (record.length < width) {
    const missing = names.slice(record.length, width).map((name) => JSON.stringify(name));
    const message = `has no value for ${missing.join(', ')}`;
    return { message, hint: 'Add the values; an empty cell needs its separator too' };
  }
  if (record.slice(names.length).every((value) => value === '')) return null;
  const message = `has ${record.length} values, but the header has ${names.length}`;
  return { message, hint: 'Quote a text that contains the separator' };
}

/** Git on Windows changes the line breaks of a file, which must not change the texts of videos. */
function withLineFeeds(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n');
}

interface CsvRecord {
  readonly record: string[];
  /** `lines` is the last line of the record, counted from 1. */
  readonly info: Info;
}

export const PARSE_OPTIONS = {
  bom: true,
  relax_column_count: true,
  skip_empty_lines: true,
  skip_records_with_empty_values: true,
};

/** Loads the parser of CSV, which most repositories do not need. */
export function csvParser(): typeof import('csv-parse/sync') {
  // The build bundles it.
  return createRequire(import.meta.url)('csv-parse/sync') as typeof import('csv-parse/sync');
}

function parseRecords(text: string, delimiter: string): CsvRecord[] | CsvError {
  const parser = csvParser();
  try {
    return parser.parse(text, { ...PARSE_OPTIONS, info: true, delimiter }) as unknown as CsvRecord[];
  } catch (error) {
    if (error instanceof parser.CsvError) return error;
    throw error;
  }
}

function firstLine(text: string): string {
  return /^[^\r\n]*/.exec(text)?.[0] ?? '';
}

interface CsvDialect {
  readonly delimiter: string;
  /** A first line like `sep=;`, which Excel reads, with its line break; empty if there is none. */
  readonly preamble: string;
}

/** Returns the separator of a CSV text. */
export function dialectOf(text: string): CsvDialect {
  const [preamble = '', delimiter] = /^\ufeff?sep=([,;|\t])[ \t]*(?:\r\n|\r|\n)/i.exec(text) ?? [];
  return { delimiter: delimiter ?? separatorOf(firstLine(text)), preamble };
}

/** Returns the most frequent separator outside quotes; the first wins a tie. */
function separatorOf(header: string): string {
  const bare = header.replaceAll(/"[^"]*"/g, '');
  const counted = [',', ';', '\t'].map((separator) => [separator, bare.split(separator).length] as const);
  return counted.reduce((most, count) => (count[1] > most[1] ? count : most))[0];
}

/** Messages for the errors of csv-parse. */
const CSV_PROBLEMS: Readonly<Record<string, string>> = {
  CSV_INVALID_CLOSING_QUOTE: 'there is text between a closing quote and the next separator',
  INVALID_OPENING_QUOTE: 'there is a quote in the middle of a text',
};

/**
 * Returns the first quote that is not closed in its line, from it to the end of its line; null if every quote is closed. Such a
 * cell extends to the end of the file, or to the quote that begins a later cell.
 *
 * @param from offset of the header
 */
function openQuote(file: string, text: string, from: number, delimiter: string): Span | null {
  let start = text.startsWith('\ufeff') ? Math.max(from, 1) : from;
  while (start < text.length) {
    const end = cellEnd(text, start, delimiter);
    const closing = text[start] === '"' ? closingQuote(text, start) : end - 1;
    if (closing !== end - 1) {
      const lineEnd = start + firstLine(text.slice(start)).length;
      return closing !== -1 && closing < lineEnd ? null : { file, start, end: lineEnd };
    }
    start = end + 1;
  }
  return null;
}

/** Returns the range of a cell, with its quotes. @param at number of cells before it in its row */
function cellRange(text: string, rowStart: number, at: number, delimiter: string): Omit<Span, 'file'> {
  let start = text.startsWith('\ufeff', rowStart) ? rowStart + 1 : rowStart;
  for (let left = at; left > 0; left -= 1) start = cellEnd(text, start, delimiter) + 1;
  return { start, end: cellEnd(text, start, delimiter) };
}

/** Returns the offset of the separator or line break after a cell; the length of the text after the last cell. */
function cellEnd(text: string, start: number, delimiter: string): number {
  const closing = text[start] === '"' ? closingQuote(text, start) : start - 1;
  let end = closing < start - 1 ? text.length : closing + 1;
  while (end < text.length && text[end] !== delimiter && text[end] !== '\n' && text[end] !== '\r') end += 1;
  return end;
}

/** Returns the offset of the quote that closes a cell; -1 if it is missing. */
function closingQuote(text: string, opening: number): number {
  let at = text.indexOf('"', opening + 1);
  while (at !== -1 && text[at + 1] === '"') at = text.indexOf('"', at + 2);
  return at;
}

/** Positions of the lines of a text, counted from 1. */
class Lines {
  readonly #file: string;
  readonly #text: string;
  readonly #starts = [0];
  /** Matches a line without any value. A quote that does not end in the line begins a value. */
  readonly #blank: RegExp;

  constructor(file: string, text: string, delimiter: string) {
    this.#file = file;
    this.#text = text;
    this.#blank = new RegExp(`^(?:[\\s${delimiter}]|"\\s*"(?!"))*$`);
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) this.#starts.push(at + 1);
  }

  /** Returns the span from the start of one line to the end of another, without the line break. */
  span(first: number, last = first): Span {
    const start = this.#starts[first - 1] ?? this.#text.length;
    let end = Math.max(start, this.#starts[last] ?? this.#text.length);
    while (end > start && /[\r\n]/.test(this.#text[end - 1]!)) end -= 1;
    return { file: this.#file, start, end };
  }

  nextFilled(after: number): number {
    let line = after + 1;
    while (line < this.#starts.length && this.#blank.test(this.#text.slice(this.#starts[line - 1], this.#starts[line])))
      line += 1;
    return line;
  }
}
