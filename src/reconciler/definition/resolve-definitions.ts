import {
  type Check,
  type Diagnostic,
  errorAt,
  failure,
  positionOf,
  type Result,
  type Span,
  sortDiagnostics,
  startOf,
} from '../../kernel/diagnostic.ts';
import { byCodeUnit } from '../../kernel/digest.ts';
import { child, locateIn, type MapNode, type ScalarNode } from '../../kernel/yaml/tree.ts';
import { type DefinitionFile, type FileText, readDefinitionFile, resolvePath, unreadable } from './definition-file.ts';
import { extend, withoutFileProperties } from './extend.ts';
import { fillIn } from './fill-in.ts';
import type { FilledCells } from './filled-cells.ts';
import { isDataFile, type Row, readRows } from './read-rows.ts';
import { type Candidate, type FileUse, inRow, readVideo, type VideoContext } from './read-video.ts';
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
    const rows = isVideo ? resolveRows(path, extended.root, { ...context, read: recording(context.read) }) : NO_ROWS;
    origins.set(path, [...read]);
    const resolved = rows.ok ? rows.value : [];
    const problems = rows.ok ? resolved.flatMap(({ diagnostics }) => diagnostics) : rows.diagnostics;
    diagnostics.push(...problems.map((problem) => withFragments(problem, fragments)));
    // With a problem in one of the files, the merged video may lack a property.
    const whole = extended.diagnostics.length === 0;
    candidates.push(...resolved.map((candidate) => (whole ? candidate : { ...candidate, video: null })));
    const isRead = extended.root !== null && whole && rows.ok;
    if (!isFragment(path) && !isRead && resolved.length === 0) unread.push({ id: null, path });
  }
  const doubled = duplicateIds(candidates);
  const isGood = ({ video }: Candidate): boolean => video !== null && !doubled.ids.has(nameOf(video.id));
  return {
    videos: candidates
      .filter(isGood)
      .map(({ video, files }) => ({ video: video!, files }))
      .sort((a, b) => byCodeUnit(a.video.id, b.video.id)),
    cells: new Map(candidates.flatMap(({ id, cells }) => (id === null || cells.size === 0 ? [] : [[id, cells]]))),
    origins,
    invalid: [...unread, ...candidates.filter((candidate) => !isGood(candidate)).map(({ id, path }) => ({ id, path }))],
    otherFiles: candidates.filter((candidate) => !isGood(candidate)).flatMap(({ files }) => files),
    diagnostics: sortDiagnostics([...diagnostics, ...doubled.diagnostics, ...sharedDestinations(candidates)]),
  };
}

const NO_ROWS: Result<Candidate[]> = { ok: true, value: [] };

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
    const owner = earlier.path === path && earlier.row !== undefined ? earlier.row : earlier.path;
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

/** Resolves an extended definition to its videos: a single video, or with `each` a video for every data row. */
function resolveRows(path: string, root: MapNode, context: RowContext): Result<Candidate[]> {
  const each = child(root, 'each');
  if (each === null) return { ok: true, value: [resolveVideo(path, root, null, context)] };
  const from = child(each, 'from');
  const id = child(each, 'id');
  // The check of the file has rejected any other form.
  if (from?.kind !== 'scalar' || id?.kind !== 'scalar') return NO_ROWS;
  const rows = rowsOf(from, context);
  return rows.ok ? { ok: true, value: rows.value.map((row) => resolveVideo(path, root, { row, id }, context)) } : rows;
}

function rowsOf(from: ScalarNode, context: RowContext): ReturnType<typeof readRows> {
  const at = from.span;
  const target = resolvePath(from.text, from.baseFile);
  if (!target.ok) return failure(target.code, at, target.message, target.hint);
  if (!isDataFile(target.path)) {
    const message = `${JSON.stringify(target.path)} is not a supported data file`;
    return failure('data_invalid', at, message, 'Use a .csv, .tsv, .json or .yaml file');
  }
  const text = context.read(target.path);
  if (!text.ok) return { ok: false, diagnostics: [unreadable(target.path, text.reason, at)] };
  return readRows(target.path, text.text);
}

function resolveVideo(
  path: string,
  root: MapNode,
  each: { readonly row: Row; readonly id: ScalarNode } | null,
  context: RowContext,
): Candidate {
  const diagnostics: Diagnostic[] = [];
  const row = each?.row ?? null;
  const writtenId = child(root, 'id');
  const base = writtenId?.kind === 'scalar' ? (fillIn(writtenId, row, diagnostics) as ScalarNode) : null;
  const rowId = each === null ? null : (fillIn(each.id, row, diagnostics) as ScalarNode);
  const hasId = diagnostics.length === 0;
  const filled = fillIn(withoutFileProperties(root), row, diagnostics) as MapNode;
  const misfilled = new Set(diagnostics.map(positionOf));

  const written = [base?.text ?? idOfPath(path, context.folder), ...(rowId === null ? [] : [rowId.text])].join('/');
  const id = parseVideoId(written);
  const place = rowId ?? base;
  if (id === null) diagnostics.push(invalidId(written, place, startOf(path)));

  const at = row?.span ?? place?.span ?? locateIn(root)([], 'value').span;
  const candidate = readVideo(filled, { id, path, at, row: row?.name }, context);
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

const ROW_REMEDY = '; correct the row, or choose another column for the id';

function invalidId(written: string, place: ScalarNode | null, file: Span): Diagnostic {
  const message = inRow(`${JSON.stringify(written)} is not a valid video id`, place?.row);
  const remedy = place === null ? '; rename the file, or add an "id"' : place.row === undefined ? '' : ROW_REMEDY;
  return errorAt('invalid_id', place?.span ?? file, message, `${videoIdHint(written)}${remedy}`);
}
