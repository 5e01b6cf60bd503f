import { ServiceError } from '../../contract/service-error.ts';
import { stripQueries } from '../../contract/urls.ts';
import type { RequestProblem } from '../../contract/wire/problem.ts';
import type {
  ExternalUpload,
  ExternalUploadStatus,
  RenderSession,
  SessionError,
} from '../../contract/wire/render-session.ts';
import type { StyleVersion, StyleVersionStatus } from '../../contract/wire/style-version.ts';
import { defined } from '../../kernel/defined.ts';
import { EXIT, ReelformError } from '../../kernel/diagnostic.ts';
import { isRecord, parseJson, parseRecord } from '../../kernel/json.ts';
import type { ServiceAnswer } from './exchange.ts';

/** A parsed answer. Unknown fields are kept, and wrong fields are rejected. */
type Fields = Readonly<Record<string, unknown>>;

/** Maximum length of a text from an answer, in UTF-16 code units. */
const MAX_TEXT = 8_192;
const MAX_ITEMS = 1_000;

/**
 * @param name of the request, for messages
 * @throws ReelformError `service_answer_invalid`
 */
function readJsonObject(name: string, text: string): Fields {
  const value = parseJson(text);
  if (value === undefined) throw invalid(name, 'the response is not JSON');
  if (!isRecord(value)) throw invalid(name, 'the response is not a JSON object');
  return value;
}

/**
 * Reads `{render_session}`. Any status is accepted. Missing fields get the values of a session that was just created.
 * `errors`, whose form the interface document leaves open, are normalised.
 *
 * @param nowMs since the epoch; replaces missing times
 * @throws ReelformError `service_answer_invalid`
 */
export function readSessionAnswer(name: string, text: string, nowMs: number): RenderSession {
  return sessionOf(name, readJsonObject(name, text).render_session, nowMs);
}

/**
 * Reads the session of a 201. If the id is readable the session exists and may be paid for, so the rest may be invalid.
 *
 * @throws ReelformError `service_answer_invalid`
 */
export function readCreated(name: string, text: string, nowMs: number): RenderSession {
  const value = readJsonObject(name, text).render_session;
  try {
    return sessionOf(name, value, nowMs);
  } catch (error) {
    if (isRecord(value) && isLine(value.id, 200)) return bareSession(value.id, nowMs);
    throw error;
  }
}

/** Reads `{features}`. @throws ReelformError `service_answer_invalid` */
export function readFeatures(name: string, text: string): Fields {
  const { features } = readJsonObject(name, text);
  if (!isRecord(features)) throw invalid(name, 'features is not an object');
  return features;
}

/** @throws ReelformError `service_answer_invalid` */
function sessionOf(name: string, value: unknown, nowMs: number): RenderSession {
  if (!isRecord(value)) throw invalid(name, 'render_session is not an object');
  const now = new Date(nowMs).toISOString();
  const { render_progress = 0, video_url = null, updated_at = now, created_at = updated_at } = value;
  const thumbnails = value.thumbnails ?? [];
  const errors = value.errors ?? [];
  const problems = [
    ...(isLine(value.id, 200) ? [] : ['id is not a string']),
    ...(isLine(value.status, 200) ? [] : ['status is not a string']),
    ...(isPercent(render_progress) ? [] : ['render_progress is not a number from 0 to 100']),
    ...(video_url === null || isUrl(video_url) ? [] : ['video_url is neither a URL nor null']),
    ...(isListOf(thumbnails, isUrl) ? [] : ['thumbnails is not a list of URLs']),
    ...(isListOf(errors, () => true) ? [] : ['errors is not a list']),
    ...(timeOf(updated_at) === null ? ['updated_at is not a time'] : []),
  ];
  if (problems.length > 0) throw invalid(name, `of render_session, ${problems.join(', ')}`);
  // Kept only if readable: other services may use the name differently.
  const { external_uploads, outputs, ...rest } = value as unknown as RenderSession;
  return {
    ...rest,
    ...(Array.isArray(external_uploads) ? { external_uploads: readUploads(external_uploads) } : {}),
    ...(Array.isArray(outputs) ? { outputs: readOutputs(outputs) } : {}),
    render_progress: render_progress as number,
    video_url: video_url as string | null,
    thumbnails: thumbnails as string[],
    errors: (errors as unknown[]).map(readSessionError),
    created_at: timeOf(created_at) ?? timeOf(updated_at)!,
    updated_at: timeOf(updated_at)!,
  };
}

/** Reads `{render_sessions, next_cursor}` and skips unreadable sessions. */
export function readSessions(
  name: string,
  text: string,
  nowMs: number,
): { readonly sessions: RenderSession[]; readonly nextCursor: string | null } {
  const { render_sessions, next_cursor } = readJsonObject(name, text);
  if (!Array.isArray(render_sessions)) throw invalid(name, 'render_sessions is not a list');
  const sessions = render_sessions.slice(0, MAX_ITEMS).flatMap((value: unknown) => {
    try {
      return [sessionOf(name, value, nowMs)];
    } catch {
      return [];
    }
  });
  // A page of nothing is the last.
  return { sessions, nextCursor: sessions.length > 0 && isLine(next_cursor, MAX_TEXT) ? next_cursor : null };
}

/** A session of which nothing but the id is known, as the interface document has it at its creation. */
export function bareSession(id: string, nowMs: number): RenderSession {
  const now = new Date(nowMs).toISOString();
  return {
    id,
    title: '',
    status: 'preview_rendering',
    render_progress: 0,
    thumbnails: [],
    video_url: null,
    errors: [],
    created_at: now,
    updated_at: now,
    mapping: { id: '', template_style_version_id: '', resources: {} },
    audio_tracks: {},
    font_changes: {},
    source_uploads: [],
    fonts: [],
  };
}

function readSessionError(value: unknown): SessionError {
  const fields = isRecord(value) ? value : {};
  const first = (...names: string[]): string | undefined =>
    names.map((name) => fields[name]).find((field): field is string => typeof field === 'string' && field !== '');
  const title =
    first('title', 'message', 'detail') ?? (typeof value === 'object' ? JSON.stringify(value) : String(value));
  const detail = first('detail', 'message');
  return {
    code: first('code', 'type') ?? 'session_failed',
    title: stripQueries(title.slice(0, MAX_TEXT)),
    detail: detail === undefined ? undefined : stripQueries(detail.slice(0, MAX_TEXT)),
    pointer: first('pointer'),
    editable: first('editable'),
    severity: fields.severity === 'warning' ? 'warning' : 'error',
    retryable: fields.retryable === true,
    occurred_at: first('occurred_at') ?? '',
  };
}

/** Maps an unknown status: failed if the session reports a failure, otherwise in progress. */
function uploadStatus(status: unknown): ExternalUploadStatus {
  if (status === 'pending' || status === 'complete' || status === 'failed') return status;
  if (typeof status !== 'string') return 'uploading';
  if (/^completed$|^succe|^done$/.test(status)) return 'complete';
  return /fail|error|cancel/.test(status) ? 'failed' : 'uploading';
}

/** Reads `external_uploads` and skips entries without `to`. */
function readUploads(values: readonly unknown[]): ExternalUpload[] {
  return values.slice(0, MAX_ITEMS).flatMap((value) => {
    if (!isRecord(value) || !isLine(value.to, MAX_TEXT)) return [];
    const status = uploadStatus(value.status);
    const textAt = (name: string): string | null => (isLine(value[name], MAX_TEXT) ? value[name] : null);
    const credential = textAt('credential');
    const output = textAt('output');
    return [
      {
        to: value.to,
        ...(credential === null ? {} : { credential }),
        ...(output === null ? {} : { output }),
        status,
        remote_id: textAt('remote_id'),
        url: isUrl(value.url) ? value.url : null,
        error: status === 'failed' ? readUploadError(value.error) : null,
      },
    ];
  });
}

/** Reads `outputs` and skips entries without a name. */
function readOutputs(values: readonly unknown[]): NonNullable<RenderSession['outputs']> {
  return values.slice(0, MAX_ITEMS).flatMap((value) => {
    if (!isRecord(value) || !isLine(value.name, MAX_TEXT)) return [];
    const { video_url: url } = value;
    return [{ ...(value as unknown as { readonly name: string }), video_url: isUrl(url) ? url : null }];
  });
}

function readUploadError(value: unknown): NonNullable<ExternalUpload['error']> {
  const { title, detail } = readSessionError(value ?? 'The service told no reason');
  const code = isRecord(value) && isLine(value.code, 100) ? value.code : 'delivery_failed';
  return { code, title, ...defined({ detail }) };
}

/** Reads `{style_version}` with an id; its reader checks the specification. */
export function readStyleVersion(name: string, text: string): StyleVersion {
  const value = readJsonObject(name, text).style_version;
  if (!isRecord(value) || !isLine(value.id, 200)) throw invalid(name, 'style_version has no id');
  return value as unknown as StyleVersion;
}

/** Processing state of an uploaded template. */
export interface PushedStyleVersion {
  readonly id: string;
  readonly status: StyleVersionStatus;
  /** As received. */
  readonly editables: unknown;
  /** Reasons of a failure. */
  readonly errors: readonly RequestProblem[];
}

const STATUSES: readonly StyleVersionStatus[] = ['processing', 'edit_ready', 'failed'];

/** @throws ReelformError `service_answer_invalid` */
export function readStyleVersionState(name: string, text: string): PushedStyleVersion {
  const version = readStyleVersion(name, text) as StyleVersion & Fields;
  const status = STATUSES.find((known) => known === version.status);
  if (status === undefined) throw invalid(name, `style_version.status is not one of ${STATUSES.join(', ')}`);
  return { id: version.id, status, editables: version.editables, errors: readProblems(version.errors) };
}

/** @throws ReelformError `service_answer_invalid` */
export function readUpload(name: string, text: string): { remote_url: string } {
  const { remote_url } = readJsonObject(name, text);
  if (!isLine(remote_url, MAX_TEXT)) throw invalid(name, 'remote_url is not a text');
  return { remote_url };
}

/** Reads the `errors` of a refusal and skips malformed entries. */
function readProblems(value: unknown): RequestProblem[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, MAX_ITEMS).flatMap((item: unknown) => {
    if (!isRecord(item) || typeof item.detail !== 'string') return [];
    const { code, pointer, detail } = item;
    return [
      {
        code: typeof code === 'string' ? code : JSON.stringify(code ?? 'error').replaceAll('"', ''),
        pointer: typeof pointer === 'string' ? pointer : '#',
        detail: stripQueries(detail),
      },
    ];
  });
}

function invalid(name: string, reason: string): ReelformError {
  return new ReelformError('service_answer_invalid', `${name}: ${reason}`, {
    hint: 'Look whether "service" in reelform.yaml is the URL of a service that has the interface',
  });
}

/** Reports whether a value is a non-empty text without control characters. */
export function isLine(value: unknown, maxLength: number): value is string {
  return typeof value === 'string' && value !== '' && value.length <= maxLength && !/[\x00-\x1f\x7f-\x9f]/.test(value);
}

function isUrl(value: unknown): value is string {
  return isLine(value, MAX_TEXT) && /^https?:\/\//i.test(value) && URL.canParse(value);
}

function isListOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.length <= MAX_ITEMS && value.every(isItem);
}

function isPercent(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && value <= 100;
}

/** Normalises a time to ISO 8601; null if invalid. */
function timeOf(value: unknown): string | null {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d/.test(value)) return null;
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}

/**
 * Converts an unsuccessful answer to an error, with the text of its problem details if it has any.
 *
 * @param name of the request, for messages
 */
export function refusalOf(name: string, { status, text, header }: ServiceAnswer): ServiceError | ReelformError {
  if (status >= 300 && status < 400) return redirected(name, status, header('location'));
  // An answer may be no problem document, for example a proxy's error page.
  const fields: Fields = parseRecord(text) ?? {};
  const detail = [fields.detail, fields.title].find((field) => typeof field === 'string' && field !== '');
  const message = typeof detail === 'string' ? stripQueries(detail.slice(0, MAX_TEXT)) : `${name} returned ${status}`;
  if (status === 401 || status === 403) {
    return new ReelformError('service_unauthorized', `The service refused the token: ${message}`, {
      hint: status === 401 ? 'Make a new token, and put it into the environment' : 'Use a token with this scope',
      exitCode: EXIT.authentication,
    });
  }
  const code = isLine(fields.code, 100) ? fields.code : `http_${status}`;
  return new ServiceError(status, code, message, readProblems(fields.errors));
}

/** Redirects are not followed: they would resend the token and the body to another host. */
function redirected(name: string, status: number, location: string | null): ReelformError {
  const to = location === null ? '' : ` to ${location.replace(/[?#].*/s, '')}`;
  return new ReelformError(
    'service_answer_invalid',
    `${name} was redirected${to} (${status}), and no redirect is followed`,
    { hint: 'Write the URL that the service really has into reelform.yaml' },
  );
}
