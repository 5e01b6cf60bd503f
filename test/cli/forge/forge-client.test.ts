import { describe, expect, it, onTestFinished } from 'vitest';
import { retryWaitMs, sendOnce } from '../../../src/cli/forge/forge-client.ts';
import { startServer } from '../../support/http-server.ts';

describe('sendOnce()', () => {
  it('times out if a server accepts a request and stays silent, and retries once', async () => {
    const server = await startServer(() => undefined);
    onTestFinished(() => server.close());
    const sent = await sendOnce({ method: 'GET', url: server.url, headers: {}, idleMs: 100 });
    expect(sent).toEqual({ kind: 'unanswered', code: 'ETIMEDOUT' });
    const waits = [0, 1].map((retries) => retryWaitMs(sent, 'safe', { retries, now: 0, jitter: 1 }));
    expect(waits).toEqual([1000, null]);
    expect(server.requests).toHaveLength(1);
  });
});
