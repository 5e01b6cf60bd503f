import { csvParser, dialectOf, PARSE_OPTIONS, readCsv } from './read-rows.ts';

/** Changes of a CSV file. Rows count from 0, without the header. Removals and additions apply after the cells. */
interface RowEdits {
  readonly cells: readonly { readonly row: number; readonly column: string; readonly value: string }[];
  readonly removed?: readonly number[];
  readonly added?: readonly Readonly<Record<string, string>>[];
}

interface RawRecord {
  readonly record: string[];
  /** Bytes of the record in the file, with its line break. */
  readonly raw: string;
}

/**
 * Edits a CSV or TSV file with a header. Everything outside the cells that change keeps its bytes. Removed and added rows keep the
 * separator and the line breaks of the file.
 *
 * @param text readable by `readCsv`
 * @throws RangeError for a row or column that does not exist
 */
export function editRows(text: string, { cells, removed = [], added = [] }: RowEdits): string {
  const edited = cells.length === 0 ? text : withCells(text, cells);
  return removed.length === 0 && added.length === 0 ? edited : withRows(edited, removed, added);
}

/** Replaces cells where they are. */
function withCells(text: string, cells: RowEdits['cells']): string {
  const { delimiter } = dialectOf(text);
  const read = readCsv('', text);
  const rows = read.ok ? read.value : [];
  const changes = new Map<number, { readonly end: number; readonly value: string }>();
  for (const { row, column, value } of cells) {
    const { values, cellSpan } = rows[row] ?? outside(row);
    if (!values.has(column)) noColumn(column);
    const { start, end } = cellSpan(column);
    changes.set(start, { end, value: quoted(value, delimiter) });
  }
  const backwards = [...changes].sort(([a], [b]) => b - a);
  return backwards.reduce((now, [start, { end, value }]) => now.slice(0, start) + value + now.slice(end), text);
}

function withRows(text: string, removed: readonly number[], added: NonNullable<RowEdits['added']>): string {
  const { delimiter, preamble } = dialectOf(text);
  const [header, ...records] = csvParser().parse(text.slice(preamble.length), {
    ...PARSE_OPTIONS,
    raw: true,
    delimiter,
  }) as unknown as RawRecord[];
  const columns = (header?.record ?? []).map((column) => column.trim());
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  for (const row of removed) if (records[row] === undefined) outside(row);
  const print = (values: readonly string[]): string => values.map((value) => quoted(value, delimiter)).join(delimiter);
  const kept = records.filter((_, row) => !removed.includes(row)).map(({ raw }) => withoutBreaks(raw));
  const rows = added.map((row) => {
    for (const name of Object.keys(row)) if (!columns.includes(name)) noColumn(name);
    return print(columns.map((column) => row[column] ?? ''));
  });
  const lines = [withoutBreaks(header!.raw), ...kept, ...rows];
  const mark = text.startsWith('\ufeff') && !lines[0]!.startsWith('\ufeff') ? '\ufeff' : '';
  return `${preamble === '' ? mark : preamble}${lines.join(newline)}${newline}`;
}

/** Removes the line breaks around a record, those of empty lines too. */
function withoutBreaks(raw: string): string {
  return raw.replaceAll(/^[\r\n]+|[\r\n]+$/g, '');
}

function outside(row: number): never {
  throw new RangeError(`There is no row ${row}`);
}

function noColumn(name: string): never {
  throw new RangeError(`There is no column ${JSON.stringify(name)}`);
}

/** @see RFC 4180 */
function quoted(value: string, delimiter: string): string {
  const needsQuotes = value.includes(delimiter) || /["\r\n]/.test(value) || value !== value.trim();
  return needsQuotes ? `"${value.replaceAll('"', '""')}"` : value;
}

/**
 * Writes a CSV file with the columns of a former file and others that it lacks.
 *
 * @param columns to add where the former file does not have them
 * @param former its separator, line breaks, byte order mark and order of columns are kept; null for a new file
 */
export function writeCsv(
  columns: readonly string[],
  records: readonly ReadonlyMap<string, string>[],
  former: string | null,
): string {
  const { delimiter, preamble } = dialectOf(former ?? columns.join(','));
  const rows = former === null ? [] : (csvParser().parse(former.slice(preamble.length), { ...PARSE_OPTIONS, delimiter, to: 1 }) as string[][]); // biome-ignore format: one parse
  const header = (rows[0] ?? []).map((column) => column.trim()).filter((column) => column !== '');
  const names = [...header, ...columns.filter((column) => !header.includes(column))];
  const print = (values: readonly string[]): string => values.map((value) => quoted(value, delimiter)).join(delimiter);
  const lines = [names, ...records.map((record) => names.map((name) => record.get(name) ?? ''))].map(print);
  const newline = former?.includes('\r\n') ? '\r\n' : '\n';
  const mark = former?.startsWith('\ufeff') && !preamble.startsWith('\ufeff') ? '\ufeff' : '';
  return `${mark}${preamble}${lines.join(newline)}${newline}`;
}
