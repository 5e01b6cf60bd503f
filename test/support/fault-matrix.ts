import { inspect } from 'node:util';
import { SessionUnknown } from '../../src/contract/render-service.ts';
import { createHttpService } from '../../src/reconciler/service-client/http-service.ts';
import { type Fault, type FaultService, startFaultService } from './fault-service.ts';
import { type Stream, startTcpProxy, type Toxic } from './tcp-proxy.ts';

export type Outcome = 'created' | 'not_created' | 'unknown';

/** Every way in which a POST can fail at a server, and the client's conclusion after one attempt without keys. */
export const FAULTS: readonly (readonly [name: string, fault: Fault | null, outcome: Outcome])[] = [
  ['nothing', null, 'created'],
  ['silence before the write', { isDone: false, reply: { kind: 'silence' } }, 'unknown'],
  ['silence after the write', { isDone: true, reply: { kind: 'silence' } }, 'unknown'],
  ['a reset before the write', { isDone: false, reply: { kind: 'reset' } }, 'unknown'],
  ['a reset after the write', { isDone: true, reply: { kind: 'reset' } }, 'unknown'],
  ['a truncated 201', { isDone: true, reply: { kind: 'truncated', location: false } }, 'unknown'],
  ['a truncated 201 with a Location', { isDone: true, reply: { kind: 'truncated', location: true } }, 'created'],
  ['a slow drip', { isDone: true, reply: { kind: 'drip', location: false } }, 'unknown'],
  ['a slow drip with a Location', { isDone: true, reply: { kind: 'drip', location: true } }, 'created'],
  ['300 MB', { isDone: true, reply: { kind: 'huge', location: false } }, 'unknown'],
  ['300 MB with a Location', { isDone: true, reply: { kind: 'huge', location: true } }, 'created'],
  ['201 that is no JSON', { isDone: true, reply: { kind: 'answer', status: 201, body: '<html>' } }, 'unknown'],
  ['201 of another form', { isDone: true, reply: { kind: 'answer', status: 201, body: '{"id":"x"}' } }, 'unknown'],
  ['204', { isDone: true, reply: { kind: 'answer', status: 204 } }, 'unknown'],
  ...[301, 302, 307, 308].map(
    (status) =>
      [
        `${status}`,
        { isDone: false, reply: { kind: 'answer', status, headers: { location: '/v3/render_sessions' } } },
        'not_created',
      ] as const,
  ),
  ...[300, 301, 302, 303, 307, 308].map(
    (status) =>
      [
        `${status} with the Location of a session`,
        { isDone: true, reply: { kind: 'answer', status, headers: { location: '/v2/render_sessions/session-1' } } },
        'created',
      ] as const,
  ),
  ['303', { isDone: true, reply: { kind: 'answer', status: 303, headers: { location: '/elsewhere' } } }, 'unknown'],
  ...[400, 401, 403, 404, 413, 422].map(
    (status) => [`${status}`, { isDone: false, reply: { kind: 'answer', status } }, 'not_created'] as const,
  ),
  ...[
    { code: 'wrong_state', isDone: false, outcome: 'not_created' as const },
    { code: 'idempotency_in_progress', isDone: true, outcome: 'unknown' as const },
  ].map(
    ({ code, isDone, outcome }) =>
      [
        `409 ${code}`,
        { isDone, reply: { kind: 'answer', status: 409, body: JSON.stringify({ code }) } },
        outcome,
      ] as const,
  ),
  // Proxies answer these for requests that the server has received.
  ...[408, 409, 425, 499].flatMap((status) =>
    [false, true].map(
      (isDone) =>
        [
          `${status} ${isDone ? 'after' : 'before'} the write`,
          { isDone, reply: { kind: 'answer', status } },
          'unknown',
        ] as const,
    ),
  ),
  // The server did nothing, so the client asks again.
  ...['3600', '-5', 'junk'].map(
    (after) =>
      [
        `429 with Retry-After ${after}`,
        { isDone: false, reply: { kind: 'answer', status: 429, headers: { 'retry-after': after } } },
        'created',
      ] as const,
  ),
  ...[500, 502, 503, 504].flatMap((status) =>
    [false, true].map(
      (isDone) =>
        [
          `${status} ${isDone ? 'after' : 'before'} the write`,
          { isDone, reply: { kind: 'answer', status } },
          'unknown',
        ] as const,
    ),
  ),
];

/** Faults of the network on each connection. */
export const NETWORKS: Readonly<Record<string, Partial<Record<Stream, readonly Toxic[]>>>> = {
  quiet: {},
  latency: { upstream: [{ type: 'latency', latency: 10 }], downstream: [{ type: 'latency', latency: 10 }] },
  sliced: {
    upstream: [{ type: 'slicer', average_size: 100, delay: 1 }],
    downstream: [{ type: 'slicer', average_size: 64, delay: 1 }],
  },
};

export interface Attempted {
  readonly outcome: Outcome;
  /** Id of a created session. */
  readonly id: string | null;
  readonly service: FaultService;
  /** The thrown error as a log would show it. */
  readonly shown: string;
  readonly waits: readonly number[];
}

export const TOKEN = 'rf_canary-77aa10';

/** Posts one session to a server with a fault, over a network with toxics. */
export async function attempt(
  fault: Fault | null,
  toxics: Partial<Record<Stream, readonly Toxic[]>>,
  { keepsKeys = false, timeoutMs = 500 }: { readonly keepsKeys?: boolean; readonly timeoutMs?: number } = {},
): Promise<Attempted> {
  const service = await startFaultService({ keepsKeys });
  const proxy = await startTcpProxy(service.url);
  const waits: number[] = [];
  try {
    proxy.set(toxics);
    if (fault !== null) service.force(fault);
    const client = createHttpService({
      url: proxy.url,
      token: TOKEN,
      keyLifetimeMs: keepsKeys ? 60_000 : null,
      now: Date.now,
      monotonicNow: () => performance.now(),
      wait: async (milliseconds) => void waits.push(milliseconds),
      random: () => 0.5,
      timeoutMs,
    });
    const told = { service, waits };
    try {
      const options = { idempotencyKey: 'key-1', outputName: 'x' };
      const { id } = await client.createRenderSession('{"title":"x"}', options);
      return { ...told, outcome: 'created', id, shown: '' };
    } catch (error) {
      const shown = inspect(error, { depth: 10, showHidden: true }) + JSON.stringify(error);
      return { ...told, outcome: error instanceof SessionUnknown ? 'unknown' : 'not_created', id: null, shown };
    }
  } finally {
    await proxy.close();
    await service.close();
  }
}

/** Compares an attempt with the server's record; returns the mistakes, none when it is right. */
export function mistakes({ outcome, id, service, shown }: Attempted, fault: Fault | null): string[] {
  const made = service.sessions.size;
  const isRepeatable = fault !== null && fault.reply.kind === 'answer' && fault.reply.status === 429;
  return [
    ...(made > 1 ? [`${made} sessions for one request`] : []),
    ...(outcome === 'created' && !service.sessions.has(id!) ? [`${id} is not there`] : []),
    ...(outcome === 'not_created' && made > 0 ? ['there is a session'] : []),
    ...(new Set(service.posts.map(({ key, body }) => key + body)).size > 1 ? ['another key or body'] : []),
    ...(!isRepeatable && service.posts.length > 1 ? [`${service.posts.length} posts`] : []),
    ...(shown.includes(TOKEN) ? ['the token is shown'] : []),
  ];
}
