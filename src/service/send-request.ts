import { Agent, type IncomingHttpHeaders } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import type { Socket } from 'node:net';
import got, { RequestError, type Response } from 'got';
import type { ReelformError } from '../diagnostic.ts';
import type { AnswerHead, Exchange } from './exchange.ts';
import { MAX_ANSWER_BYTES, tooLarge, unreachable } from './exchange-errors.ts';

/** One request to the service. */
export interface ServiceRequest {
  readonly method: 'GET' | 'POST';
  /** Absolute. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as `Authorization: Bearer`; never in an error, also when the service repeats it. */
  readonly token: string;
  readonly body?: Uint8Array | string;
  /** On a connection of its own: one that was kept open may be closed by the service just as the request is sent. */
  readonly onNewConnection?: boolean;
  /** Milliseconds for all of it. */
  readonly timeoutMs: number;
  /** Milliseconds between two signs of life. */
  readonly idleMs: number;
}

/** To look a host up, to connect, to agree on keys: milliseconds for each. */
export const CONNECT_MS = 10_000;

/** Above this, requests of one process wait for each other: more connections make them no faster. */
const MAX_SOCKETS = 128;
/** Of agents whose connections are used again. */
export const KEPT = { keepAlive: true, maxSockets: MAX_SOCKETS };
/** Of agents with a connection for each request. */
export const FRESH = { keepAlive: false, maxSockets: MAX_SOCKETS };
const keptAgents = { http: new Agent(KEPT), https: new SecureAgent(KEPT) };
const freshAgents = { http: new Agent(FRESH), https: new SecureAgent(FRESH) };

/**
 * Sends one request, once, follows no redirect, and reads an answer of 8 MiB at most. EDGE. What fails is told without
 * got's error: that one carries the request's headers, and so the token.
 */
export async function sendRequest(request: ServiceRequest): Promise<Exchange> {
  const { method, url, headers, token, body, timeoutMs, idleMs } = request;
  const name = `${method} ${url}`;
  const stream = got.stream(url, {
    method,
    headers: { ...headers, authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body }),
    agent: request.onNewConnection === true ? freshAgents : keptAgents,
    retry: { limit: 0 },
    followRedirect: false,
    throwHttpErrors: false,
    timeout: {
      lookup: CONNECT_MS,
      connect: CONNECT_MS,
      secureConnect: CONNECT_MS,
      socket: idleMs,
      request: timeoutMs,
    },
  });
  let wasConnected = false;
  let head: AnswerHead | null = null;
  stream.once('request', (sent) => {
    sent.once('socket', (socket: Socket) => {
      const connected = (): void => {
        wasConnected = true;
      };
      // One that was kept open is connected, whether the request says so or not.
      if (!socket.connecting) connected();
      else socket.once(url.startsWith('https:') ? 'secureConnect' : 'connect', connected);
    });
  });
  stream.once('response', (response: Response) => {
    head = headOf(response.statusCode, response.headers, token);
  });
  const broken = (error: ReelformError, isSilent: boolean): Exchange => {
    if (head !== null) return { kind: 'broken', head, error, isSilent };
    return wasConnected ? { kind: 'unanswered', error, isSilent } : { kind: 'unsent', error };
  };
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      sizeBytes += chunk.byteLength;
      if (sizeBytes > MAX_ANSWER_BYTES) return broken(tooLarge(name), false);
      chunks.push(chunk);
    }
  } catch (error) {
    const code = error instanceof RequestError ? error.code : (error as { code?: unknown } | null)?.code;
    return broken(unreachable(name, code), code === 'ETIMEDOUT');
  } finally {
    stream.destroy();
  }
  const { status, header } = head!;
  return { kind: 'answer', answer: { status, header, text: withoutToken(Buffer.concat(chunks).toString(), token) } };
}

/** What stands in the head of an answer, without the token. */
export function headOf(status: number, headers: IncomingHttpHeaders, token: string): AnswerHead {
  return {
    status,
    header(key) {
      const value = headers[key];
      const text = Array.isArray(value) ? value[0] : value;
      return text === undefined ? null : withoutToken(text, token);
    },
  };
}

/** A service may repeat what it was sent. */
export function withoutToken(text: string, token: string): string {
  return text.replaceAll(token, '…').replaceAll(encodeURIComponent(token), '…');
}
