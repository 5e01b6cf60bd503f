import { valueName } from '../contract/video-spec.ts';
import { trackKey } from '../contract/wire/mapping.ts';
import { defined } from '../kernel/defined.ts';
import { groupBy } from '../kernel/group-by.ts';
import { parseYaml } from '../kernel/yaml/parse-yaml.ts';
import type { FilledCell, TreeNode } from '../kernel/yaml/tree.ts';
import { TITLE_KEY } from '../reconciler/definition/filled-values.ts';
import { localizedColumns } from '../reconciler/definition/local-row.ts';
import { type Row, readRows, rowsIn } from '../reconciler/definition/read-rows.ts';
import { hasWords } from '../reconciler/definition/texts.ts';
import type { LanguageText, LanguageTranslation } from './language-protocol.ts';
import type { DefinitionLanguages, DrawnVideo } from './ports.ts';

type ColumnTranslation = LanguageTranslation &
  Pick<LanguageText, 'context' | 'label' | 'maxLength'> & { readonly source: string };

/**
 * Returns the texts of the videos that columns of locales translate, such as `claim` by `claim_de`. A column that catalogues
 * translate too is one of these texts only where its cell has a text.
 *
 * @param videos in the order in which their frames are preferred
 * @param seenIn returns where an editable of a video is seen
 */
export function columnTexts(
  videos: readonly DrawnVideo[],
  languages: Pick<DefinitionLanguages, 'settings' | 'filled' | 'source'>,
  seenIn: (drawn: DrawnVideo, name: string | undefined) => LanguageTranslation['seen'],
): LanguageText[] {
  const { settings, filled } = languages;
  const rowOf = rowFinder(languages);
  const found = videos.flatMap((drawn): ColumnTranslation[] => {
    const { locale = settings.source } = drawn.video.matrix;
    if (locale === settings.source) return [];
    const texts = textsOf(drawn);
    return [...(filled.get(drawn.video.id)?.cells ?? [])].flatMap(([name, cells]) => {
      const text = texts.get(name);
      if (text === undefined) return [];
      return cells.flatMap((cell): ColumnTranslation[] => {
        const column = columnOf(cell, locale, rowOf, settings);
        if (column === null) return [];
        const seen = name === TITLE_KEY ? null : seenIn(drawn, name);
        return [{ ...column, locale, seen, maxLength: text.value === cell.text ? text.maxLength : null }];
      });
    });
  });
  return [...groupBy(found, ({ context }) => context)].map(([context, group]): LanguageText => {
    const [{ label, source }] = group;
    const lengths = group.flatMap(({ maxLength }) => maxLength ?? []);
    const perLocale = [...groupBy(group, ({ locale }) => locale).values()].map(
      (same) => same.find(({ seen }) => seen !== null) ?? same[0],
    );
    const translations = perLocale.map(
      ({ context: _context, label: _label, maxLength: _length, source: _source, ...translation }) => translation,
    );
    return {
      context,
      label,
      text: source,
      maxLength: lengths.length === 0 ? null : Math.min(...lengths),
      lines: null,
      translations,
    };
  });
}

/** The texts of a video by the names of its filled cells: those of its templates, its title, and what is spoken. */
function textsOf({ video, templates }: DrawnVideo) {
  const texts = new Map<string, { readonly value: string; readonly maxLength: number | null }>();
  texts.set(TITLE_KEY, { value: video.title, maxLength: null });
  for (const scene of video.scenes) {
    for (const [key, value] of scene.resources) {
      const editable = templates?.packages.get(scene.template)?.spec.editables[key];
      if (value.kind !== 'text' || (editable !== undefined && editable.input_type !== 'text')) continue;
      texts.set(valueName(video, scene, key), { value: value.text, maxLength: editable?.max_length ?? null });
    }
  }
  const tracks = [
    ...[...video.audio].map(([name, sound]) => [trackKey(name), sound] as const),
    ...video.scenes.flatMap(({ id, audio }) =>
      [...audio].map(([name, sound]) => [`${id}.${trackKey(name)}`, sound] as const),
    ),
  ];
  for (const [name, { spoken }] of tracks)
    if (spoken !== undefined) texts.set(name, { value: spoken.text, maxLength: null });
  return texts;
}

/** Returns the text of a column and the cell of its locale; null if no column of a locale translates it. */
function columnOf(
  filled: FilledCell,
  locale: string,
  rowOf: (cell: FilledCell) => FoundRow | null,
  settings: DefinitionLanguages['settings'],
) {
  const place = rowOf(filled);
  const byLocale = place === null ? undefined : localizedColumns(place.row, settings).get(filled.column);
  if (place === null || byLocale === undefined || byLocale.size === 0) return null;
  const { row, index, list } = place;
  const { values, file } = row;
  const sourceColumn = values.has(filled.column) ? filled.column : byLocale.get(settings.source);
  const source = sourceColumn === undefined ? '' : values.get(sourceColumn)!;
  const column = byLocale.get(locale);
  const text = column === undefined ? '' : values.get(column)!;
  const isTranslated = text.trim() !== '';
  if (sourceColumn === undefined || !hasWords(source) || (settings.columns.includes(filled.column) && !isTranslated))
    return null;
  return {
    context: `${row.name}: ${filled.column}`,
    label: filled.column,
    source,
    file,
    text,
    state: isTranslated ? ('translated' as const) : ('untranslated' as const),
    previous: null,
    ...defined({
      cell: column === undefined ? undefined : { row: index, column, sourceColumn, ...defined({ list }) },
      readOnly: reasonOf(place, column === undefined ? `${filled.column}_${locale}` : null),
    }),
  };
}

/** @param absent column that the row does not have */
function reasonOf({ row: { file, name }, list }: FoundRow, absent: string | null): string | undefined {
  if (absent !== null) return `${list === undefined ? file : name} has no column ${absent}`;
  return list !== undefined || /\.[ct]sv$/i.test(file) ? undefined : `Edit ${file} itself`;
}

/** A row of a data file or of a definition. */
interface FoundRow {
  readonly row: Row;
  readonly index: number;
  /** Keys of the list that has it, from the top of its definition; absent for a data file. */
  readonly list?: readonly string[];
}

/** Returns a function that finds the row of a cell in its file; null for one that is not there. */
function rowFinder({ source }: Pick<DefinitionLanguages, 'source'>) {
  const files = new Map<string, readonly FoundRow[]>();
  return (cell: FilledCell): FoundRow | null => {
    const { file, start } = cell.locate();
    const rows = files.get(file) ?? rowsOf(file, source(file) ?? '');
    files.set(file, rows);
    return rows.find(({ row: { span } }) => span.start <= start && start <= span.end) ?? null;
  };
}

function rowsOf(file: string, text: string): FoundRow[] {
  const read = readRows(file, text);
  if (read.ok) return read.value.map((row, index) => ({ row, index }));
  const parsed = /\.ya?ml$/i.test(file) ? parseYaml(file, text) : null;
  return parsed?.ok && parsed.value !== null ? writtenRows(parsed.value, []) : [];
}

/** Returns the rows that `each` of a definition and of its scenes has itself. @param path keys of the node */
function writtenRows(node: TreeNode, path: readonly string[]): FoundRow[] {
  if (node.kind === 'scalar') return [];
  const isList = node.kind === 'list' && path.at(-1) === 'from' && path.at(-2) === 'each';
  if (isList) {
    const rows = rowsIn(node.span.file, node.items);
    return rows.ok ? rows.value.map((row, index) => ({ row, index, list: path })) : [];
  }
  const values: (readonly [string, TreeNode])[] =
    node.kind === 'list'
      ? node.items.map((item, index) => [String(index), item])
      : [...node.entries].map(([key, { value }]) => [key, value]);
  return values.flatMap(([key, value]) => writtenRows(value, [...path, key]));
}
