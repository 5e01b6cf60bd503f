import { type Diagnostic, errorAt, type Span } from '../../kernel/diagnostic.ts';
import type { TreeNode } from '../../kernel/yaml/tree.ts';
import type { LocaleSettings } from '../locales/locale-settings.ts';
import { parentLocales } from '../locales/parent-locales.ts';
import type { Combination } from './matrix.ts';
import type { Row } from './read-rows.ts';

/** What a video of a variant and a locale reads of its rows. */
export interface LocalReading {
  readonly combination: Pick<Combination, 'variant' | 'locale' | 'at'>;
  readonly settings: LocaleSettings | null;
  /** The definition's file, repository-relative. */
  readonly path: string;
  /** Receives each column that has no value for the locale, when it is read. */
  onMissing(column: MissingColumn): void;
  /** Receives each scalar that is filled in. */
  onScalar(node: TreeNode): void;
  /**
   * Returns the translation of a column's text in the catalogue; null for columns that are not in catalogues.
   *
   * @param scene id of the scene that the row belongs to; null for a row of the definition
   */
  translate(column: string, text: string, scene: string | null, at: () => Span): TranslatedCell | null;
}

/** The state of a column's text in the catalogue. */
export type TranslatedCell =
  | { readonly state: 'translated'; readonly text: string; readonly at: Span }
  | { readonly state: 'untranslated' | 'stale'; readonly text: string | null };

/** A column without a value for the locale. */
export interface MissingColumn {
  readonly column: string;
  /**
   * `fallback`: another locale's value is read; `untranslated`: the cell of the locale is empty, or the catalogue has no
   * translation; `stale`: the text was translated and changed.
   */
  readonly state: 'fallback' | 'untranslated' | 'stale';
  /** Column that is read instead. */
  readonly used: string;
  readonly at: Span;
}

/** Names that the matrix defines in rows. */
const DIMENSIONS = ['variant', 'locale'] as const;

/**
 * Returns a row as a video of a variant and a locale reads it: with `variant` and `locale`, and with each column in the
 * language of the video. `claim` reads `claim_<locale>`, then the columns of its parents, then `claim`.
 *
 * @param row null for a definition without rows
 */
export function localRow(row: Row | null, reading: LocalReading): Row {
  const { combination, path } = reading;
  const { locale, at } = combination;
  const dimensions = DIMENSIONS.flatMap((name) =>
    combination[name] === null ? [] : [[name, combination[name]] as const],
  );
  const place = at ?? { file: path, start: 0, end: 0 };
  const parents = locale === null ? [] : parentLocales(locale);
  const written = dimensions.map(([name, value]) => `${name} ${value}`).join(', ');
  const outer: Row = {
    values: new Map(dimensions),
    file: path,
    name: row === null ? written : locale === null ? row.name : `${row.name}, ${locale}`,
    span: row?.span ?? place,
    cellSpan: () => place,
    isWritten: (column) => dimensions.some(([name]) => name === column),
    onScalar: reading.onScalar,
    ...(parents.length > 0 && { parents }),
    localized: (inner, scene) => withLocale(inner, reading, scene),
    original: row,
  };
  if (row === null) return outer;
  const local = withLocale(row, reading, null);
  return {
    ...local,
    ...outer,
    values: new Map([...local.values, ...outer.values]),
    file: row.file,
    cellSpan: (column) => (outer.values.has(column) ? place : local.cellSpan(column)),
    ...(local.onRead && { onRead: local.onRead }),
  };
}

/**
 * Returns an error if the rows of a file have a column whose name the matrix defines.
 *
 * @param row first row of the file
 * @param dimensions row with the dimensions in use
 */
export function dimensionProblem(row: Row, dimensions: Row): Diagnostic | null {
  const used = DIMENSIONS.filter((name) => row.values.has(name) && dimensions.isWritten?.(name) === true);
  if (used.length === 0) return null;
  const columns = used.map((name) => JSON.stringify(name)).join(' and ');
  const message = `${row.file} has the ${used.length === 1 ? 'column' : 'columns'} ${columns}, but the definition has ${used.map((name) => `${name}s`).join(' and ')}`;
  return errorAt(
    'column_hidden',
    row.cellSpan(used[0]!),
    message,
    `Rename the ${used.length === 1 ? 'column' : 'columns'}`,
  );
}

/** Replaces columns by those of the locale. */
function withLocale(row: Row, reading: LocalReading, scene: string | null): Row {
  const { settings } = reading;
  const { locale } = reading.combination;
  if (locale === null || settings === null) return row;
  const columns = localizedColumns(row, settings);
  if (columns.size === 0) return row;
  const values = new Map(row.values);
  const found = new Map<string, Reading>();
  for (const [column, byLocale] of columns) {
    const read = readColumn(column, byLocale, row, locale, {
      settings,
      translate: (text, base) => reading.translate(column, text, scene, () => row.cellSpan(base)),
    });
    found.set(column, read);
    values.set(column, read.text);
  }
  const usedColumn = (column: string): string => found.get(column)?.used ?? column;
  return {
    ...row,
    values,
    cellSpan: (column) => found.get(column)?.entry ?? row.cellSpan(usedColumn(column)),
    onRead(column) {
      const read = found.get(column);
      if (read === undefined || read.state === 'found') return;
      const { state, used } = read;
      reading.onMissing({ column, state, used, at: row.cellSpan(read.at) });
    },
  };
}

interface Reading {
  readonly text: string;
  /** Column of the text. */
  readonly used: string;
  readonly state: 'found' | MissingColumn['state'];
  /** The entry of the catalogue that the text is from; absent for a text of a column. */
  readonly entry?: Span;
  /** Column whose cell shows what is missing. */
  readonly at: string;
}

function readColumn(
  column: string,
  byLocale: ReadonlyMap<string, string>,
  row: Row,
  locale: string,
  {
    settings: { source },
    translate,
  }: { settings: LocaleSettings; translate(text: string, column: string): TranslatedCell | null },
): Reading {
  const text = (name: string): string => {
    const value = row.values.get(name) ?? '';
    return value.trim() === '' ? '' : value;
  };
  const exact = byLocale.get(locale);
  if (exact !== undefined && text(exact) !== '') return { text: text(exact), used: exact, state: 'found', at: exact };
  const parent = parentLocales(locale)
    .map((tag) => byLocale.get(tag))
    .find((name) => name !== undefined && text(name) !== '');
  // The column of the source locale takes the place of a column without a locale.
  const base = row.values.has(column) ? column : (byLocale.get(source) ?? column);
  if (locale === source) return { text: text(parent ?? base), used: parent ?? base, state: 'found', at: base };
  const original = text(base);
  const translated = original === '' ? null : translate(original, base);
  if (translated?.state === 'translated') {
    return { text: translated.text, used: base, state: 'found', at: base, entry: translated.at };
  }
  const used = parent ?? base;
  const shown = text(used);
  // An empty text has no translation, and a number of a column without columns of locales needs none.
  if (shown === '' || (byLocale.size === 0 && translated === null)) return { text: '', used, state: 'found', at: base };
  if (translated !== null) return { text: translated.text ?? shown, used, state: translated.state, at: base };
  // A column of the locale shows that the text is translated there: its cell is waiting.
  const isWaiting = exact !== undefined && parent === undefined;
  return { text: shown, used, state: isWaiting ? 'untranslated' : 'fallback', at: exact ?? used };
}

const KNOWN = new WeakMap<Row, ReadonlyMap<string, ReadonlyMap<string, string>>>();

/** Returns the columns that have columns of locales, or whose texts are in catalogues: column → locale → its column. */
export function localizedColumns(row: Row, settings: LocaleSettings): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const known = KNOWN.get(row);
  if (known !== undefined) return known;
  const tags = new Map(
    [settings.source, ...settings.targets]
      .flatMap((locale) => [locale, ...parentLocales(locale)])
      .map((tag) => [normalized(tag), tag]),
  );
  const columns = new Map<string, Map<string, string>>();
  for (const name of settings.columns) if (row.values.has(name)) columns.set(name, new Map());
  for (const name of row.values.keys()) {
    for (let at = name.indexOf('_', 1); at !== -1; at = name.indexOf('_', at + 1)) {
      const tag = tags.get(normalized(name.slice(at + 1)));
      if (tag === undefined) continue;
      const column = name.slice(0, at);
      columns.set(column, (columns.get(column) ?? new Map<string, string>()).set(tag, name));
      break;
    }
  }
  KNOWN.set(row, columns);
  return columns;
}

/** Spreadsheets write `pt_BR` and `pt-br`. */
function normalized(tag: string): string {
  return tag.replaceAll('_', '-').toLowerCase();
}
