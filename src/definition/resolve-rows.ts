import { type Diagnostic, errorAt, positionOf, type Span } from '../diagnostic.ts';
import { child, locateIn, type MapNode, type ScalarNode } from '../yaml/tree.ts';
import { type FileText, unreadable } from './definition-file.ts';
import { type PlacedDestination, readDeliver } from './destinations.ts';
import { withoutOwn } from './extend.ts';
import { fillIn } from './fill-in.ts';
import { isDataFile, type Row, readRows } from './read-rows.ts';
import { type FileUse, inRow, readVideo, type VideoContext } from './read-video.ts';
import { resolvePath } from './repository-path.ts';
import { idOfPath, parseVideoId, VIDEO_ID_HINT, type Video, type VideoId } from './video.ts';

export interface RowContext extends VideoContext {
  /** Base folder of the glob, which ids are relative to. */
  readonly folder: string;
  /** Reads a file by its repository-relative path. */
  readonly read: (path: string) => FileText;
}

/** A video that is checked by itself, but not yet against other videos. */
export interface Candidate {
  /** `null` if the id is invalid. */
  readonly id: VideoId | null;
  readonly path: string;
  /** Location of the video as a whole: its row, its id, or the start of its definition. */
  readonly at: Span;
  /** `null` if there is a problem. */
  readonly video: Video | null;
  /** Local files that it uses, even if there are other problems. */
  readonly files: readonly FileUse[];
  /** Empty if there is a problem. */
  readonly destinations: readonly PlacedDestination[];
}

export interface ResolvedRows {
  readonly candidates: readonly Candidate[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Resolves an extended definition to its videos: one, or with `each` one for every data row. */
export function resolveRows(path: string, root: MapNode, context: RowContext): ResolvedRows {
  const each = child(root, 'each');
  if (each === null) return resolveVideo(path, root, null, context);
  const from = child(each, 'from');
  const id = child(each, 'id');
  // The check of the file has rejected any other form.
  if (from?.kind !== 'scalar' || id?.kind !== 'scalar') return { candidates: [], diagnostics: [] };
  const rows = rowsOf(from, context);
  if (!rows.ok) return { candidates: [], diagnostics: rows.diagnostics };
  const resolved = rows.value.map((row) => resolveVideo(path, root, { row, id }, context));
  return {
    candidates: resolved.flatMap((one) => one.candidates),
    diagnostics: resolved.flatMap((one) => one.diagnostics),
  };
}

function rowsOf(from: ScalarNode, context: RowContext): ReturnType<typeof readRows> {
  const at = from.span;
  const refused = (problem: Omit<Diagnostic, 'severity' | 'at'>): ReturnType<typeof readRows> => ({
    ok: false,
    diagnostics: [{ ...problem, severity: 'error', at }],
  });
  const target = resolvePath(from.text, from.baseFile);
  if (!target.ok) return refused({ code: target.code, message: target.message, hint: target.hint });
  if (!isDataFile(target.path)) {
    const message = `${JSON.stringify(target.path)} is not a supported data file`;
    return refused({ code: 'data_invalid', message, hint: 'Use a .csv, .tsv, .json or .yaml file' });
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
): ResolvedRows {
  const diagnostics: Diagnostic[] = [];
  const row = each?.row ?? null;
  const own = child(root, 'id');
  const base = own?.kind === 'scalar' ? (fillIn(own, row, diagnostics) as ScalarNode) : null;
  const rowId = each === null ? null : (fillIn(each.id, row, diagnostics) as ScalarNode);
  const hasId = diagnostics.length === 0;
  const filled = fillIn(withoutOwn(root), row, diagnostics) as MapNode;
  const misfilled = new Set(diagnostics.map(positionOf));

  const written = [base?.text ?? idOfPath(path, context.folder), ...(rowId === null ? [] : [rowId.text])].join('/');
  const id = parseVideoId(written);
  const place = rowId ?? base;
  if (id === null) diagnostics.push(invalidId(written, place, { file: path, start: 0, end: 0 }));

  const read = readVideo(path, filled, context);
  diagnostics.push(...read.diagnostics);
  const undelivered = read.video === null || id === null ? null : { id, ...read.video };
  const deliver = undelivered === null ? NOWHERE : readDeliver(filled, undelivered, context.deliver);
  diagnostics.push(
    ...deliver.diagnostics.map((problem) => ({ ...problem, message: inRow(problem.message, row?.name) })),
  );
  const { destinations } = deliver;
  const video =
    undelivered === null || diagnostics.length > 0
      ? null
      : { ...undelivered, deliver: destinations.map(({ to, credential }) => ({ to, credential })) };
  const at = row?.span ?? place?.span ?? locateIn(root)([], 'value').span;
  return {
    candidates: [{ id: hasId ? id : null, path, at, video, files: read.files, destinations }],
    // Hides problems that follow from an unknown placeholder.
    diagnostics: diagnostics.filter((one) => one.code === 'unknown_variable' || !misfilled.has(positionOf(one))),
  };
}

const NOWHERE: ReturnType<typeof readDeliver> = { destinations: [], diagnostics: [] };

function invalidId(written: string, place: ScalarNode | null, file: Span): Diagnostic {
  const message = inRow(`${JSON.stringify(written)} is not a valid video id`, place?.row);
  const hint = place === null ? `${VIDEO_ID_HINT}; rename the file, or add an "id"` : VIDEO_ID_HINT;
  return errorAt('invalid_id', place?.span ?? file, message, hint);
}
