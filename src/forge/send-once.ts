import { Agent, type IncomingHttpHeaders } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import got, { RequestError, type Response } from 'got';

export interface ForgeRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Absolute. */
  readonly url: string;
  /** With the token. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Milliseconds between two signs of life. */
  readonly idleMs?: number;
}

export interface ForgeAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** What became of one request. `unanswered`: it may have been done. */
export type Sent =
  | { readonly kind: 'answer'; readonly answer: ForgeAnswer }
  | { readonly kind: 'unsent' | 'unanswered'; readonly code: string }
  | { readonly kind: 'too_large' };

/** No answer is larger, unpacked: a hundred comments of 64 KiB each are 7 MiB, and may be written in escapes. */
export const MAX_ANSWER_BYTES = 48 << 20;

const CONNECT_MS = 10_000;
const REQUEST_MS = 60_000;
const IDLE_MS = 30_000;
/** The connection never stood, or the name has no address: nothing was asked for. */
const UNSENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'ERR_INVALID_CHAR', 'CERT_HAS_EXPIRED']);
const agents = { http: new Agent({ keepAlive: false }), https: new SecureAgent({ keepAlive: false }) };

/** Sends one request, once, and follows no redirect. EDGE. got's own errors carry the headers, so none of them gets out. */
export async function sendOnce({ method, url, headers, body, idleMs = IDLE_MS }: ForgeRequest): Promise<Sent> {
  const stream = got.stream(url, {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
    agent: agents,
    retry: { limit: 0 },
    followRedirect: false,
    throwHttpErrors: false,
    timeout: {
      lookup: CONNECT_MS,
      connect: CONNECT_MS,
      secureConnect: CONNECT_MS,
      socket: idleMs,
      request: REQUEST_MS,
    },
  });
  // A stream that sends nothing has to be told so.
  if (body === undefined && method !== 'GET') stream.end();
  let head: Pick<ForgeAnswer, 'status' | 'headers'> | null = null;
  stream.once('response', (response: Response) => {
    head = { status: response.statusCode, headers: response.headers };
  });
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Uint8Array>) {
      sizeBytes += chunk.byteLength;
      if (sizeBytes > MAX_ANSWER_BYTES) return { kind: 'too_large' };
      chunks.push(chunk);
    }
  } catch (error) {
    const thrown = error instanceof RequestError ? error.code : (error as { code?: unknown } | null)?.code;
    const code = typeof thrown === 'string' && /^[A-Z0-9_]+$/.test(thrown) ? thrown : 'no reason is known';
    return { kind: UNSENT.has(code) ? 'unsent' : 'unanswered', code };
  } finally {
    stream.destroy();
  }
  if (head === null) return { kind: 'unanswered', code: 'no answer' };
  const { status, headers: told } = head as Pick<ForgeAnswer, 'status' | 'headers'>;
  return { kind: 'answer', answer: { status, headers: told, text: Buffer.concat(chunks).toString() } };
}
