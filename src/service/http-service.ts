import { ReelformError } from '../diagnostic.ts';
import type { Sha256 } from '../digest.ts';
import { readRefusal, readSession, readStyleVersion, readStyleVersionState, readUpload } from './read-answer.ts';
import { type RenderService, type SourceUpload, sessionEnd } from './render-service.ts';
import { type Outcome, type Repeatability, retryAfterMs, retryDelayMs } from './retry.ts';
import { type ServiceAnswer, type ServiceRequest, Silence, sendRequest } from './send-request.ts';
import { ServiceError } from './service-error.ts';
import type { StyleVersionPusher } from './style-version-pusher.ts';

export interface HttpServiceOptions {
  /** The base URL, without a slash at its end. */
  readonly url: string;
  readonly token: string;
  /** Milliseconds since the epoch. */
  now(): number;
  wait(milliseconds: number): Promise<void>;
  /** 0..1 */
  random(): number;
  /** For one exchange. */
  readonly timeoutMs?: number;
  /** For one that sends a file. */
  readonly uploadTimeoutMs?: number;
}

const POLL_MS = 1_000;
const MAX_POLL_MS = 30_000;
const TIMEOUT_MS = 60_000;
const UPLOAD_TIMEOUT_MS = 600_000;

type Call = Pick<ServiceRequest, 'method' | 'body' | 'onNewConnection'> & {
  /** Below the base URL; ids in it are escaped. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Asked anew before each repetition. */
  repeatability(): Repeatability;
};

/**
 * A rendering service behind a URL. EDGE. Any service that has the three calls of the interface document will do; what
 * it has beyond them is used where it shows that it has it. Reads are repeated when the service is busy or does not
 * answer. A session is posted once, unless the service has shown that it keeps idempotency keys.
 *
 * Its calls throw ServiceError for what the service refuses, and ReelformError `service_unreachable`,
 * `service_unauthorized` and `service_answer_invalid`. The token is in none of them.
 */
export function createHttpService(options: HttpServiceOptions): RenderService & StyleVersionPusher {
  const { url, token, now, wait, random, timeoutMs = TIMEOUT_MS, uploadTimeoutMs = UPLOAD_TIMEOUT_MS } = options;
  const uploads = new Map<Sha256, Promise<{ remote_url: string }>>();
  let keepsKeys = false;
  let pollIntervalMs = POLL_MS;

  async function exchange(call: Call): Promise<{ name: string; answer: ServiceAnswer }> {
    const { method, path, headers = {}, body, repeatability } = call;
    const request: ServiceRequest = {
      method,
      url: `${url}${path}`,
      headers: { accept: 'application/json', 'user-agent': 'reelform', ...headers },
      token,
      timeoutMs: body instanceof Uint8Array ? uploadTimeoutMs : timeoutMs,
      ...(body === undefined ? {} : { body }),
      ...(call.onNewConnection === undefined ? {} : { onNewConnection: call.onNewConnection }),
    };
    const name = `${method} ${request.url}`;
    for (let retries = 0; ; retries += 1) {
      const result = await sendRequest(request).catch((error: unknown) => {
        if (error instanceof Silence) return error;
        throw error;
      });
      if (!(result instanceof Silence) && result.status < 300) return { name, answer: result };
      const refusal = result instanceof Silence ? result : readRefusal(name, result.status, result.text);
      const times = { retries, nowMs: now(), jitter: random() };
      const delayMs = retryDelayMs(outcomeOf(result, refusal), repeatability(), times);
      if (delayMs === null) throw refusal;
      await wait(delayMs);
    }
  }

  const read = (path: string, how: 'safe' | 'watch' = 'safe'): Promise<{ name: string; answer: ServiceAnswer }> =>
    exchange({ method: 'GET', path, repeatability: () => how });

  const upload = async (path: string, bytes: Uint8Array, contentType: string, lacking: ReelformError) => {
    try {
      // The same bytes give the same thing: sending them twice does no harm.
      return await exchange({
        method: 'POST',
        path,
        headers: { 'content-type': contentType },
        body: bytes,
        repeatability: () => 'safe',
      });
    } catch (error) {
      throw isMissing(error) ? lacking : error;
    }
  };

  const uploadSource = async ({ bytes, name: file }: SourceUpload): Promise<{ remote_url: string }> => {
    const lacking = lacksUploads(
      `The service at ${url} takes no files, and ${file} is one`,
      'Give the file a URL, and write that',
    );
    const { name, answer } = await upload('/v2/source_uploads', bytes, 'application/octet-stream', lacking);
    return readUpload(name, answer.text);
  };

  return {
    name: new URL(url).origin,
    get pollIntervalMs() {
      return pollIntervalMs;
    },

    async getStyleVersion(id) {
      const { name, answer } = await read(`/v2/template_style_versions/${encodeURIComponent(id)}/specs`);
      return readStyleVersion(name, answer.text);
    },

    async createRenderSession(request, { idempotencyKey }) {
      const { name, answer } = await exchange({
        method: 'POST',
        path: '/v2/render_sessions',
        headers: { 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
        body: JSON.stringify(request),
        onNewConnection: true,
        repeatability: () => (keepsKeys ? 'keyed' : 'once'),
      }).catch((error: unknown) => {
        throw error instanceof Silence && error.wasSent ? unknownSession(error) : error;
      });
      if (answer.header('idempotency-key-expires') !== null) keepsKeys = true;
      return readSession(name, answer.text);
    },

    async getRenderSession(id) {
      const { name, answer } = await read(`/v2/render_sessions/${encodeURIComponent(id)}`, 'watch');
      const session = readSession(name, answer.text);
      if (sessionEnd(session.status) === null) {
        const asked = retryAfterMs(answer.header('retry-after'), now()) ?? POLL_MS;
        pollIntervalMs = Math.min(MAX_POLL_MS, Math.max(POLL_MS, asked));
      }
      return session;
    },

    uploadSource(source) {
      // The same logo comes with every video.
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
      const { name, answer } = await upload(
        '/v2/template_style_versions',
        zip,
        'application/zip',
        lacksUploads(
          `The service at ${url} takes no templates`,
          'Look at the URL; if it is right, write the id of a template style version that the service has into reelform.yaml',
        ),
      );
      return readStyleVersionState(name, answer.text);
    },
  };
}

function outcomeOf(result: ServiceAnswer | Silence, refusal: Error): Outcome {
  if (result instanceof Silence) return { kind: 'silence' };
  const code = refusal instanceof ServiceError ? refusal.code : null;
  return { kind: 'answer', status: result.status, retryAfter: result.header('retry-after'), code };
}

/** The request may have arrived: there may be a session that nobody here knows of. */
function unknownSession({ message }: Silence): ReelformError {
  return new ReelformError('service_unreachable', `${message}; whether the service made a session is not known`, {
    hint: 'If it did, another apply renders the video a second time',
  });
}

/** A service that lacks an endpoint answers it like this. */
function isMissing(error: unknown): boolean {
  return error instanceof ServiceError && (error.status === 404 || error.status === 405);
}

function lacksUploads(message: string, hint: string): ReelformError {
  return new ReelformError('service_lacks_uploads', message, { hint });
}
