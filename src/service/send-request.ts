import { Agent } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import type { Socket } from 'node:net';
import got, { RequestError, type Response } from 'got';
import { ReelformError } from '../diagnostic.ts';
import type { AnswerHead, Exchange } from './exchange.ts';
import { withoutQueries } from './without-queries.ts';

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
}

/** No answer of a service is larger, unpacked. */
const MAX_ANSWER_BYTES = 8 << 20;
const CONNECT_MS = 10_000;
/** Between two signs of life. */
const IDLE_MS = 60_000;

/** Above this, requests of one process wait for each other: more connections make them no faster. */
const MAX_SOCKETS = 128;
const KEPT = { keepAlive: true, maxSockets: MAX_SOCKETS };
const FRESH = { keepAlive: false, maxSockets: MAX_SOCKETS };
const keptAgents = { http: new Agent(KEPT), https: new SecureAgent(KEPT) };
const freshAgents = { http: new Agent(FRESH), https: new SecureAgent(FRESH) };

/**
 * Sends one request, once, follows no redirect, and reads an answer of 8 MiB at most. EDGE. What fails is told without
 * got's error: that one carries the request's headers, and so the token.
 */
export async function sendRequest(request: ServiceRequest): Promise<Exchange> {
  const { method, url, headers, token, body, timeoutMs } = request;
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
      socket: Math.min(IDLE_MS, timeoutMs),
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
      if (sent.reusedSocket) connected();
      else socket.once(url.startsWith('https:') ? 'secureConnect' : 'connect', connected);
    });
  });
  const withoutToken = (text: string): string => text.replaceAll(token, '…').replaceAll(encodeURIComponent(token), '…');
  stream.once('response', (response: Response) => {
    head = headOf(response, withoutToken);
  });
  const broken = (error: ReelformError): Exchange => {
    if (head !== null) return { kind: 'broken', head, error };
    return { kind: wasConnected ? 'unanswered' : 'unsent', error };
  };
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      sizeBytes += chunk.byteLength;
      if (sizeBytes > MAX_ANSWER_BYTES) return broken(tooLarge(name));
      chunks.push(chunk);
    }
  } catch (error) {
    return broken(silence(name, error));
  } finally {
    stream.destroy();
  }
  const { status, header } = head!;
  return { kind: 'answer', answer: { status, header, text: withoutToken(Buffer.concat(chunks).toString()) } };
}

function headOf({ statusCode, headers }: Response, withoutToken: (text: string) => string): AnswerHead {
  return {
    status: statusCode,
    header(key) {
      const value = headers[key];
      const text = Array.isArray(value) ? value[0] : value;
      return text === undefined ? null : withoutToken(text);
    },
  };
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ECONNRESET: 'the connection was cut off',
  ENOTFOUND: 'the host is not known',
  EAI_AGAIN: 'the name server did not answer',
  ETIMEDOUT: 'it took too long',
  EPIPE: 'the connection was cut off',
  ERR_HTTP_INVALID_HEADER_VALUE: 'the token holds characters that a header cannot have',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not signed by anybody who is trusted here',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not signed by anybody who is trusted here',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not signed by anybody who is trusted here',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
  HPE_INVALID_CONSTANT: 'what answered does not speak HTTP',
};

function silence(name: string, error: unknown): ReelformError {
  const code = error instanceof RequestError ? error.code : ((error as { code?: unknown } | null)?.code ?? null);
  const known = typeof code === 'string' && /^[A-Z0-9_]+$/.test(code) ? code : 'no reason is known';
  return new ReelformError('service_unreachable', `${withoutQueries(name)}: ${REASONS[known] ?? known}`, {
    hint: 'Look whether the service runs, and at "service" in reelform.yaml',
  });
}

function tooLarge(name: string): ReelformError {
  const message = `${withoutQueries(name)} answered more than ${MAX_ANSWER_BYTES >> 20} MiB`;
  return new ReelformError('service_answer_invalid', message, {
    hint: 'Look whether "service" in reelform.yaml is the URL of a service that has the interface',
  });
}
