import { defined } from '../../kernel/defined.ts';
import { failure, type Result, startOf } from '../../kernel/diagnostic.ts';
import { type Row, readCsv } from '../definition/read-rows.ts';
import { writeCsv } from '../definition/write-rows.ts';
import type { CatalogueFormat, CatalogueUnit, LocatedUnit } from '../locales/catalogue.ts';

const COLUMNS = [
  'context',
  'source',
  'target',
  'state',
  'label',
  'max_length',
  'lines',
  'location',
  'still',
  'previous',
];

/** A table with a text per row. Columns that it does not know are kept. */
export const CSV_FORMAT: CatalogueFormat = {
  read(file, text): Result<readonly LocatedUnit[]> {
    const rows = readCsv(file, text);
    if (!rows.ok) return rows;
    const [first] = rows.value;
    const missing = ['context', 'source', 'target'].find((column) => first?.values.has(column) === false);
    if (missing !== undefined) {
      return failure('catalogue_invalid', startOf(file), `${file} has no column ${JSON.stringify(missing)}`, 'Restore it'); // biome-ignore format: one line
    }
    return { ok: true, value: rows.value.filter(({ values }) => values.get('context') !== '').map(unitOf) };
  },

  write(units, _locales, former): string {
    const records = units.map((unit) => recordOf(unit as CatalogueUnit<Row>));
    return writeCsv(COLUMNS, records, former);
  },
};

function unitOf(row: Row): LocatedUnit {
  const cell = (name: string): string | undefined => row.values.get(name) || undefined;
  const [target = '', state] = [cell('target'), cell('state')];
  const states = statesOf(state);
  const [maxLength, lines] = [Number(cell('max_length') ?? Number.NaN), Number(cell('lines') ?? Number.NaN)];
  return {
    context: cell('context')!,
    source: row.values.get('source') ?? '',
    target,
    isStale: states.includes('stale') && target !== '',
    isObsolete: states.includes('obsolete'),
    raw: row,
    at: row.cellSpan('target'),
    ...defined({
      label: cell('label'),
      location: cell('location'),
      still: cell('still'),
      previous: cell('previous'),
      maxLength: Number.isInteger(maxLength) ? maxLength : undefined,
      lines: Number.isInteger(lines) ? lines : undefined,
    }),
  };
}

function recordOf(unit: CatalogueUnit<Row>): Map<string, string> {
  const { raw, context, source, target, isStale, isObsolete, label, maxLength, lines, location, still, previous } =
    unit;
  const former = statesOf(raw?.values.get('state')).filter((name) => name !== 'stale' && name !== 'obsolete');
  const state = [...(isObsolete ? ['obsolete'] : []), ...(isStale ? ['stale'] : []), ...former].join('; ');
  return new Map([
    ...(raw?.values ?? []),
    ...Object.entries({
      context,
      source,
      target,
      state,
      label: label ?? '',
      max_length: String(maxLength ?? ''),
      lines: String(lines ?? ''),
      location: location ?? '',
      still: still ?? '',
      previous: previous ?? '',
    }),
  ]);
}

/** A cell may have the states of other tools beside ours. */
function statesOf(cell = ''): string[] {
  return cell
    .split(';')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
