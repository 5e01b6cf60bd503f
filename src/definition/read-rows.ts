import type { Diagnostic, Result } from '../diagnostic.ts';
import { parseYaml } from '../yaml/parse-yaml.ts';
import type { TreeNode } from '../yaml/tree.ts';
import { readCsv } from './read-csv.ts';
import { dataProblem, type Row } from './row.ts';

const MAX_ROWS = 100_000;

/**
 * The rows of a data file, by its ending: CSV or TSV with a header line, JSON with an array of objects, YAML with a list
 * of maps. One row at least, 100,000 at most. Never throws on the text.
 */
export function readRows(file: string, text: string): Result<Row[]> {
  const rows = /\.[ct]sv$/i.test(file) ? readCsv(file, text) : readYamlRows(file, text);
  if (!rows.ok) return rows;
  const at = { file, start: 0, end: 0 };
  if (rows.value.length === 0) {
    return { ok: false, diagnostics: [dataProblem(at, `${file} has no rows`, 'Add a row, or remove the definition')] };
  }
  if (rows.value.length > MAX_ROWS) {
    const message = `${file} has ${rows.value.length} rows, more than the ${MAX_ROWS} that are read`;
    return { ok: false, diagnostics: [dataProblem(at, message, 'Split the file')] };
  }
  return rows;
}

/** Whether a file of this name can hold rows. */
export function isDataFile(path: string): boolean {
  return /\.(?:csv|tsv|json|ya?ml)$/i.test(path);
}

/** JSON is YAML, and read as such its numbers stay as they are written. */
function readYamlRows(file: string, text: string): Result<Row[]> {
  const parsed = parseYaml(file, text);
  if (!parsed.ok) return parsed;
  const root = parsed.value;
  if (root === null) return { ok: true, value: [] };
  const problems: Diagnostic[] = [];
  if (root.kind !== 'list') {
    problems.push(dataProblem(root.span, `${file} is not a list of rows`, 'Write a list of maps, one for each video'));
    return { ok: false, diagnostics: problems };
  }
  const rows = root.items.map((item, index) => readRow(file, item, index + 1, problems));
  return problems.length > 0 ? { ok: false, diagnostics: problems } : { ok: true, value: rows };
}

function readRow(file: string, item: TreeNode, number: number, problems: Diagnostic[]): Row {
  const values = new Map<string, string>();
  const name = `${file} row ${number}`;
  if (item.kind !== 'map') {
    problems.push(dataProblem(item.span, `Row ${number} is not a map of columns`, 'Write each column as name: text'));
    return { values, file, name, span: item.span };
  }
  for (const [column, { keySpan, value }] of item.entries) {
    if (value.kind === 'scalar') {
      values.set(column, value.value === null ? '' : value.text);
    } else {
      const message = `The column ${JSON.stringify(column)} of row ${number} holds a ${value.kind}, not a text`;
      problems.push(dataProblem(keySpan, message, 'A column holds one text, number or boolean'));
    }
  }
  return { values, file, name, span: item.span };
}
