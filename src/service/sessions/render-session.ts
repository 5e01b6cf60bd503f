import type { FinishedSession } from '../../contract/render-service.ts';
import type { Mapping, Resource } from '../../contract/wire/mapping.ts';
import { OUTPUT_FILE_TYPES, OUTPUT_FORMATS, type OutputFormat, withoutName } from '../../contract/wire/output.ts';
import type { RequestProblem } from '../../contract/wire/problem.ts';
import type {
  ChangeRenderSession,
  RenderedSegments,
  RenderSession,
  SessionOptions,
  SessionPhase,
  SessionRequest,
  SessionSource,
} from '../../contract/wire/render-session.ts';
import { scenesOf } from '../../contract/wire/scene-request.ts';
import type { StyleVersion } from '../../contract/wire/style-version.ts';
import { defined } from '../../kernel/defined.ts';
import { checkMapping, type MappingProblem } from '../../template/bind/check-mapping.ts';
import type { BoundInput, SessionTemplate } from './bind-template.ts';
import { type SessionProblem, type StoredFile, sessionProblem } from './ports.ts';
import { renderWorkload } from './render-time.ts';
import { withoutVideo } from './session-deliveries.ts';
import { renderingWarnings } from './session-problems.ts';

/**
 * State transitions of a session as pure functions. `render_progress` never decreases and is 100 only in
 * `preview_rendered`.
 *
 * @see service-interface, sections 2.3 and 3
 */
export function createdSession(
  request: SessionRequest,
  ids: { readonly session: string; readonly mapping: string },
  nowMs: number,
): RenderSession {
  const now = timestamp(nowMs);
  const {
    scenes,
    size,
    rate,
    audio_tracks = {},
    loudness,
    captions,
  } = 'scenes' in request ? request : scenesOf(request);
  const mapping = 'scenes' in request ? scenes[0]!.mapping : request.mapping;
  const [main] = request.outputs ?? [];
  const output = main === undefined ? request.output : withoutName(main);
  const draft: RenderSession = {
    id: ids.session,
    title: request.title,
    status: 'draft',
    render_progress: 0,
    thumbnails: [],
    video_url: null,
    errors: [],
    created_at: now,
    updated_at: now,
    mapping: { id: ids.mapping, ...mapping },
    ...('scenes' in request && { scenes, ...defined({ size, rate }) }),
    audio_tracks,
    font_changes: mapping.font_changes ?? {},
    source_uploads: [],
    fonts: [],
    terminal: false,
    expires_at: null,
    ...defined({ output, loudness, captions }),
    ...(request.outputs === undefined
      ? {}
      : { outputs: request.outputs.map((named) => ({ ...named, video_url: null })) }),
    ...optionsOf(request),
  };
  return request.render === 'preview' ? queuedSession(draft, nowMs) : draft;
}

/** Returns the scenes and the outputs that a session was requested with. */
export function requestedFiles(session: RenderSession) {
  const { output, outputs = [] } = session;
  const furtherOutputs = outputs.slice(1).map(({ video_url: _, ...named }) => named);
  return { video: scenesOf(session), output, furtherOutputs };
}

/** Returns the options that are present. */
function optionsOf({ metadata, priority, webhook_url, retention_days }: SessionOptions): SessionOptions {
  return {
    ...defined({ metadata, priority, webhook_url, retention_days }),
  };
}

/** Returns a session for a video that was rendered earlier, with the few facts that are known. */
export function adoptedSession({ id, title, video_url, outputs }: FinishedSession, nowMs: number): RenderSession {
  const mapping = { template_style_version_id: '', resources: {} };
  const request = { title, mapping, output: { format: formatOf(video_url ?? '') } };
  const session = createdSession(request, { session: id, mapping: '' }, nowMs);
  const files = outputs?.map(({ name, video_url: url }) => ({ name, format: formatOf(url ?? ''), video_url: url }));
  const ended = { status: 'preview_rendered', render_progress: 100, video_url, terminal: true };
  return { ...session, ...ended, ...defined({ outputs: files }) };
}

function formatOf(url: string): OutputFormat {
  const extension = /[^.]*$/.exec(url)?.[0];
  return OUTPUT_FORMATS.find((format) => OUTPUT_FILE_TYPES[format].extension === extension) ?? 'mp4';
}

/** Queues a session: the interface document requires `preview_rendering` from here on. */
export function queuedSession(session: RenderSession, nowMs: number): RenderSession {
  return {
    ...session,
    missing_editables: undefined,
    status: 'preview_rendering',
    phase: 'queued',
    updated_at: timestamp(nowMs),
  };
}

/** Replaces the mapping of a draft and the list of editables that remain unfilled. */
export function changedDraft(
  session: RenderSession,
  mapping: RenderSession['mapping'],
  missing_editables: string[],
  nowMs: number,
): RenderSession {
  const { audio_tracks = {}, font_changes = {} } = mapping;
  return { ...session, mapping, audio_tracks, font_changes, missing_editables, updated_at: timestamp(nowMs) };
}

export function phasedSession(session: RenderSession, phase: SessionPhase, nowMs: number): RenderSession {
  return session.phase === phase ? session : { ...session, phase, updated_at: timestamp(nowMs) };
}

/** @param share of finished frames, 0..1 */
export function progressedSession(
  session: RenderSession,
  share: number,
  nowMs: number,
  segments?: RenderedSegments,
): RenderSession {
  const percent = Math.min(99, Math.floor(share * 100));
  const isNew = segments !== undefined && segments.done > (session.render_segments?.done ?? -1);
  if (percent <= session.render_progress && !isNew) return session;
  const render_progress = Math.max(percent, session.render_progress);
  const progress = { render_progress, ...(isNew ? { render_segments: { ...segments } } : {}) };
  return { ...session, ...progress, updated_at: timestamp(nowMs) };
}

/** Ends a session whose output is stored. */
export function renderedSession(
  session: RenderSession,
  files: readonly StoredFile[],
  { fonts, usage, ...end }: Required<Pick<RenderSession, 'fonts' | 'usage'>> & SessionEndTimes,
): RenderSession & Required<Pick<RenderSession, 'usage'>> {
  const occurred_at = timestamp(end.nowMs);
  const [main] = files;
  const outputs = session.outputs?.map((output, at) => {
    const { video_url, bytes, sha256, loudness } = files[at]!;
    return { ...output, video_url, bytes, video_sha256: sha256, ...defined({ measured_loudness: loudness }) };
  });
  // The main file may be silent.
  const measured_loudness = files.find(({ loudness }) => loudness !== undefined)?.loudness;
  return {
    ...session,
    status: 'preview_rendered',
    render_progress: 100,
    video_url: main!.video_url,
    video_sha256: main!.sha256,
    thumbnails: main!.thumbnails,
    ...defined({ outputs, measured_loudness }),
    fonts,
    usage,
    errors: renderingWarnings(main!.findings ?? [], scenesOf(session)).map((warning) => ({ ...warning, occurred_at })),
    ...endFields(session, end),
  };
}

/** A render that has finished, and its times. */
interface FinishedRender {
  readonly renderInput: BoundInput;
  /** The main file first. */
  readonly files: readonly StoredFile[];
  /**
   * Times when the session was queued and when the attempt began, in milliseconds since the epoch, possibly by the
   * clocks of two machines.
   */
  readonly queuedAtMs: number;
  readonly begunAtMs: number;
  /** Milliseconds since the attempt began. */
  readonly elapsedMs: number;
}

/** Ends a session whose output is stored, with its usage. */
export function finishedSession(
  session: RenderSession,
  { renderInput, files, queuedAtMs, begunAtMs, elapsedMs }: FinishedRender,
  end: SessionEndTimes,
): ReturnType<typeof renderedSession> {
  const usage = {
    queue_seconds: seconds(begunAtMs - queuedAtMs),
    render_seconds: seconds(elapsedMs),
    frames: renderWorkload(renderInput).frameCount,
    bytes: files[0]!.bytes,
  };
  return renderedSession(session, files, { fonts: [...renderInput.usedFonts], usage, ...end });
}

function seconds(milliseconds: number): number {
  return Math.max(0, Math.round(milliseconds) / 1000);
}

export function failedSession(
  session: RenderSession,
  errors: readonly SessionProblem[],
  end: SessionEndTimes,
): RenderSession {
  const occurred_at = timestamp(end.nowMs);
  return {
    ...withoutVideo(session),
    missing_editables: undefined,
    status: 'preview_failed',
    errors: errors.map((error) => ({ ...error, occurred_at })),
    ...endFields(session, end),
  };
}

export function canceledSession(session: RenderSession, end: SessionEndTimes): RenderSession {
  const canceled = sessionProblem({ code: 'canceled', title: 'The session was canceled' });
  return { ...failedSession(session, [canceled], end), status: 'preview_canceled' };
}

/** Ends a draft that was neither changed nor rendered in time. */
export function expiredDraft(session: RenderSession, end: SessionEndTimes): RenderSession {
  const detail = `It was last changed at ${session.updated_at}. Create a new session`;
  const expired = sessionProblem({ code: 'draft_expired', title: 'The draft was not rendered in time', detail });
  return { ...failedSession(session, [expired], end), status: 'preview_canceled' };
}

export function sourcedSession(session: RenderSession, source_uploads: SessionSource[], nowMs: number): RenderSession {
  return { ...session, source_uploads, updated_at: timestamp(nowMs) };
}

/** The end of a session and how long it is kept afterwards, in milliseconds; null keeps it indefinitely. */
export interface SessionEndTimes {
  readonly nowMs: number;
  readonly retentionMs: number | null;
}

function endFields(
  { retention_days }: RenderSession,
  { nowMs, retentionMs }: SessionEndTimes,
): Partial<RenderSession> & { updated_at: string } {
  const keptMs = retention_days === undefined ? retentionMs : retention_days * DAY_MS;
  return {
    phase: 'done',
    // Progress only: an ended session must not reveal whether another session rendered the same input.
    render_segments: undefined,
    terminal: true,
    updated_at: timestamp(nowMs),
    expires_at: keptMs === null ? null : timestamp(nowMs + keptMs),
  };
}

export const DAY_MS = 86_400_000;

/** ISO 8601, UTC, milliseconds. */
function timestamp(nowMs: number): string {
  return new Date(nowMs).toISOString();
}

/** Result of a change to the mapping of a draft. */
interface ChangedMapping {
  /** Valid only if there are no mistakes. */
  readonly mapping: RenderSession['mapping'];
  readonly mistakes: RequestProblem[];
  readonly missing: MappingProblem[];
}

/** Applies a change to the mapping of a draft, key by key. */
export function changeMapping(
  before: RenderSession['mapping'],
  change: ChangeRenderSession['mapping'],
  spec: StyleVersion,
): ChangedMapping {
  const { template_style_version_id: id } = before;
  const mapping = mergeMapping(before, change, spec);
  const { mistakes, missing } = sortProblems(checkMapping(mapping, spec));
  if ((change.template_style_version_id ?? id) !== id) {
    const pointer = '#/mapping/template_style_version_id';
    const detail = `the draft keeps its style version ${id}`;
    return { mapping, mistakes: [{ code: 'style_version_fixed', pointer, detail }, ...mistakes], missing };
  }
  if (mistakes.length > 0) return { mapping, mistakes, missing };
  return { mapping: { ...mapping, resources: plainColors(mapping.resources, spec) }, mistakes, missing };
}

/** Separates missing editables, which a draft may fill later, from mistakes. */
export function sortProblems<Problem extends RequestProblem>(
  problems: readonly (Problem | MappingProblem)[],
): { readonly mistakes: (Problem | MappingProblem)[]; readonly missing: MappingProblem[] } {
  const isMissing = (problem: Problem | MappingProblem): problem is MappingProblem =>
    problem.code === 'missing_editable';
  return { mistakes: problems.filter((problem) => !isMissing(problem)), missing: problems.filter(isMissing) };
}

/** Names an unfilled editable of a draft. */
export function missingName({ scene, editable }: Pick<MappingProblem, 'scene' | 'editable'>): string {
  return scene === undefined ? editable : `${scene}.${editable}`;
}

/** Removes the `#` of colours in all mappings. */
export function withPlainColors(
  request: SessionRequest,
  templates: ReadonlyMap<string, Pick<SessionTemplate, 'spec'>>,
): SessionRequest {
  const plain = <M extends Pick<Mapping, 'template_style_version_id' | 'resources'>>(mapping: M): M => {
    const { spec } = templates.get(mapping.template_style_version_id)!;
    return { ...mapping, resources: plainColors(mapping.resources, spec) };
  };
  if (!('scenes' in request)) return { ...request, mapping: plain(request.mapping) };
  return { ...request, scenes: request.scenes.map((scene) => ({ ...scene, mapping: plain(scene.mapping) })) };
}

function plainColors(resources: Record<string, Resource>, spec: StyleVersion): Record<string, Resource> {
  const plain = Object.entries(resources).map(([key, resource]): [string, Resource] => {
    const { source } = resource;
    if (spec.editables[key]?.input_type !== 'color' || !('text' in source)) return [key, resource];
    return [key, { source: { text: source.text.replace(/^#/, '') } }];
  });
  return Object.fromEntries(plain);
}

/** Keeps null for unknown keys, so that they are reported like any other entry. */
function mergeMapping(
  { resources, audio_tracks = {}, font_changes = {}, ...rest }: RenderSession['mapping'],
  change: ChangeRenderSession['mapping'],
  spec: StyleVersion,
): RenderSession['mapping'] {
  const { editables, fonts } = spec;
  return {
    ...rest,
    resources: merge(resources, change.resources, (key) => Object.hasOwn(editables, key)),
    audio_tracks: merge(audio_tracks, change.audio_tracks, () => true),
    font_changes: merge(font_changes, change.font_changes, (name) => fonts.includes(name)),
  };
}

function merge<T>(
  before: Readonly<Record<string, T>>,
  change: Readonly<Record<string, T | null>> = {},
  isKnown: (key: string) => boolean,
): Record<string, T> {
  const entries = Object.entries({ ...before, ...change });
  return Object.fromEntries(entries.filter(([key, value]) => value !== null || !isKnown(key))) as Record<string, T>;
}
