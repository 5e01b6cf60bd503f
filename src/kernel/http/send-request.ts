import { setMaxListeners } from 'node:events';
import { Agent, type ClientRequest, type IncomingHttpHeaders } from 'node:http';
import type { Agent as SecureAgent } from 'node:https';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { Got, RequestError, Response, UploadError } from 'got';
import { defined } from '../defined.ts';
import { FRESH_AGENTS, type HttpAgents } from './agents.ts';
import { ProxyFailure, proxyFor } from './proxy.ts';

/** A body that is read while it is sent. */
export interface StreamedBody {
  readonly sizeBytes: number;
  /** Called once for each request. */
  open(): Readable;
}

/** A request. It is sent once, without retries, redirects or checks of the status. */
export interface HttpRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string | URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string | StreamedBody | undefined;
  /** Unix socket or Windows pipe to connect to, in place of the host of the URL. */
  readonly socketPath?: string;
  /** `FRESH_AGENTS` when absent. */
  readonly agents?: HttpAgents;
  readonly signal?: AbortSignal;
  /** Milliseconds to resolve the host, as many to connect and as many to agree on keys. */
  readonly connectMs?: number;
  /** Milliseconds without a byte in either direction; no limit when absent. */
  readonly idleMs?: number;
  /** Milliseconds for the request and its whole answer; no limit when absent. */
  readonly totalMs?: number;
}

export interface ResponseHead {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
}

/** The head of an answer, and its unread body. */
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

/** Loaded with the first request, because a plan sends none. */
const load = (() => {
  let client: Promise<Got> | undefined;
  return () =>
    (client ??= import('got').then(({ got }) =>
      got.extend({
        retry: { limit: 0 },
        followRedirect: false,
        throwHttpErrors: false,
        headers: { 'accept-encoding': 'identity', 'user-agent': 'reelform' },
      }),
    ));
})();

/**
 * Sends a request and resolves at the head of the answer. EDGE. Destroy the body unless it is read to its end.
 *
 * @throws RequestFailed; the error of a streamed body
 */
export async function openResponse(request: HttpRequest): Promise<HttpResponse> {
  const { method, socketPath, agents = FRESH_AGENTS, signal } = request;
  const { connectMs = CONNECT_MS, idleMs, totalMs } = request;
  let wasConnected = false;
  try {
    const client = await load();
    signal?.throwIfAborted();
    // Any number of requests may share a signal; Node warns of a leak above ten.
    if (signal !== undefined) setMaxListeners(0, signal);
    const url = new URL(request.url);
    const agent = socketPath === undefined ? await agents.agentFor(url) : new Agent({ socketPath } as object);
    signal?.throwIfAborted();
    const stream = client.stream(url, {
      method,
      agent: { http: agent, https: agent as SecureAgent },
      ...bodyOf(request),
      signal,
      timeout: {
        lookup: connectMs,
        connect: connectMs,
        secureConnect: connectMs,
        ...defined({ socket: idleMs, request: totalMs }),
      },
    });
    stream.once('request', (sent: ClientRequest) => {
      sent.once('socket', (socket) =>
        onceConnected(socket, url.protocol === 'https:', () => {
          wasConnected = true;
        }),
      );
    });
    // Removes got's listener of the signal. The connection is free for other requests by then.
    stream.once('end', () => stream.destroy());
    const { statusCode, headers } = await new Promise<Response>((resolve, reject) => {
      stream.once('response', resolve);
      // The reader may no longer read when the body fails.
      stream.on('error', reject);
    });
    if (statusCode === 407 && proxyFor(url) !== null) {
      stream.destroy();
      wasConnected = false;
      throw new ProxyFailure('PROXY_407', 'The proxy did not forward the request');
    }
    return { status: statusCode, headers, body: stream };
  } catch (error) {
    if (isOfBody(error)) throw error.cause;
    throw new RequestFailed(withoutRequest(error), wasConnected);
  }
}

function bodyOf({ method, headers, body }: HttpRequest) {
  if (typeof body === 'object' && 'open' in body) {
    return { body: body.open(), headers: { ...headers, 'content-length': String(body.sizeBytes) } };
  }
  // A stream without a body waits for it, except for methods that have no body.
  return { body: body ?? (method === 'GET' || method === 'HEAD' ? undefined : ''), headers };
}

/** Returns whether an error of got wraps one of a streamed body. */
function isOfBody(error: unknown): error is UploadError {
  return error instanceof Error && error.name === 'UploadError';
}

/** Calls a function when a socket is connected, including TLS if it is used; at once for a socket that was kept open. */
function onceConnected(socket: Socket, isSecure: boolean, call: () => void): void {
  const { connecting, secureConnecting = false } = socket as TLSSocket & { secureConnecting?: boolean };
  if (!connecting && !secureConnecting) call();
  else socket.once(isSecure ? 'secureConnect' : 'connect', call);
}

/** Errors of got contain the request with its headers. */
function withoutRequest(error: unknown): unknown {
  const isOfGot = error instanceof Error && 'options' in error;
  return isOfGot ? ((error as RequestError).cause ?? { code: (error as RequestError).code }) : error;
}

/**
 * Sends a request and reads its answer, of `maxBytes` unpacked at most. EDGE. Rejects only with the error of a streamed body.
 */
export async function sendRequest(request: HttpRequest, maxBytes: number): Promise<HttpOutcome> {
  let response: HttpResponse;
  try {
    response = await openResponse(request);
  } catch (error) {
    if (!(error instanceof RequestFailed)) throw error;
    const { wasConnected, code } = error;
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
    if (isOfBody(error)) throw error.cause;
    return { kind: 'broken', status, headers, code: codeOf(error) };
  }
}

function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]*$/.test(code) ? code : 'unknown reason';
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Outcome of a request: a result, or the URL that it was redirected to. */
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
