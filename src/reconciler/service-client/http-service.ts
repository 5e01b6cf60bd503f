import pLimit from 'p-limit';
import {
  lacksDeliveries,
  type RemoteRenderService,
  type ServiceTime,
  type SessionSnapshot,
  SessionUnknown,
  type SourceUpload,
  sessionDiffers,
  uploadsEnded,
} from '../../contract/render-service.ts';
import { ServiceError } from '../../contract/service-error.ts';
import { stripQueries } from '../../contract/urls.ts';
import type { ExternalUpload, RenderSession } from '../../contract/wire/render-session.ts';
import { type Backoff, backoffMs } from '../../kernel/backoff.ts';
import { ReelformError } from '../../kernel/diagnostic.ts';
import { type Sha256, sha256 } from '../../kernel/digest.ts';
import { FRESH_AGENTS, KEPT_AGENTS, MAX_SOCKETS } from '../../kernel/http/agents.ts';
import { type Repeatability, retryAfterMs } from '../../kernel/http/send-request.ts';
import { accountDigest, type Exchange, exchange as exchangeOnce, type ServiceAnswer } from './exchange.ts';
import { answeredAtMs, keyLifetimeMs, type PostOutcome, postOutcome } from './post-outcome.ts';
import {
  readSessionAnswer,
  readSessions,
  readStyleVersion,
  readStyleVersionState,
  readUpload,
  refusalOf,
} from './read-answer.ts';
import { MAX_RETRY_AFTER_MS, Retries } from './retry.ts';
import type { StyleVersionPusher } from './style-version-pusher.ts';

export interface HttpServiceOptions {
  /** The base URL, without a slash at its end. */
  readonly url: string;
  readonly token: string;
  /** Key lifetime observed in earlier runs. */
  readonly keyLifetimeMs?: number | null;
  /** Configured capabilities; override what the service reports. */
  readonly capabilities?: RemoteCapabilities;
  /** Publishes a file at a URL if the service does not accept uploads. */
  readonly publish?: ((source: SourceUpload) => Promise<{ remote_url: string }>) | undefined;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Milliseconds of a clock that is never set. */
  monotonicNow(): number;
  /** @param signal rejects the promise when it is aborted */
  wait(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** 0..1 */
  random(): number;
  /** Milliseconds for one exchange. */
  readonly timeoutMs?: number;
  /** Milliseconds for an exchange that uploads a file. */
  readonly uploadTimeoutMs?: number;
  /** Called with the display name of each request; the returned function is called when the exchange ends. */
  readonly onRequest?: (name: string) => () => void;
}

/** Optional features of a service; detected if absent. */
interface RemoteCapabilities {
  /** 0 if it keeps none. */
  readonly keyLifetimeMs?: number;
  readonly list?: boolean;
  readonly externalUploads?: boolean;
}

const TIMEOUT_MS = 60_000;
const UPLOAD_TIMEOUT_MS = 600_000;
/** Milliseconds without data. Reads can be repeated; the outcome of other unanswered requests is unknown. */
const IDLE_MS = { GET: 30_000, POST: 60_000 } as const;
/** Page size of session lists. */
const PAGE = 100;
const SESSIONS = '/v2/render_sessions';
/** Wait between polls of deliveries, unless the service sends Retry-After. */
const DELIVERY_BACKOFF: Backoff = { firstMs: 250, maxMs: 5_000, factor: 1.5 };

interface Call {
  readonly method: 'GET' | 'POST';
  /** Path below the base URL, with escaped ids. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
}

/** A moment by both clocks of this machine. */
interface Moment {
  readonly wallMs: number;
  readonly monotonicMs: number;
}

/** An answer and the display name of its request. */
interface Answered {
  readonly name: string;
  readonly answer: ServiceAnswer;
}

/**
 * Connects to a rendering service at a URL. Requires only the three calls of the interface document; other features are
 * used if the service has them. Reads are repeated when the service is busy or silent. A session is posted once, unless
 * the service keeps idempotency keys or certainly did nothing.
 *
 * Methods throw ServiceError for rejections, and ReelformError `service_unreachable`, `service_unauthorized` and
 * `service_answer_invalid`, none of which contains the token.
 */
export function createHttpService(options: HttpServiceOptions): RemoteRenderService & StyleVersionPusher {
  const { url, token, now, monotonicNow, wait, random, capabilities = {} } = options;
  const { timeoutMs = TIMEOUT_MS, uploadTimeoutMs = UPLOAD_TIMEOUT_MS } = options;
  const uploads = new Map<Sha256, Promise<{ remote_url: string }>>();
  let seenKeyLifetimeMs = options.keyLifetimeMs ?? null;
  let takesFiles = true;
  let seenTime: (Moment & { readonly dateMs: number }) | null = null;
  let timeRead: Promise<unknown> | null = null;
  // Requests wait here for a connection, not in the agent: there they would use memory and their time limit.
  const queues = new Map([KEPT_AGENTS, FRESH_AGENTS].map((agents) => [agents, pLimit(MAX_SOCKETS)]));

  const lifetimeMs = (): number | null => {
    const { keyLifetimeMs: declaredMs } = capabilities;
    return declaredMs === undefined ? seenKeyLifetimeMs : declaredMs === 0 ? null : declaredMs;
  };

  /** @param agents fresh ones for a POST, which must not use a connection that is being closed */
  const send = ({ method, path, headers, body }: Call, agents = KEPT_AGENTS): Promise<Exchange> => {
    const totalMs = body instanceof Uint8Array ? uploadTimeoutMs : timeoutMs;
    const request = { method, url: `${url}${path}`, body, agents, totalMs, idleMs: Math.min(IDLE_MS[method], totalMs) };
    return queues.get(agents)!(async () => {
      const ended = options.onRequest?.(stripQueries(`${method} ${url}${path}`));
      const sent = exchangeOnce({ ...request, headers: { accept: 'application/json', ...headers } }, token);
      return sent.then(noteTime).finally(ended);
    });
  };

  const noteTime = (result: Exchange): Exchange => {
    const dateMs = answeredAtMs(result);
    if (dateMs !== null) seenTime = { dateMs, wallMs: now(), monotonicMs: monotonicNow() };
    return result;
  };

  /** Returns the milliseconds by both clocks: one may be set, and the other stops while a machine sleeps. */
  const elapsedSince = ({ wallMs, monotonicMs }: Moment): [byWall: number, byMonotonic: number] => [
    Math.max(0, now() - wallMs),
    Math.max(0, monotonicNow() - monotonicMs),
  ];

  const timeNow = (): ServiceTime | null => {
    if (seenTime === null) return null;
    const { dateMs } = seenTime;
    const elapsedMs = elapsedSince(seenTime);
    return { earliestMs: dateMs + Math.min(...elapsedMs), latestMs: dateMs + Math.max(...elapsedMs) };
  };

  /** Sends a request that can safely be repeated. */
  async function exchange(call: Call): Promise<Answered> {
    const name = `${call.method} ${url}${call.path}`;
    const retries = new Retries(options);
    for (;;) {
      const result = await send(call);
      if (result.kind === 'answer' && result.answer.status < 300) return { name, answer: result.answer };
      const error = result.kind === 'answer' ? refusalOf(name, result.answer) : result.error;
      const milliseconds = retries.delayMs(result, 'safe', error);
      if (milliseconds === null) throw error;
      await wait(milliseconds);
    }
  }

  const read = (path: string): Promise<Answered> => exchange({ method: 'GET', path });

  const upload = async (path: string, bytes: Uint8Array, contentType: string, lacking: () => ReelformError) => {
    try {
      return await exchange({ method: 'POST', path, headers: { 'content-type': contentType }, body: bytes });
    } catch (error) {
      throw isMissing(error) ? lacking() : error;
    }
  };

  const uploadSource = async (source: SourceUpload): Promise<{ remote_url: string }> => {
    const { bytes, name: file } = source;
    const lacking = (): ReelformError => {
      takesFiles = false;
      const message = `The service at ${url} does not accept files, but ${file} is one`;
      return lacksUploads(message, 'Use a URL instead, or publish files with "assets" in reelform.yaml');
    };
    // Remembers that the service rejects uploads.
    try {
      if (!takesFiles) throw lacking();
      const { name, answer } = await upload('/v2/source_uploads', bytes, 'application/octet-stream', lacking);
      return readUpload(name, answer.text);
    } catch (error) {
      if (takesFiles || options.publish === undefined) throw error;
      return options.publish(source);
    }
  };

  /** Remembers for how long the service keeps a key. A replay reports the remaining time of the first answer. */
  const noteKeyLifetime = (result: Exchange, key: string): void => {
    const head = result.kind === 'answer' ? result.answer : result.kind === 'broken' ? result.head : null;
    if (head === null) return;
    const shownMs = keyLifetimeMs(key, head.header, now());
    const isReplay = head.header('idempotent-replayed') === 'true';
    seenKeyLifetimeMs = isReplay && shownMs !== null ? Math.max(shownMs, seenKeyLifetimeMs ?? 0) : shownMs;
  };

  async function post(
    body: string,
    key: string,
    signal?: AbortSignal,
  ): Promise<{ outcome: PostOutcome; mayHaveArrived: boolean }> {
    const headers = { 'content-type': 'application/json', 'idempotency-key': key };
    const call: Call = { method: 'POST', path: SESSIONS, headers, body };
    const name = `POST ${url}${SESSIONS}`;
    const beganAt = { wallMs: now(), monotonicMs: monotonicNow() };
    let mayHaveArrived = false;
    const retries = new Retries(options);
    for (;;) {
      const result = await send(call, FRESH_AGENTS);
      const outcome = postOutcome(name, result, now());
      if (outcome.kind === 'created') {
        noteKeyLifetime(result, key);
        return { outcome, mayHaveArrived };
      }
      mayHaveArrived ||= outcome.kind === 'unknown';
      const keptMs = lifetimeMs();
      const isKept = keptMs !== null && Math.max(...elapsedSince(beganAt)) < keptMs;
      // Once a request may have arrived, repeating it is only safe under a kept key.
      const how: Repeatability = isKept ? 'keyed' : 'once';
      const milliseconds = mayHaveArrived && !isKept ? null : retries.delayMs(result, how, outcome.error);
      if (milliseconds === null) return { outcome, mayHaveArrived };
      // Only a request that certainly created nothing is given up early.
      const isStopped = await wait(milliseconds, mayHaveArrived ? undefined : signal).then(
        () => false,
        () => true,
      );
      if (isStopped) return { outcome, mayHaveArrived };
    }
  }

  /** @throws ReelformError `session_differs` for the answer of a request for another session */
  const readSessionOf = (id: string, name: string, answer: ServiceAnswer): RenderSession => {
    const session = readSessionAnswer(name, answer.text, now());
    if (session.id.toLowerCase() === id.toLowerCase()) return session;
    throw sessionDiffers(`${name} returned the session ${session.id}`);
  };

  const getRenderSession = async (id: string): Promise<SessionSnapshot> => {
    const { name, answer } = await read(`${SESSIONS}/${encodeURIComponent(id)}`);
    return { session: readSessionOf(id, name, answer), retryAfterMs: askedMs(answer, now()) };
  };

  const deliverVideo: NonNullable<RemoteRenderService['deliverVideo']> = async ({ session: id }, asked) => {
    const body = JSON.stringify({ external_uploads: asked });
    const key = sha256(`${id} ${body} ${now()} ${random()}`).slice(0, 32);
    const headers = { 'content-type': 'application/json', 'idempotency-key': key };
    const path = `${SESSIONS}/${encodeURIComponent(id)}/external_uploads`;
    let session: RenderSession;
    try {
      // A repetition at worst delivers the same file twice.
      const { name, answer } = await exchange({ method: 'POST', path, headers, body });
      session = readSessionOf(id, name, answer);
    } catch (error) {
      if (!isMissing(error)) throw error;
      // Throws 404 if the session itself is missing.
      await getRenderSession(id);
      throw lacksDeliveries(url);
    }
    if (session.external_uploads === undefined) throw lacksDeliveries(url);
    const ofAsked = ({ external_uploads = [] }: RenderSession): ExternalUpload[] =>
      asked.flatMap(({ to }) => external_uploads.findLast((one) => one.to === to) ?? []);
    for (let looks = 0; !uploadsEnded({ external_uploads: ofAsked(session) }); looks += 1) {
      const look = await getRenderSession(id);
      session = look.session;
      if (uploadsEnded({ external_uploads: ofAsked(session) })) break;
      await wait(look.retryAfterMs ?? backoffMs(looks, DELIVERY_BACKOFF));
    }
    return ofAsked(session);
  };

  const listRenderSessions = async (count: number): Promise<readonly RenderSession[] | null> => {
    const sessions: RenderSession[] = [];
    let cursor: string | null = null;
    try {
      do {
        const query = new URLSearchParams({ limit: String(PAGE), ...(cursor === null ? {} : { cursor }) });
        const { name, answer } = await read(`${SESSIONS}?${query}`);
        const page = readSessions(name, answer.text, now());
        sessions.push(...page.sessions);
        cursor = page.nextCursor;
      } while (cursor !== null && sessions.length < count);
      return sessions;
    } catch (error) {
      if (isMissing(error)) return null;
      throw error;
    }
  };

  const specsPath = (id: string): string => `/v2/template_style_versions/${encodeURIComponent(id)}/specs`;

  return {
    name: new URL(url).origin,
    outlivesProcess: true,
    keyLifetimeMs: lifetimeMs,
    accountDigest: (idempotencyKey) => accountDigest(token, idempotencyKey),

    async serviceTime(styleVersion) {
      // An answer with any status has a Date.
      if (seenTime === null) {
        timeRead ??= send({ method: 'GET', path: specsPath(styleVersion) });
        await timeRead;
      }
      return timeNow();
    },

    async getStyleVersion(id) {
      const { name, answer } = await read(specsPath(id));
      return readStyleVersion(name, answer.text);
    },

    async createRenderSession(body, { idempotencyKey, wasSentBefore = false, signal }) {
      const { outcome, mayHaveArrived } = await post(body, idempotencyKey, signal);
      if (outcome.kind === 'created') return outcome.session;
      // Rejecting the last request proves nothing about earlier ones.
      if (outcome.kind === 'unknown' || mayHaveArrived || wasSentBefore) throw unknownSession(outcome.error);
      throw outcome.error;
    },

    getRenderSession,
    ...(capabilities.externalUploads === false ? {} : { deliverVideo }),

    ...(capabilities.list === false ? {} : { listRenderSessions }),

    uploadSource(source) {
      // Videos often share sources such as a logo.
      const known = uploads.get(source.sha256);
      if (known !== undefined) return known;
      const uploading = uploadSource(source);
      uploads.set(source.sha256, uploading);
      uploading.catch(() => uploads.delete(source.sha256));
      return uploading;
    },

    async findStyleVersion(id) {
      try {
        const { name, answer } = await read(`/v2/template_style_versions/${encodeURIComponent(id)}`);
        return readStyleVersionState(name, answer.text);
      } catch (error) {
        if (isMissing(error)) return null;
        throw error;
      }
    },

    async uploadStyleVersion(zip) {
      const { name, answer } = await upload('/v2/template_style_versions', zip, 'application/zip', () =>
        lacksUploads(
          `The service at ${url} does not accept templates`,
          'Check the URL. If it is right, name a template style version of the service in reelform.yaml',
        ),
      );
      return readStyleVersionState(name, answer.text);
    },
  };
}

/** Returns the requested wait, limited to `MAX_RETRY_AFTER_MS`. */
function askedMs(answer: ServiceAnswer, nowMs: number): number | null {
  const milliseconds = retryAfterMs(answer.header('retry-after'), nowMs);
  return milliseconds === null ? null : Math.min(MAX_RETRY_AFTER_MS, milliseconds);
}

function unknownSession({ message }: Error): SessionUnknown {
  return new SessionUnknown(
    `${message}; it is unknown whether the service created a session`,
    'Look for a session with this title on the service, then run "reelform resolve"',
  );
}

/** Reports the answer of a service without the endpoint. */
function isMissing(error: unknown): boolean {
  return error instanceof ServiceError && (error.status === 404 || error.status === 405);
}

function lacksUploads(message: string, hint: string): ReelformError {
  return new ReelformError('service_lacks_uploads', message, { hint });
}
