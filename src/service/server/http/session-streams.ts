import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { serviceError } from '../../../contract/service-error.ts';
import type { RenderSession } from '../../../contract/wire/render-session.ts';
import type { TenantId } from '../../sessions/ports.ts';
import type { HttpLimits } from './http-limits.ts';

/** Milliseconds after which a client connects again. */
const RETRY_MS = 1_000;

type StreamLimits = Pick<
  HttpLimits,
  'streamsOfTenant' | 'streamsAtOnce' | 'streamMs' | 'streamPollMs' | 'streamPingMs'
>;

/**
 * Serves the changes of sessions as server-sent events. Each stream reads its session once a second: other processes
 * change it too.
 *
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export function createSessionStreams(limits: StreamLimits) {
  const open = new Map<TenantId, number>();
  const closing = new AbortController();

  const take = (tenant: TenantId): void => {
    const streamsOfTenant = open.get(tenant) ?? 0;
    const allStreams = [...open.values()].reduce((sum, count) => sum + count, 0);
    if (streamsOfTenant >= limits.streamsOfTenant) {
      throw serviceError('rate_limited', `The tenant already has ${streamsOfTenant} open event streams, its maximum`);
    }
    if (allStreams >= limits.streamsAtOnce) {
      throw serviceError('service_full', `The service already has ${allStreams} open event streams, its maximum`);
    }
    open.set(tenant, streamsOfTenant + 1);
  };
  const release = (tenant: TenantId): void => {
    const left = (open.get(tenant) ?? 1) - 1;
    if (left > 0) open.set(tenant, left);
    else open.delete(tenant);
  };

  return {
    /**
     * Opens a stream of a session. It ends with the session, after `streamMs`, and when the session is deleted.
     *
     * @param read reads the session as it is returned to the client
     * @throws errors of `read`; ServiceError 429 and 503 if too many streams are open
     */
    async open(tenant: TenantId, read: () => Promise<RenderSession>): Promise<Readable> {
      const first = await read();
      take(tenant);
      const gone = new AbortController();
      const signal = AbortSignal.any([closing.signal, gone.signal]);
      const stream = Readable.from(events(first, read, limits, signal), { objectMode: false });
      stream.once('close', () => {
        gone.abort();
        release(tenant);
      });
      return stream;
    },
    /** Ends all streams. */
    close: () => closing.abort(),
  };
}

async function* events(
  first: RenderSession,
  read: () => Promise<RenderSession>,
  { streamMs, streamPollMs, streamPingMs }: StreamLimits,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const openedAt = performance.now();
  let session: RenderSession | null = first;
  let sent = '';
  let sentAt = openedAt;
  yield `retry: ${RETRY_MS}\n\n`;
  while (session !== null) {
    const data = JSON.stringify({ render_session: session });
    const isPingDue = performance.now() - sentAt >= streamPingMs;
    if (data !== sent) yield `event: render_session\ndata: ${data}\n\n`;
    else if (isPingDue) yield ': open\n\n';
    if (data !== sent || isPingDue) sentAt = performance.now();
    sent = data;
    if (session.terminal === true || performance.now() - openedAt >= streamMs) return;
    // After an error the stream ends, and the client reads the reason from its next request.
    session = await sleep(streamPollMs, undefined, { signal })
      .then(read, () => null)
      .catch(() => null);
  }
}
