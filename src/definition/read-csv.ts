import { CsvError, type Info, parse } from 'csv-parse/sync';
import type { Diagnostic, Result, Span } from '../diagnostic.ts';
import { dataProblem, type Row } from './row.ts';

/** UTF-16 code units of one file. */
const MAX_LENGTH = 16 << 20;

/**
 * The rows of a CSV text with a header line, separated by commas, semicolons or tabs: by what the header has most of.
 * Empty lines count for nothing.
 *
 * @see RFC 4180
 */
export function readCsv(file: string, text: string): Result<Row[]> {
  if (text.length > MAX_LENGTH) {
    return {
      ok: false,
      diagnostics: [dataProblem({ file, start: 0, end: 0 }, `${file} is too large to be read as rows`)],
    };
  }
  const lines = new Lines(file, text);
  const control = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/.exec(text);
  if (control !== null) {
    const at = { file, start: control.index, end: control.index + 1 };
    return { ok: false, diagnostics: [dataProblem(at, `${file} holds a control character`, 'Remove it')] };
  }
  const records = parseRecords(text);
  if (records instanceof CsvError) {
    const at = lines.span(Number(records.lines) || 1);
    const hint = 'Write a quote inside a quoted text twice: ""';
    return {
      ok: false,
      diagnostics: [
        dataProblem(at, `${file} is not valid CSV: ${CSV_PROBLEMS[records.code] ?? records.message}`, hint),
      ],
    };
  }

  const [header, ...body] = records;
  const columns = (header?.record ?? []).map((column) => column.trim());
  const problems: Diagnostic[] = [];
  const doubled = columns.find((column, index) => columns.indexOf(column) !== index);
  if (doubled !== undefined) {
    const message = `The column ${JSON.stringify(doubled)} stands twice in the header`;
    problems.push(dataProblem(lines.span(1), message, 'Rename one of the two'));
  }
  const rows = body.map(({ record, info }, index): Row => {
    const line = lines.nextFilled((index === 0 ? header : body[index - 1])?.info.lines ?? 0);
    if (record.length !== columns.length) {
      const message = `Line ${line} has ${record.length} ${record.length === 1 ? 'value' : 'values'}, the header has ${columns.length}`;
      problems.push(dataProblem(lines.span(line), message, 'Put a text that holds the separator in quotes'));
    }
    const values = new Map(columns.map((column, at) => [column, record[at] ?? '']));
    return { values, file, name: `${file} line ${line}`, span: lines.span(line, info.lines) };
  });
  return problems.length > 0 ? { ok: false, diagnostics: problems } : { ok: true, value: rows };
}

interface CsvRecord {
  readonly record: string[];
  /** `lines` is the last line of the record, counted from 1. */
  readonly info: Info;
}

function parseRecords(text: string): CsvRecord[] | CsvError {
  const delimiter = separatorOf(/^[^\r\n]*/.exec(text)?.[0] ?? '');
  try {
    const options = { info: true, relax_column_count: true, skip_empty_lines: true, delimiter };
    return parse(text, options) as unknown as CsvRecord[];
  } catch (error) {
    if (error instanceof CsvError) return error;
    throw error;
  }
}

/** The first of equals; what stands in quotes separates nothing. */
function separatorOf(header: string): string {
  const bare = header.replaceAll(/"[^"]*"/g, '');
  const counted = [',', ';', '\t'].map((separator) => [separator, bare.split(separator).length] as const);
  return counted.reduce((most, one) => (one[1] > most[1] ? one : most))[0];
}

/** What csv-parse means, in our words. */
const CSV_PROBLEMS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'a quote that was opened is not closed before the end of the file',
  CSV_INVALID_CLOSING_QUOTE: 'something stands between a closing quote and the next separator',
  INVALID_OPENING_QUOTE: 'a quote stands in the middle of a text',
};

/** Where the lines of a text are, counted from 1. */
class Lines {
  readonly #file: string;
  readonly #text: string;
  readonly #starts = [0];

  constructor(file: string, text: string) {
    this.#file = file;
    this.#text = text;
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) this.#starts.push(at + 1);
  }

  /** From the start of one line to the end of another, without the line break. */
  span(first: number, last = first): Span {
    const start = this.#starts[first - 1] ?? this.#text.length;
    let end = Math.max(start, this.#starts[last] ?? this.#text.length);
    while (end > start && /[\r\n]/.test(this.#text[end - 1]!)) end -= 1;
    return { file: this.#file, start, end };
  }

  /** The first line with text after this one. */
  nextFilled(after: number): number {
    let line = after + 1;
    while (line < this.#starts.length && this.#text.slice(this.#starts[line - 1], this.#starts[line]).trim() === '')
      line += 1;
    return line;
  }
}
