import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { bareSession } from '../../src/reconciler/service-client/read-answer.ts';
import { startServer } from './http-server.ts';

/** How a POST fails at the server. */
export interface Fault {
  /** Whether the session was created before the failure. */
  readonly isDone: boolean;
  readonly reply:
    | {
        readonly kind: 'answer';
        readonly status: number;
        readonly headers?: Record<string, string>;
        readonly body?: string;
      }
    /** A correct 201 truncated in the middle, with or without its Location. */
    | { readonly kind: 'truncated'; readonly location: boolean }
    | { readonly kind: 'reset' }
    | { readonly kind: 'silence' }
    /** A correct 201, sent byte by byte without an end. */
    | { readonly kind: 'drip'; readonly location: boolean }
    /** A body of 300 MB. */
    | { readonly kind: 'huge'; readonly location: boolean };
}

export interface FaultService {
  readonly url: string;
  /** Every completely received POST of a session, in order. */
  readonly posts: readonly { readonly key: string; readonly body: string }[];
  /** Id → the key that it was created for. */
  readonly sessions: ReadonlyMap<string, string>;
  /** Queues faults for the next POSTs. */
  force(...faults: Fault[]): void;
  close(): Promise<void>;
}

const HUGE_BYTES = 300 << 20;
const PIECE = Buffer.alloc(1 << 20, 'x');

/** Starts a real server that creates sessions and answers as instructed. */
export async function startFaultService({ keepsKeys }: { readonly keepsKeys: boolean }): Promise<FaultService> {
  const posts: { key: string; body: string }[] = [];
  const sessions = new Map<string, string>();
  const byKey = new Map<string, string>();
  const faults: Fault[] = [];

  const make = (key: string): string => {
    const known = keepsKeys ? byKey.get(key) : undefined;
    const id = known ?? `session-${sessions.size + 1}`;
    sessions.set(id, key);
    byKey.set(key, id);
    return id;
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer);
    } catch {
      return;
    }
    const key = String(request.headers['idempotency-key']);
    posts.push({ key, body: Buffer.concat(chunks).toString() });
    const fault = faults.shift();
    const id = fault === undefined || fault.isDone ? make(key) : null;
    const body = JSON.stringify({ render_session: bareSession(id ?? 'none', Date.now()) });
    const location = { location: `/v2/render_sessions/${id}` };
    const kept = keepsKeys
      ? { 'idempotency-key': key, 'idempotency-key-expires': new Date(Date.now() + 86_400_000).toUTCString() }
      : {};
    const json = { 'content-type': 'application/json', ...kept };
    if (fault === undefined) {
      response.writeHead(201, { ...json, ...location }).end(body);
      return;
    }
    const { reply } = fault;
    const begin = (size: number | null, hasLocation: boolean): void => {
      const length = size === null ? {} : { 'content-length': String(size) };
      response.writeHead(201, { ...json, ...length, ...(hasLocation ? location : {}) });
    };
    if (reply.kind === 'reset') request.socket.resetAndDestroy();
    if (reply.kind === 'answer') response.writeHead(reply.status, { ...reply.headers }).end(reply.body ?? '');
    if (reply.kind === 'truncated') {
      begin(body.length, reply.location);
      response.write(body.slice(0, 20), () => request.socket.destroySoon());
    }
    if (reply.kind === 'drip') {
      begin(null, reply.location);
      const drip = setInterval(() => response.write('{'), 20);
      response.on('close', () => clearInterval(drip));
    }
    if (reply.kind === 'huge') {
      begin(HUGE_BYTES, reply.location);
      const pieces = Array.from({ length: HUGE_BYTES >> 20 }, () => PIECE);
      // Clients do not read it to its end.
      await pipeline(Readable.from(pieces), response).catch(() => undefined);
    }
  };

  const server = await startServer((request, response) => void handle(request, response));
  return {
    url: server.url,
    posts,
    sessions,
    force: (...forced) => void faults.push(...forced),
    close: () => server.close(),
  };
}
