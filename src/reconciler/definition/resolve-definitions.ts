import {
  type Check,
  type Diagnostic,
  errorAt,
  failure,
  hasErrors,
  positionOf,
  type Result,
  type Span,
  sortDiagnostics,
  startOf,
  warningAt,
} from '../../kernel/diagnostic.ts';
import { byCodeUnit } from '../../kernel/digest.ts';
import { child, locateIn, type MapNode, type ScalarNode, type TreeNode } from '../../kernel/yaml/tree.ts';
import { evaluateCondition } from './conditional-values.ts';
import { type DefinitionFile, type FileText, readDefinitionFile, resolvePath, unreadable } from './definition-file.ts';
import { type ReadRows, rowsPassing } from './expand-scenes.ts';
import { extend, withoutFileProperties } from './extend.ts';
import { fillIn } from './fill-in.ts';
import type { FilledCells } from './filled-cells.ts';
import { isDataFile, type Row, readRows, rowsIn } from './read-rows.ts';
import { type FileUse, inRow } from './read-scene.ts';
import { readScenes } from './read-scenes.ts';
import { type Candidate, readVideo, type VideoContext } from './read-video.ts';
import { idOfPath, isFragment, parseVideoId, type Video, type VideoId, videoIdHint } from './video.ts';

export interface DefinitionContext extends RowContext {
  /** Validates a single file before it is merged and filled in. */
  readonly checkFile: Check;
}

export interface Resolved {
  /** Sorted by id, each with the local files that it uses. */
  readonly videos: readonly { readonly video: Video; readonly files: readonly FileUse[] }[];
  /** Without videos that no data row filled in. */
  readonly cells: ReadonlyMap<VideoId, FilledCells>;
  /** Definition file → all files that it was read from: itself, its fragments, its data. */
  readonly origins: ReadonlyMap<string, readonly string[]>;
  /** Videos and definitions that gave no video because of a problem. */
  readonly invalid: readonly InvalidVideo[];
  /** Videos that their condition leaves out, sorted by id. */
  readonly leftOut: readonly LeftOutVideo[];
  /** Local files of invalid definitions. */
  readonly otherFiles: readonly FileUse[];
  /** Sorted by file and position, without duplicates. */
  readonly diagnostics: readonly Diagnostic[];
}

/** A video that has a problem. */
export interface InvalidVideo {
  /** Null if it is unknown, for example because the definition cannot be read. */
  readonly id: VideoId | null;
  /** The definition's file, repository-relative. */
  readonly path: string;
}

/** A video that its condition leaves out. */
export interface LeftOutVideo {
  readonly id: VideoId;
  /** The definition's file, repository-relative. */
  readonly path: string;
  /** Why the condition is false, like `campaign is "winter"`. */
  readonly reason: string;
}

/**
 * Resolves definition files to videos and diagnostics. A file or row with a problem gives no video and does not affect
 * others. The result does not depend on the order of the paths.
 *
 * @param paths repository-relative, including fragments
 */
export function resolveDefinitions(paths: readonly string[], context: DefinitionContext): Resolved {
  const loaded = new Map<string, DefinitionFile | null>();
  const load = (path: string): DefinitionFile | null => {
    const known = loaded.get(path);
    if (known !== undefined) return known;
    const text = context.read(path);
    const missing = !text.ok && text.reason === 'missing';
    const file = missing ? null : readDefinitionFile(path, text, context.checkFile);
    loaded.set(path, file);
    return file;
  };
  const candidates: Candidate[] = [];
  const diagnostics: Diagnostic[] = [];
  const origins = new Map<string, readonly string[]>();
  const unread: InvalidVideo[] = [];
  for (const path of [...paths].sort(byCodeUnit)) {
    const read = new Set([path]);
    const recording = <T>(loadFile: (file: string) => T): ((file: string) => T) => {
      return (file) => {
        read.add(file);
        return loadFile(file);
      };
    };
    const extended = extend(path, recording(load));
    if (extended === null) {
      diagnostics.push(unreadable(path, 'missing', startOf(path)));
      if (!isFragment(path)) unread.push({ id: null, path });
      continue;
    }
    const fragments = [...read].slice(1);
    diagnostics.push(...extended.diagnostics);
    const isVideo = extended.root !== null && !isFragment(path);
    const rows = isVideo
      ? resolveRows(path, extended.root, {
          ...context,
          read: recording(context.read),
          rows: rowReader(recording(context.read)),
        })
      : NO_ROWS;
    origins.set(path, [...read]);
    const resolved = rows.candidates;
    const problems = [...rows.diagnostics, ...resolved.flatMap((candidate) => candidate.diagnostics)];
    diagnostics.push(...problems.map((problem) => withFragments(problem, fragments)));
    // With a problem in one of the files, the merged video may lack a property.
    const whole = extended.diagnostics.length === 0;
    candidates.push(...resolved.map((candidate) => (whole ? candidate : { ...candidate, video: null, leftOut: null })));
    const isRead = extended.root !== null && whole && !hasErrors(rows.diagnostics);
    if (!isFragment(path) && !isRead && resolved.length === 0) unread.push({ id: null, path });
  }
  const left = candidates.flatMap(({ id, path, leftOut }) => (leftOut === null || id === null ? [] : [{ id, path, reason: leftOut }])); // biome-ignore format: one line
  const shown = candidates.filter(({ id, leftOut }) => leftOut === null || id === null);
  const doubled = duplicateIds(shown);
  const isGood = ({ video }: Candidate): boolean => video !== null && !doubled.ids.has(nameOf(video.id));
  return {
    videos: shown
      .filter(isGood)
      .map(({ video, files }) => ({ video: video!, files }))
      .sort((a, b) => byCodeUnit(a.video.id, b.video.id)),
    cells: new Map(shown.flatMap(({ id, cells }) => (id === null || cells.size === 0 ? [] : [[id, cells]]))),
    origins,
    invalid: [...unread, ...shown.filter((candidate) => !isGood(candidate)).map(({ id, path }) => ({ id, path }))],
    leftOut: left.sort((a, b) => byCodeUnit(a.id, b.id)),
    otherFiles: shown.filter((candidate) => !isGood(candidate)).flatMap(({ files }) => files),
    diagnostics: sortDiagnostics([...diagnostics, ...doubled.diagnostics, ...sharedDestinations(shown)]),
  };
}

const NO_ROWS: ResolvedRows = { candidates: [], diagnostics: [] };

/** Extends the hint about a missing property by the fragments that it could be added to. */
function withFragments(diagnostic: Diagnostic, fragments: readonly string[]): Diagnostic {
  const { code, hint } = diagnostic;
  const isMissing = code === 'missing_property' || code === 'missing_editable';
  if (!isMissing || hint === undefined || fragments.length === 0) return diagnostic;
  return { ...diagnostic, hint: `${hint}, or add it to ${fragments.join(' or ')}` };
}

/** Ids name files, and some file systems ignore case. */
function nameOf(id: VideoId): string {
  return id.toLowerCase();
}

function duplicateIds(candidates: readonly Candidate[]): { ids: ReadonlySet<string>; diagnostics: Diagnostic[] } {
  const first = new Map<string, Candidate & { id: VideoId }>();
  const ids = new Set<string>();
  const diagnostics: Diagnostic[] = [];
  for (const candidate of candidates) {
    const { id, at, path } = candidate;
    if (id === null) continue;
    const earlier = first.get(nameOf(id));
    if (earlier === undefined) {
      first.set(nameOf(id), { ...candidate, id });
      continue;
    }
    ids.add(nameOf(id));
    const differs = earlier.id === id ? '' : `, which differs from ${JSON.stringify(id)} only in case`;
    // A row does not show which definition uses it.
    const maker =
      at.file === path || earlier.path === path ? '' : `${path} creates the video ${JSON.stringify(id)}, but `;
    // Two rows of one definition: its path does not show which row is meant.
    const owner = earlier.path === path && earlier.row !== null ? earlier.row.name : earlier.path;
    const message = `${maker}${owner} already has a video ${JSON.stringify(earlier.id)}${differs}`;
    diagnostics.push(errorAt('duplicate_id', at, message, 'Change the id of one of them'));
  }
  return { ids, diagnostics };
}

/** Reports videos that would overwrite each other. With `{fingerprint}` in the name, equal names mean equal content. */
function sharedDestinations(candidates: readonly Candidate[]): Diagnostic[] {
  const first = new Map<string, VideoId>();
  const diagnostics: Diagnostic[] = [];
  for (const { video, destinations } of candidates) {
    if (video === null) continue;
    for (const { to, filled, at } of destinations.flatMap((written) =>
      written.filled.map((filled) => ({ ...written, filled })),
    )) {
      const earlier = first.get(filled);
      first.set(filled, earlier ?? video.id);
      if (earlier === undefined || earlier === video.id || to.includes('{fingerprint}')) continue;
      const message = `deliver: ${JSON.stringify(earlier)} and ${JSON.stringify(video.id)} have the same destination ${filled}`;
      const hint = 'Add {id} or {fingerprint}';
      diagnostics.push(errorAt('destination_taken', at, message, hint));
    }
  }
  return diagnostics;
}

interface RowContext extends VideoContext {
  /** Base folder of the glob, which ids are relative to. */
  readonly folder: string;
  readonly read: (path: string) => FileText;
}

/** The videos of a definition, and problems that concern all of them. */
interface ResolvedRows {
  readonly candidates: readonly Candidate[];
  readonly diagnostics: readonly Diagnostic[];
}

type VideosContext = RowContext & { readonly rows: ReadRows };

/** Resolves an extended definition to its videos: a single video, or with `each` a video for every data row. */
function resolveRows(path: string, root: MapNode, context: VideosContext): ResolvedRows {
  const each = child(root, 'each');
  if (each === null) return { candidates: [resolveVideo(path, root, null, context)], diagnostics: [] };
  const from = child(each, 'from');
  const id = child(each, 'id');
  // The check of the file has rejected any other form.
  if (from === null || id?.kind !== 'scalar') return NO_ROWS;
  const rows = context.rows(from);
  if (!rows.ok) return { candidates: [], diagnostics: rows.diagnostics };
  const where = child(each, 'where');
  const kept = where === null ? { rows: rows.value, diagnostics: [] } : rowsPassing(rows.value, where);
  if (hasErrors(kept.diagnostics)) return { candidates: [], diagnostics: kept.diagnostics };
  const candidates = kept.rows.map((row) => resolveVideo(path, root, { row, id }, context));
  return { candidates, diagnostics: candidates.length === 0 ? [noRows(where!, rows.value.length)] : [] };
}

function noRows(where: TreeNode, count: number): Diagnostic {
  const rows = count === 1 ? 'The only row does' : `None of the ${count} rows`;
  const message = `${rows} ${count === 1 ? 'not pass' : 'passes'} "where", so the definition gives no video`;
  return warningAt('rows_left_out', where.kind === 'map' ? locateIn(where)([], 'value').span : where.span, message, 'Correct the condition, or remove the definition'); // biome-ignore format: one line
}

/** Returns a reader of data files that parses each of them once. */
function rowReader(read: (path: string) => FileText): ReadRows {
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

function resolveVideo(
  path: string,
  root: MapNode,
  each: { readonly row: Row; readonly id: ScalarNode } | null,
  context: VideosContext,
): Candidate {
  const misfills: Diagnostic[] = [];
  const row = each?.row ?? null;
  const writtenId = child(root, 'id');
  const base = writtenId?.kind === 'scalar' ? (fillIn(writtenId, row, misfills) as ScalarNode) : null;
  const rowId = each === null ? null : (fillIn(each.id, row, misfills) as ScalarNode);
  const hasId = misfills.length === 0;
  const { when, scenes, values } = partsOf(root);
  const condition = when === null ? null : fillIn(when, row, misfills, root.span.file);
  const isAsked = condition !== null && misfills.length === 0;

  const written = [base?.text ?? idOfPath(path, context.folder), ...(rowId === null ? [] : [rowId.text])].join('/');
  const id = parseVideoId(written);
  const place = rowId ?? base;
  const at = row?.span ?? place?.span ?? locateIn(root)([], 'value').span;
  const named = { id, path, at, row };
  const { reason, diagnostics: unclear } = isAsked ? evaluateCondition(condition, row) : UNCONDITIONAL;
  if (reason !== null && id !== null) return { ...named, ...NOTHING, leftOut: reason };

  if (scenes?.kind === 'map') return { ...named, ...NOTHING, leftOut: null, diagnostics: [overridesNothing(root)] };
  const filled = fillIn(values, row, misfills) as MapNode;
  const misfilled = new Set(misfills.map(positionOf));
  const candidate =
    scenes?.kind === 'list' ? readScenes(filled, scenes, named, context) : readVideo(filled, named, context);
  const diagnostics = [...misfills, ...unclear, ...(id === null ? [invalidId(written, place, startOf(path))] : [])];
  return {
    ...candidate,
    id: hasId ? id : null,
    video: diagnostics.length > 0 ? null : candidate.video,
    // Hides problems that follow from an unknown placeholder.
    diagnostics: [...diagnostics, ...candidate.diagnostics].filter(
      (problem) => problem.code === 'unknown_variable' || !misfilled.has(positionOf(problem)),
    ),
  };
}

const UNCONDITIONAL = { reason: null, diagnostics: [] } as const;
const NOTHING = { video: null, files: [], cells: new Map(), destinations: [], diagnostics: [] } as const;

/** Separates what decides whether a video is shown, and its scenes, from its other properties. */
function partsOf(root: MapNode): { when: TreeNode | null; scenes: TreeNode | null; values: MapNode } {
  const { entries, ...map } = withoutFileProperties(root);
  const values = new Map([...entries].filter(([name]) => name !== 'when' && name !== 'scenes'));
  return { when: child(root, 'when'), scenes: child(root, 'scenes'), values: { ...map, entries: values } };
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
