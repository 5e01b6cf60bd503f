import { EXIT, ReelformError } from '../diagnostic.ts';
import { isRecord } from '../is-record.ts';
import { ServiceError } from './service-error.ts';
import type { RenderSession, RequestProblem, SessionError, StyleVersion, StyleVersionStatus } from './wire.ts';

/** What is read of an answer: unknown fields are left alone, wrong ones refused. */
type Fields = Readonly<Record<string, unknown>>;

const MAX_TEXT = 8_192;
const MAX_ITEMS = 1_000;

/**
 * @param name of the request, for messages
 * @throws ReelformError `service_answer_invalid`
 */
export function readJson(name: string, text: string): Fields {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalid(name, 'the answer is not JSON');
  }
  if (!isRecord(value)) throw invalid(name, 'the answer is not a JSON object');
  return value;
}

/**
 * `{render_session}` as a session. Its status may be any text. Elements of `errors`, whose form the interface document
 * leaves open, are brought into ours.
 *
 * @throws ReelformError `service_answer_invalid`
 */
export function readSession(name: string, text: string): RenderSession {
  const value = readJson(name, text).render_session;
  if (!isRecord(value)) throw invalid(name, 'render_session is not an object');
  const problems = [
    ...(isLine(value.id, 200) ? [] : ['id is not a text']),
    ...(isLine(value.status, 200) ? [] : ['status is not a text']),
    ...(isPercent(value.render_progress) ? [] : ['render_progress is not a number from 0 to 100']),
    ...(value.video_url === null || isUrl(value.video_url) ? [] : ['video_url is neither a URL nor null']),
    ...(isListOf(value.thumbnails, isUrl) ? [] : ['thumbnails is not a list of URLs']),
    ...(isListOf(value.errors, () => true) ? [] : ['errors is not a list']),
    ...(timeOf(value.updated_at) === null ? ['updated_at is not a time'] : []),
  ];
  if (problems.length > 0) throw invalid(name, `of render_session, ${problems.join(', ')}`);
  return {
    ...(value as unknown as RenderSession),
    errors: (value.errors as unknown[]).map(readSessionError),
    updated_at: timeOf(value.updated_at)!,
  };
}

function readSessionError(value: unknown): SessionError {
  const fields = isRecord(value) ? value : {};
  const first = (...names: string[]): string | undefined =>
    names.map((name) => fields[name]).find((one): one is string => typeof one === 'string' && one !== '');
  const title = first('title', 'message', 'detail') ?? (isRecord(value) ? JSON.stringify(value) : String(value));
  return {
    code: first('code', 'type') ?? 'session_failed',
    title: title.slice(0, MAX_TEXT),
    detail: first('detail', 'message'),
    pointer: first('pointer'),
    editable: first('editable'),
    severity: fields.severity === 'warning' ? 'warning' : 'error',
    retryable: fields.retryable === true,
    occurred_at: first('occurred_at') ?? '',
  };
}

/** `{style_version}` as far as it says which one it is: whether it is a specification is for its reader to say. */
export function readStyleVersion(name: string, text: string): StyleVersion {
  const value = readJson(name, text).style_version;
  if (!isRecord(value) || !isLine(value.id, 200)) throw invalid(name, 'style_version has no id');
  return value as unknown as StyleVersion;
}

/** What the service made of an uploaded template. */
export interface StyleVersionState {
  readonly id: string;
  readonly status: StyleVersionStatus;
  /** As it told them. */
  readonly editables: unknown;
  /** Why it failed. */
  readonly errors: readonly RequestProblem[];
}

const STATUSES: readonly StyleVersionStatus[] = ['processing', 'edit_ready', 'failed'];

/** @throws ReelformError `service_answer_invalid` */
export function readStyleVersionState(name: string, text: string): StyleVersionState {
  const version = readStyleVersion(name, text) as StyleVersion & Fields;
  const status = STATUSES.find((one) => one === version.status);
  if (status === undefined) throw invalid(name, `style_version.status is not one of ${STATUSES.join(', ')}`);
  return { id: version.id, status, editables: version.editables, errors: readProblems(version.errors) };
}

/** @throws ReelformError `service_answer_invalid` */
export function readUpload(name: string, text: string): { remote_url: string } {
  const { remote_url } = readJson(name, text);
  if (typeof remote_url !== 'string' || !isLine(remote_url, MAX_TEXT)) throw invalid(name, 'remote_url is not a text');
  return { remote_url };
}

/** What a refusal says: its own words when it is a problem document, a plain sentence when not. */
export function readRefusal(name: string, status: number, text: string): ServiceError | ReelformError {
  let fields: Fields = {};
  try {
    fields = readJson(name, text);
  } catch {
    // A proxy's page, or nothing: the status has to do.
  }
  const detail = [fields.detail, fields.title].find((one) => typeof one === 'string' && one !== '');
  const message = typeof detail === 'string' ? detail.slice(0, MAX_TEXT) : `${name} answered ${status}`;
  if (status === 401 || status === 403) {
    return new ReelformError('service_unauthorized', `The service refused the token: ${message}`, {
      hint: status === 401 ? 'Make a new token, and put it into the environment' : 'Use a token with this scope',
      exitCode: EXIT.authentication,
    });
  }
  const code = isLine(fields.code, 100) ? (fields.code as string) : `http_${status}`;
  return new ServiceError(status, code, message, readProblems(fields.errors));
}

function readProblems(value: unknown): RequestProblem[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, MAX_ITEMS).flatMap((item: unknown) => {
    if (!isRecord(item) || typeof item.detail !== 'string') return [];
    const { code, pointer, detail } = item;
    return [{ code: String(code ?? 'error'), pointer: typeof pointer === 'string' ? pointer : '#', detail }];
  });
}

function invalid(name: string, reason: string): ReelformError {
  return new ReelformError('service_answer_invalid', `${name}: ${reason}`, {
    hint: 'Look whether "service" in reelform.yaml is the URL of a service that has the interface',
  });
}

function isLine(value: unknown, maxLength: number): boolean {
  return typeof value === 'string' && value !== '' && value.length <= maxLength && !/[\x00-\x1f\x7f-\x9f]/.test(value);
}

function isUrl(value: unknown): boolean {
  return isLine(value, MAX_TEXT) && /^https?:\/\//i.test(value as string) && URL.canParse(value as string);
}

function isListOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.length <= MAX_ITEMS && value.every(isItem);
}

function isPercent(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && value <= 100;
}

/** In our own writing of ISO 8601; null when it is no time. */
function timeOf(value: unknown): string | null {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d/.test(value)) return null;
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}
