import { defined } from '../../kernel/defined.ts';
import {
  type Diagnostic,
  errorAt,
  failure,
  hasErrors,
  positionOf,
  type Result,
  type Span,
  startOf,
  warningAt,
} from '../../kernel/diagnostic.ts';
import { child, locateIn, type MapNode, type ScalarNode, type TreeNode, textOf } from '../../kernel/yaml/tree.ts';
import { catalogueFile, type LocaleSettings } from '../locales/locale-settings.ts';
import { evaluateCondition } from './conditional-values.ts';
import { type FileText, resolvePath, unreadable } from './definition-file.ts';
import { type ReadRows, rowsPassing } from './expand-scenes.ts';
import { withoutFileProperties } from './extend.ts';
import { fillIn } from './fill-in.ts';
import { UNFILLED } from './filled-values.ts';
import type { Fallback } from './local-files.ts';
import { dimensionProblem, type LocalReading, localRow } from './local-row.ts';
import { fallbackFindings, type LocaleTexts, localeTexts, type MissingText } from './locale-texts.ts';
import { type Combination, expandMatrix } from './matrix.ts';
import { isDataFile, type Row, readRows, rowsIn } from './read-rows.ts';
import { inRow } from './read-scene.ts';
import { readScenes } from './read-scenes.ts';
import { type Candidate, readVideo, type VideoContext } from './read-video.ts';
import { hasWords } from './texts.ts';
import { type Languages, type TranslatedDefinition, translate, translateDefinition } from './translate-definition.ts';
import { failedWhere, idOfPath, type LeftOutVideo, type MatrixPlace, parseVideoId, videoIdHint } from './video.ts';

export interface RowContext extends VideoContext {
  /** Base folder of the glob, which ids are relative to. */
  readonly folder: string;
  readonly read: (path: string) => FileText;
}

/** The videos of a definition, and problems that concern all of them. */
export interface ResolvedRows {
  readonly candidates: readonly Candidate[];
  /** Videos of rows that do not pass `where`. */
  readonly filtered: readonly LeftOutVideo[];
  readonly diagnostics: readonly Diagnostic[];
}

/** What the videos of a definition are resolved with. */
type VideosContext = RowContext & { readonly rows: ReadRows; readonly languages: Languages | null };

/**
 * Resolves an extended definition to its videos: a single video, or with `each` a video for every data row; each of them in every
 * variant and locale.
 */
export function resolveRows(path: string, root: MapNode, context: VideosContext): ResolvedRows {
  const { combinations, diagnostics } = expandMatrix(root, context.languages?.settings ?? null);
  const definition = definitionId(path, root, context);
  const translated = combinations.map((combination) => {
    return translateDefinition(combination, definition, context.languages, context);
  });
  const resolved = rowsOf(path, root, translated, context);
  const candidates = hasErrors(diagnostics)
    ? resolved.candidates.map((candidate) => ({ ...candidate, video: null, leftOut: null }))
    : resolved.candidates;
  return { ...resolved, candidates, diagnostics: [...diagnostics, ...resolved.diagnostics] };
}

function rowsOf(
  path: string,
  root: MapNode,
  combinations: readonly TranslatedDefinition[],
  context: VideosContext,
): ResolvedRows {
  const each = child(root, 'each');
  if (each === null) {
    return {
      ...NO_ROWS,
      candidates: combinations.map((combination) => resolveVideo(path, combination, null, context)),
    };
  }
  const from = child(each, 'from');
  const id = child(each, 'id');
  // The check of the file has rejected any other form.
  if (from === null || id?.kind !== 'scalar') return NO_ROWS;
  const rows = context.rows(from);
  if (!rows.ok) return { ...NO_ROWS, diagnostics: rows.diagnostics };
  const [first] = rows.value;
  const hidden = combinations.flatMap(
    ({ combination }) =>
      (combination.at === null ? null : dimensionProblem(first!, dimensionsOf(path, combination))) ?? [],
  );
  if (hidden.length > 0) return { ...NO_ROWS, diagnostics: hidden.slice(0, 1) };
  const where = child(each, 'where');
  const candidates: Candidate[] = [];
  const filtered: LeftOutVideo[] = [];
  for (const translated of combinations) {
    const { combination } = translated;
    const problems: Diagnostic[] = [];
    const condition =
      where === null || combination.at === null ? where : fillIn(where, dimensionsOf(path, combination), problems);
    const kept =
      condition === null ? { rows: rows.value, failing: [], diagnostics: [] } : rowsPassing(rows.value, condition);
    problems.push(...kept.diagnostics);
    if (hasErrors(problems)) return { ...NO_ROWS, diagnostics: problems };
    candidates.push(...kept.rows.map((row) => resolveVideo(path, translated, { row, id }, context)));
    for (const { row, reason } of kept.failing) {
      const { id: video, misfills } = namedVideo(path, combination, { row, id }, context);
      if (video === null || misfills.length > 0) continue;
      filtered.push({ id: video, path, reason: failedWhere(reason), byWhere: true });
    }
  }
  const isEmpty = candidates.length === 0 && combinations.length > 0;
  return { candidates, filtered, diagnostics: isEmpty ? [noRows(where!, rows.value.length)] : [] };
}

function noRows(where: TreeNode, count: number): Diagnostic {
  const rows = count === 1 ? 'The only row does' : `None of the ${count} rows`;
  const message = `${rows} ${count === 1 ? 'not pass' : 'passes'} "where", so the definition gives no video`;
  return warningAt('rows_left_out', where.kind === 'map' ? locateIn(where)([], 'value').span : where.span, message, 'Correct the condition, or remove the definition'); // biome-ignore format: one line
}

/** Returns a reader of data files that parses each of them once. */
export function rowReader(read: (path: string) => FileText): ReadRows {
  const known = new Map<string, Result<Row[]>>();
  return (from) => {
    const at = from.span;
    if (from.kind === 'list') return from.items.length === 0 ? emptyList(at) : rowsIn(at.file, from.items);
    if (from.kind !== 'scalar') return { ok: true, value: [] };
    const target = resolvePath(from.text, from.baseFile);
    if (!target.ok) return failure(target.code, at, target.message, target.hint);
    if (!isDataFile(target.path)) {
      const message = `${JSON.stringify(target.path)} is not a supported data file`;
      return failure('data_invalid', at, message, 'Use a .csv, .tsv, .json or .yaml file');
    }
    const earlier = known.get(target.path);
    if (earlier !== undefined) return earlier;
    const text = read(target.path);
    if (!text.ok) return { ok: false, diagnostics: [unreadable(target.path, text.reason, at)] };
    const rows = readRows(target.path, text.text);
    known.set(target.path, rows);
    return rows;
  };
}

function emptyList(at: Span): Result<never> {
  return failure('data_invalid', at, 'The list has no rows', 'Add a row, or remove what it repeats');
}

/** Returns a row of only the variant and the locale, which conditions on rows see. */
function dimensionsOf(path: string, combination: Combination): Row {
  return localRow(null, { ...UNREAD, combination, path });
}

const UNREAD = { settings: null, onMissing: () => {}, onScalar: () => {}, translate: () => null };

/** Returns the id of a definition, which names its texts in catalogues; that of its path if its id depends on rows. */
function definitionId(path: string, root: MapNode, { folder }: Pick<RowContext, 'folder'>): string {
  const written = textOf(child(root, 'id'));
  return written === null || written.includes('${') ? idOfPath(path, folder) : written;
}

function resolveVideo(
  path: string,
  { combination, untranslated }: TranslatedDefinition,
  each: { readonly row: Row; readonly id: ScalarNode } | null,
  context: VideosContext,
): Candidate {
  const { root } = combination;
  const dataRow = each?.row ?? null;
  const { id, written, definition, base, rowId, misfills } = namedVideo(path, combination, each, context);
  const missing = new Map<string, MissingText>();
  const row =
    combination.at === null
      ? dataRow
      : localRow(dataRow, readingOf(path, { combination, untranslated }, rowId?.text ?? null, missing, context));
  const hasId = misfills.length === 0;
  const { when, scenes, values } = partsOf(root);
  const condition = when === null ? null : fillIn(when, row, misfills, root.span.file);
  const isAsked = condition !== null && misfills.length === 0;

  const place = rowId ?? base;
  const at = row?.span ?? place?.span ?? locateIn(root)([], 'value').span;
  const named = { id, path, at, row, ...(combination.at !== null && { matrix: placeOf(combination, definition) }) };
  const { reason, diagnostics: unclear } = isAsked ? evaluateCondition(condition, row) : UNCONDITIONAL;
  if (reason !== null && id !== null) return { ...named, ...NOTHING, leftOut: reason };

  if (scenes?.kind === 'map') return { ...named, ...NOTHING, leftOut: null, diagnostics: [overridesNothing(root)] };
  const filled = fillIn(values, row, misfills, root.span.file) as MapNode;
  const misfilled = new Set(misfills.map(positionOf));
  const localized = {
    onFallback({ node: { span }, name, used }: Fallback) {
      missing.set(`${name} ${span.file}:${span.start}`, { state: 'fallback', name, used, at: span });
    },
    ...context,
    ...defined({
      locale: combination.locale ?? context.languages?.settings.source,
      sourceLocale: context.languages?.settings.source,
    }),
  };
  const candidate =
    scenes?.kind === 'list' ? readScenes(filled, scenes, named, localized) : readVideo(filled, named, localized);
  const { locale } = combination;
  const rule = context.languages?.settings.missing;
  const texts =
    id === null || locale === null
      ? null
      : localeTexts(
          {
            id,
            path,
            definition,
            locale,
            ...defined({ variant: combination.variant ?? undefined, labels: labelsOf(filled) }),
          },
          [...missing.values()],
          rule === 'skip',
        );
  const fallbacks = locale === null ? [] : fallbackFindings(missing, locale);
  // Its mistakes, such as files of the locale that are not there yet, are reported when it has its texts.
  if (texts?.waits) return { ...named, ...NOTHING, leftOut: null, texts, fallbacks };
  const unwanted =
    rule === 'error' && locale !== null
      ? [...missing.values()].flatMap((text) => untranslatedText(text, locale, context.languages!.settings))
      : [];
  const diagnostics = [
    ...misfills,
    ...unclear,
    ...(id === null ? [invalidId(written, place, startOf(path))] : []),
    ...unwanted,
  ];
  return {
    texts,
    fallbacks,
    ...candidate,
    id: hasId ? id : null,
    video: diagnostics.length > 0 ? null : candidate.video,
    // Hides problems that follow from an unknown placeholder.
    diagnostics: [...diagnostics, ...candidate.diagnostics].filter(
      (problem) => problem.code === 'unknown_variable' || !misfilled.has(positionOf(problem)),
    ),
  };
}

/** Returns the id of a video of a row, null if it is invalid, and what it consists of. `misfills` receives unknown columns. */
function namedVideo(
  path: string,
  { root, idParts }: Combination,
  each: { readonly row: Row; readonly id: ScalarNode } | null,
  { folder }: Pick<RowContext, 'folder'>,
) {
  const misfills: Diagnostic[] = [];
  const dataRow = each?.row ?? null;
  const rowId = each === null ? null : (fillIn(each.id, dataRow, misfills) as ScalarNode);
  const writtenId = child(root, 'id');
  const base = writtenId?.kind === 'scalar' ? (fillIn(writtenId, dataRow, misfills) as ScalarNode) : null;
  const definition = base?.text ?? idOfPath(path, folder);
  const written = [definition, ...(rowId === null ? [] : [rowId.text]), ...idParts].join('/');
  return { id: parseVideoId(written), written, definition, base, rowId, misfills };
}

/** Returns how a video reads its rows, and collects what its locale does not have. */
function readingOf(
  path: string,
  { combination, untranslated }: TranslatedDefinition,
  rowId: string | null,
  missing: Map<string, MissingText>,
  context: VideosContext,
): LocalReading {
  const { languages } = context;
  const { locale, base } = combination;
  const video = [definitionId(path, base, context), ...(rowId === null ? [] : [rowId])].join('/');
  return {
    combination,
    path,
    settings: languages?.settings ?? null,
    onScalar(node) {
      const text = untranslated.get(node);
      if (text === undefined || node.kind !== 'scalar') return;
      missing.set(text.key, { state: text.state, name: text.key, used: text.used, at: node.span });
    },
    onMissing({ column, ...found }) {
      missing.set(`\${${column}} ${found.at.file}:${found.at.start}`, { name: column, ...found });
    },
    translate(column, text, scene, at) {
      if (languages === null || locale === null || !languages.settings.columns.includes(column) || !hasWords(text))
        return null;
      const context = columnContext(video, column, scene);
      languages.onText?.({ locale, context, source: text, at: at(), label: column });
      const found = translate(context, text, locale, languages);
      return found.state === 'translated' ? found : { state: found.state, text: found.text ?? null };
    },
  };
}

/** Returns the name of a column's text in catalogues. @param video id of the definition and its row */
export function columnContext(video: string, column: string, scene: string | null): string {
  return `${video}#${scene === null ? '' : `${scene}.`}\${${column}}`;
}

function untranslatedText({ state, name, at }: MissingText, locale: string, settings: LocaleSettings): Diagnostic[] {
  if (state === 'fallback') return [];
  const file = catalogueFile(settings, locale);
  const why = state === 'stale' ? `changed after it was translated to ${locale}` : `is not translated to ${locale}`;
  return [
    errorAt(
      'text_untranslated',
      at,
      `The text ${name} ${why}`,
      `Translate it in ${file}, or set "missing: skip" in reelform.yaml`,
    ),
  ];
}

/** Returns the labels of a video, also of one with mistakes; undefined without labels. */
function labelsOf(root: MapNode): LocaleTexts['labels'] {
  const labels = child(root, 'labels');
  if (labels?.kind !== 'map' || labels.entries.size === 0) return undefined;
  return Object.fromEntries([...labels.entries].map(([name, { value }]) => [name, textOf(value) ?? '']));
}

function placeOf({ variant, locale }: Combination, definition: string): MatrixPlace {
  return { definition, ...defined({ variant: variant ?? undefined, locale: locale ?? undefined }) };
}

export const NO_ROWS: ResolvedRows = { candidates: [], filtered: [], diagnostics: [] };
const UNCONDITIONAL = { reason: null, diagnostics: [] } as const;
const NOTHING = { video: null, files: [], filled: UNFILLED, destinations: [], diagnostics: [] } as const;

/** Separates what decides whether a video is shown, and its scenes, from its other properties. */
function partsOf(root: MapNode): { when: TreeNode | null; scenes: TreeNode | null; values: MapNode } {
  const values = withoutFileProperties(root, ['when', 'scenes']);
  return { when: child(root, 'when'), scenes: child(root, 'scenes'), values };
}

function overridesNothing(root: MapNode): Diagnostic {
  const message =
    'A map of scenes overrides scenes of a fragment, but no fragment of this definition has a list of scenes';
  const hint = 'Write scenes as a list, or extend a file with a list of scenes';
  return errorAt('definition_invalid', root.entries.get('scenes')!.keySpan, message, hint);
}

const ROW_REMEDY = '; correct the row, or choose another column for the id';

function invalidId(written: string, place: ScalarNode | null, file: Span): Diagnostic {
  const message = inRow(`${JSON.stringify(written)} is not a valid video id`, place?.row);
  const remedy = place === null ? '; rename the file, or add an "id"' : place.row === undefined ? '' : ROW_REMEDY;
  return errorAt('invalid_id', place?.span ?? file, message, `${videoIdHint(written)}${remedy}`);
}
