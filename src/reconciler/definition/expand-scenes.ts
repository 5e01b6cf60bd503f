import { type Diagnostic, errorAt, positionOf, type Result, type Span, warningAt } from '../../kernel/diagnostic.ts';
import { child, type ListNode, type MapEntry, type MapNode, type TreeNode, textOf } from '../../kernel/yaml/tree.ts';
import { evaluateCondition } from './conditional-values.ts';
import { fillIn } from './fill-in.ts';
import { dimensionProblem } from './local-row.ts';
import { SCENE_PROPERTIES, writtenId } from './merge-definitions.ts';
import { type Row, withOuterRow } from './read-rows.ts';
import type { FilteredScene, FilteredScenes, LeftOut } from './video.ts';

/** Reads the rows of a data file that a node names, or of a list. */
export type ReadRows = (from: TreeNode) => Result<readonly Row[]>;

/** A scene as written. */
export interface WrittenScene {
  readonly id: string;
  readonly node: MapNode;
}

/** A scene with its values. */
export interface FilledScene extends WrittenScene {
  /** Filled in, without the properties that decide whether and how often it is shown. */
  readonly node: MapNode;
  readonly row: Row | null;
  /** Its row, or the scene. */
  readonly at: Span;
  /** Positions of values that could not be filled in: other problems there follow from that. */
  readonly misfilled: ReadonlySet<string>;
}

export interface ExpandedScenes {
  /** All scenes of the list, also those that are left out. */
  readonly written: readonly WrittenScene[];
  readonly scenes: readonly FilledScene[];
  readonly leftOut: readonly LeftOut[];
  /** Absent without `where`. */
  readonly filtered?: FilteredScenes;
  readonly diagnostics: readonly Diagnostic[];
}

/** Shared: most scenes are filled in completely. */
const NOTHING: ReadonlySet<string> = new Set();
const SCENE_ID = /^[A-Za-z0-9_-]{1,100}$/;
/** Names of inputs that are not of a scene. */
const RESERVED = new Set(['audio', 'audio_tracks', 'editables', 'fonts', 'output', 'outputs', 'captions', 'timeline']);
const ID_HINT = 'An id of a scene consists of letters A–Z, digits, "_" and "-"';
const DECIDING: readonly string[] = ['id', 'extends', 'each', 'when'];
/** Unknown properties have been reported. */
const VALUES = new Set<string>(SCENE_PROPERTIES.filter((name) => !DECIDING.includes(name)));

/**
 * Repeats each scene for its rows, leaves out those whose condition is false, and fills in the others.
 *
 * @param outer row of the definition; null without rows
 * @param file of the definition
 */
export function expandScenes(list: ListNode, outer: Row | null, file: string, readRows: ReadRows): ExpandedScenes {
  const scenes: FilledScene[] = [];
  const leftOut: LeftOut[] = [];
  const filters: FilteredScenes[] = [];
  const diagnostics: Diagnostic[] = [];
  const hidden = new Map<string, Span>();
  const written: WrittenScene[] = [];
  for (const node of list.items) if (node.kind === 'map') written.push({ id: writtenId(node) ?? '', node });
  diagnostics.push(...checkIds(written));
  const fill: Fill = (value, row, problems) => fillIn(value, row, problems, file);
  for (const { id, node } of written) {
    const condition = child(node, 'when');
    if (condition !== null) {
      const problems: Diagnostic[] = [];
      const filled = fill(condition, outer, problems);
      const evaluated = problems.length > 0 ? null : evaluateCondition(filled, outer);
      const found = [...problems, ...(evaluated?.diagnostics ?? [])];
      diagnostics.push(...(child(node, 'each') === null ? found : found.map((problem) => ofOuterRow(problem, id))));
      const reason = evaluated?.reason ?? null;
      if (reason !== null) leftOut.push({ scene: id, reason });
      if (reason !== null) continue;
    }
    const values: MapNode = { ...node, entries: valuesOf(node) };
    const each = child(node, 'each');
    if (each?.kind !== 'map') {
      scenes.push(filledScene(id, values, outer, outer?.span ?? firstKey(node), { fill, diagnostics }));
      continue;
    }
    const rows = rowsOfScene(each, outer, { readRows, fill });
    diagnostics.push(...rows.diagnostics);
    if (rows.all.length > 0 && rows.rows.length === 0) leftOut.push({ scene: id, reason: 'no row passes "where"' });
    const [firstRow] = rows.all;
    const taken = outer === null || firstRow === undefined ? null : dimensionProblem(firstRow, outer);
    if (taken !== null) diagnostics.push(taken);
    for (const column of taken === null ? (firstRow?.values.keys() ?? []) : []) {
      if (outer?.values.has(column) === true && !hidden.has(column)) hidden.set(column, spanOfFrom(each));
    }
    if (child(each, 'where') !== null) filters.push(() => filteredScenes(id, each, outer, { readRows, fill }));
    const known = new Set<string>();
    for (const row of rows.rows) {
      const rowId = rowIdOf(each, withOuterRow(row, originalOf(outer)), { fill, known, diagnostics });
      const sceneId = `${id}/${rowId ?? ''}`;
      scenes.push(filledScene(sceneId, values, withOuterRow(row, outer, sceneId), row.span, { fill, diagnostics }));
    }
  }
  const [first] = hidden.values();
  if (first !== undefined) diagnostics.push(hiddenColumns([...hidden.keys()], first));
  const filtered = (): FilteredScene[] => filters.flatMap((scenesOf) => scenesOf());
  return { written, scenes, leftOut, ...(filters.length > 0 && { filtered }), diagnostics };
}

function filledScene(
  id: string,
  values: MapNode,
  row: Row | null,
  at: Span,
  { fill, diagnostics }: { readonly fill: Fill; readonly diagnostics: Diagnostic[] },
): FilledScene {
  const problems: Diagnostic[] = [];
  const node = fill(values, row, problems) as MapNode;
  if (problems.length === 0) return { id, node, row, at, misfilled: NOTHING };
  diagnostics.push(...problems);
  return { id, node, row, at, misfilled: new Set(problems.map(positionOf)) };
}

function valuesOf({ entries }: MapNode): Map<string, MapEntry> {
  const values = new Map<string, MapEntry>();
  entries.forEach((entry, name) => {
    if (VALUES.has(name)) values.set(name, entry);
  });
  return values;
}

/** Returns the scenes of the rows that do not pass, except those whose ids are not valid or are those of other rows. */
function filteredScenes(id: string, each: MapNode, outer: Row | null, context: RowsContext): FilteredScene[] {
  const { rows, failing } = rowsOfScene(each, outer, context);
  const known = new Set<string>();
  // Mistakes in an id are reported when its row passes.
  const idOf = (row: Row, ids: Set<string>): string | null =>
    rowIdOf(each, withOuterRow(row, originalOf(outer)), { fill: context.fill, known: ids, diagnostics: [] });
  for (const row of rows) idOf(row, known);
  return failing.flatMap(({ row, reason }) => {
    const rowId = idOf(row, new Set());
    return rowId === null || known.has(rowId.toLowerCase()) ? [] : [{ id: `${id}/${rowId}`, reason }];
  });
}

/** Returns a row as its data has it, without the texts of a locale. */
function originalOf(row: Row | null): Row | null {
  return row?.original === undefined ? row : row.original;
}

/** Says of a column that a condition does not find why it may be there: the rows of the scene are read after its condition. */
function ofOuterRow(problem: Diagnostic, id: string): Diagnostic {
  if (problem.code !== 'unknown_variable') return problem;
  const message = `The condition of the scene ${id} sees the columns of the definition, not those of its own rows`;
  return { ...problem, message, hint: 'Write "where" in its "each" to leave out rows' };
}

function checkIds(written: readonly WrittenScene[]): Diagnostic[] {
  const first = new Map<string, WrittenScene>();
  const diagnostics: Diagnostic[] = [];
  for (const scene of written) {
    const name = scene.id.toLowerCase();
    const earlier = first.get(name);
    if (earlier === undefined) first.set(name, scene);
    const isGood = earlier === undefined && SCENE_ID.test(scene.id) && !RESERVED.has(name);
    const problem = isGood ? null : problemOfId(scene, name, earlier);
    if (problem !== null) diagnostics.push(problem);
  }
  return diagnostics;
}

/** @param earlier scene of the same name */
function problemOfId({ id, node }: WrittenScene, name: string, earlier: WrittenScene | undefined): Diagnostic | null {
  const named = child(node, 'id') ?? child(node, 'template');
  // The scene has no template, which is reported there.
  if (named === null || id === '') return null;
  const at = named.span;
  if (!SCENE_ID.test(id)) {
    const hint = id.includes('${') ? `${ID_HINT}; write an id of rows in "each"` : ID_HINT;
    return errorAt('invalid_id', at, `${JSON.stringify(id)} is not a valid id of a scene`, hint);
  }
  if (RESERVED.has(name)) {
    const message = `A scene cannot have the id ${JSON.stringify(id)}, which names other inputs of a video`;
    return errorAt('invalid_id', at, message, 'Choose another id');
  }
  const differs = earlier!.id === id ? '' : `, which differs only in case from ${JSON.stringify(earlier!.id)}`;
  const message = `Two scenes have the id ${JSON.stringify(id)}${differs}`;
  const hint = child(node, 'id') === null ? 'Add an "id" to this scene' : 'Change the id of one of them';
  return errorAt('duplicate_scene', at, message, hint);
}

type Fill = (value: TreeNode, row: Row | null, problems: Diagnostic[]) => TreeNode;

interface RowsContext {
  readonly readRows: ReadRows;
  readonly fill: Fill;
}

/** Returns the rows of a scene, divided by its `where`. */
function rowsOfScene(each: MapNode, outer: Row | null, { readRows, fill }: RowsContext): RowsOfScene {
  const problems: Diagnostic[] = [];
  const from = child(each, 'from');
  const filled = from === null ? null : fill(from, outer, problems);
  if (filled === null || problems.length > 0) return { ...NO_ROWS, diagnostics: problems };
  const rows = readRows(filled);
  if (!rows.ok) return { ...NO_ROWS, diagnostics: rows.diagnostics };
  const where = child(each, 'where');
  if (where === null) return { ...NO_ROWS, all: rows.value, rows: rows.value };
  const condition = fill(where, outer, problems);
  if (problems.length > 0) return { ...NO_ROWS, diagnostics: problems };
  return { all: rows.value, ...rowsPassing(rows.value, condition) };
}

/** A row that does not pass a condition. */
interface FailingRow {
  readonly row: Row;
  readonly reason: string;
}

/** Rows that a condition divides. */
interface DividedRows {
  /** Those that pass. */
  readonly rows: readonly Row[];
  readonly failing: readonly FailingRow[];
  readonly diagnostics: readonly Diagnostic[];
}

interface RowsOfScene extends DividedRows {
  readonly all: readonly Row[];
}

const NO_ROWS: RowsOfScene = { all: [], rows: [], failing: [], diagnostics: [] };

/** Divides rows by a condition. */
export function rowsPassing(rows: readonly Row[], condition: TreeNode): DividedRows {
  const evaluated = rows.map((row) => ({ row, ...evaluateCondition(condition, row) }));
  const [{ diagnostics } = { diagnostics: [] }] = evaluated.filter((result) => result.diagnostics.length > 0);
  return {
    rows: evaluated.filter(({ reason }) => reason === null).map(({ row }) => row),
    failing: evaluated.flatMap(({ row, reason }) => (reason === null ? [] : [{ row, reason }])),
    diagnostics,
  };
}

/** Returns the id of a row; null if it is not valid. */
function rowIdOf(
  each: MapNode,
  row: Row,
  { fill, known, diagnostics }: { fill: Fill; known: Set<string>; diagnostics: Diagnostic[] },
): string | null {
  const problems: Diagnostic[] = [];
  const node = child(each, 'id');
  const text = textOf(node === null ? null : fill(node, row, problems));
  diagnostics.push(...problems);
  if (text === null || problems.length > 0) return null;
  if (!SCENE_ID.test(text)) {
    const message = `${JSON.stringify(text)} is not a valid id of a scene (${row.name})`;
    diagnostics.push(
      errorAt('invalid_id', node!.span, message, `${ID_HINT}; correct the row, or choose another column`),
    );
    return null;
  }
  if (known.has(text.toLowerCase())) {
    const message = `Two rows of the scene have the id ${JSON.stringify(text)} (${row.name})`;
    diagnostics.push(errorAt('duplicate_scene', row.span, message, 'Change the id of one of them'));
  }
  known.add(text.toLowerCase());
  return text;
}

function spanOfFrom(each: MapNode): Span {
  return each.entries.get('from')?.keySpan ?? each.span;
}

function hiddenColumns(columns: readonly string[], at: Span): Diagnostic {
  const names = columns.map((column) => JSON.stringify(column)).join(', ');
  const message = `The rows of the scene and of the definition both have ${columns.length === 1 ? 'a column' : 'columns'} ${names}`;
  return warningAt('column_hidden', at, message, 'The scene uses its own; rename one of them to use both');
}

function firstKey(node: MapNode): Span {
  return node.entries.values().next().value?.keySpan ?? node.span;
}
