import { setMaxListeners } from 'node:events';
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps, Agent as SecureAgent } from 'node:https';
import { pipeline, type Readable } from 'node:stream';
import { createBrotliDecompress, createUnzip } from 'node:zlib';

/** One request. Sent once: nothing here retries, follows a redirect, or judges a status. */
export interface HttpRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string | URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string | undefined;
  /** Unix socket or Windows pipe to connect to, in place of the host of the URL. */
  readonly socketPath?: string;
  /** `FRESH_AGENTS` when absent. */
  readonly agents?: HttpAgents;
  readonly signal?: AbortSignal;
  /** Milliseconds to resolve the host, connect and agree on keys. */
  readonly connectMs?: number;
  /** Milliseconds without a byte in either direction; no limit when absent. */
  readonly idleMs?: number;
  /** Milliseconds for the request and its whole answer; no limit when absent. */
  readonly totalMs?: number;
}

interface HttpAgents {
  readonly http: Agent;
  readonly https: SecureAgent;
}

export interface ResponseHead {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

/** The head of an answer, with its body still to come. */
interface HttpResponse extends ResponseHead {
  /** Unpacked, whatever the Content-Encoding. Errors of it are RequestFailed, or Node's. */
  readonly body: Readable;
}

/** Outcome of a request whose answer is read whole. `code` is Node's, or `ETIMEDOUT` for each of the limits. */
export type HttpOutcome =
  | ({ readonly kind: 'answered'; readonly bytes: Buffer } & ResponseHead)
  /** There was no connection: nothing of the request can have arrived. */
  | { readonly kind: 'unsent'; readonly code: string }
  /** The request may have arrived. */
  | { readonly kind: 'unanswered'; readonly code: string }
  /** The answer began and did not end; `too_large` when it is longer than allowed. */
  | ({ readonly kind: 'broken'; readonly code: string } & ResponseHead);

/** No answer came. Holds neither URL nor headers: they may be secret. */
export class RequestFailed extends Error {
  readonly code: string;
  /** False: nothing of the request can have arrived. */
  readonly wasConnected: boolean;

  constructor(cause: unknown, wasConnected: boolean) {
    const code = codeOf(cause);
    super(code, { cause });
    this.name = 'RequestFailed';
    this.code = code;
    this.wasConnected = wasConnected;
  }
}

const CONNECT_MS = 10_000;
/** With more connections to one host, the requests of one process become no faster: they wait for each other. */
const MAX_SOCKETS = 128;

/** Keep connections open for later requests. */
export const KEPT_AGENTS = openAgents({ keepAlive: true, maxSockets: MAX_SOCKETS });
/** Open a connection for each request: one that was kept open may be closed just as the request is sent. */
export const FRESH_AGENTS = openAgents({ keepAlive: false, maxSockets: MAX_SOCKETS });

function openAgents(options: { keepAlive: boolean; maxSockets: number }): HttpAgents {
  return { http: new Agent(options), https: new SecureAgent(options) };
}

/**
 * Sends a request and resolves at the head of the answer. EDGE. Destroy the body unless it is read to its end.
 *
 * @throws RequestFailed
 */
export function openResponse(request: HttpRequest): Promise<HttpResponse> {
  const { method, url, body, socketPath, agents = FRESH_AGENTS, signal } = request;
  const { connectMs = CONNECT_MS, idleMs, totalMs } = request;
  const isSecure = String(url).startsWith('https:');
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    let wasConnected = false;
    let answer: Readable | null = null;
    const timers: NodeJS.Timeout[] = [];
    const end = (): void => {
      for (const timer of timers) clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    };
    const fail = (cause: unknown): void => {
      const failed = new RequestFailed(cause, wasConnected);
      end();
      reject(failed);
      answer?.destroy(failed);
      sent?.destroy();
    };
    const timeOut = (): void => fail({ code: 'ETIMEDOUT' });
    const abort = (): void => fail(signal!.reason);
    let sent: ReturnType<typeof requestHttp> | undefined;
    try {
      signal?.throwIfAborted();
      sent = (isSecure ? requestHttps : requestHttp)(url, {
        method,
        agent: isSecure ? agents.https : agents.http,
        ...(socketPath === undefined ? {} : { socketPath }),
        headers: { 'accept-encoding': 'identity', 'user-agent': 'reelform', ...length, ...request.headers },
      });
    } catch (error) {
      fail(error);
      return;
    }
    if (signal !== undefined) {
      // Any number of requests may share a signal; Node takes more than ten for a leak.
      setMaxListeners(0, signal);
      signal.addEventListener('abort', abort, { once: true });
    }
    if (totalMs !== undefined) timers.push(setTimeout(timeOut, totalMs));
    if (idleMs !== undefined) sent.setTimeout(idleMs, timeOut);
    sent.on('error', fail);
    sent.once('socket', (socket) => {
      if (!socket.connecting) {
        wasConnected = true;
        return;
      }
      const connecting = setTimeout(timeOut, connectMs);
      timers.push(connecting);
      socket.once(isSecure ? 'secureConnect' : 'connect', () => {
        clearTimeout(connecting);
        wasConnected = true;
      });
    });
    sent.once('response', (response) => {
      answer = unpacked(response);
      // The reader may have turned away by then.
      answer.on('error', () => undefined);
      answer.once('close', end);
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: answer });
    });
    sent.end(body);
  });
}

/** Sends a request and reads its answer, of `maxBytes` unpacked at most. EDGE. Never rejects. */
export async function sendRequest(request: HttpRequest, maxBytes: number): Promise<HttpOutcome> {
  let response: HttpResponse;
  try {
    response = await openResponse(request);
  } catch (error) {
    const { wasConnected, code } = error as RequestFailed;
    return { kind: wasConnected ? 'unanswered' : 'unsent', code };
  }
  const { status, headers, body } = response;
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      sizeBytes += chunk.byteLength;
      if (sizeBytes > maxBytes) return { kind: 'broken', status, headers, code: 'too_large' };
      chunks.push(chunk);
    }
    return { kind: 'answered', status, headers, bytes: Buffer.concat(chunks) };
  } catch (error) {
    return { kind: 'broken', status, headers, code: codeOf(error) };
  }
}

/** Some servers compress despite `accept-encoding: identity`. */
function unpacked(response: IncomingMessage): Readable {
  const encoding = response.headers['content-encoding']?.toLowerCase() ?? 'identity';
  if (!/^(?:x-)?gzip$|^deflate$|^br$/.test(encoding)) return response;
  return pipeline(response, encoding === 'br' ? createBrotliDecompress() : createUnzip(), () => undefined);
}

function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]*$/.test(code) ? code : 'unknown reason';
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Outcome of one request: a result, or the URL that it was redirected to. */
export type Hop<T> = { readonly result: T } | { readonly redirectedTo: string };

/**
 * Follows redirects. `ask` is called for each URL in turn, and decides by itself whether it may be requested at all.
 *
 * @param ask given the URL, which may be any text, and how many redirects led to it
 * @returns null when there were more than `maxRedirects`
 */
export async function followRedirects<T>(
  first: string,
  maxRedirects: number,
  ask: (url: string, redirects: number) => Promise<Hop<T>>,
): Promise<T | null> {
  let url = first;
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const hop = await ask(url, redirects);
    if ('result' in hop) return hop.result;
    url = hop.redirectedTo;
  }
  return null;
}

/**
 * Returns where an answer redirects to: a URL, or the text of the Location where that is none; null when the answer is no
 * redirect.
 */
export function redirectTarget({ status, headers: { location } }: ResponseHead, base: string | URL): string | null {
  if (!REDIRECTS.has(status) || location === undefined) return null;
  // Header texts are bytes; those of a URL are UTF-8 where they are not ASCII.
  const text = Buffer.from(location, 'latin1').toString();
  return URL.canParse(text, String(base)) ? new URL(text, base).href : text;
}

/**
 * Whether a request may be sent again: `safe` reads or is idempotent by its content; `keyed` carries an Idempotency-Key
 * that the service is known to keep; `once` could be done twice, and is repeated only when it certainly was not done.
 */
export type Repeatability = 'safe' | 'keyed' | 'once';

/**
 * Parses a Retry-After: seconds, or a date.
 *
 * @returns milliseconds from now, not below 0; null when it is neither
 * @see RFC 9110, section 10.2.3
 */
export function retryAfterMs(header: string | null | undefined, nowMs: number): number | null {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const date = /^[A-Za-z]{3},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs);
}
