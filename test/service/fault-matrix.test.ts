import { describe, expect, it } from 'vitest';
import { createHttpService } from '../../src/service/http-service.ts';
import { SessionUnknown } from '../../src/service/render-service.ts';
import { attempt, FAULTS, mistakes, NETWORKS } from '../support/fault-matrix.ts';
import { freePort } from '../support/free-port.ts';

describe.each(['quiet', 'sliced'])('a POST over a network that is %s', (network) => {
  it.each(FAULTS)('and %s: is classified as documented, and made at most once', async (_, fault, outcome) => {
    const attempted = await attempt(fault, NETWORKS[network]!);
    expect(attempted.outcome).toBe(outcome);
    expect(mistakes(attempted, fault)).toEqual([]);
    for (const waitedMs of attempted.waits) expect(waitedMs).toBeLessThanOrEqual(30_000);
  });
});

describe('a POST to a service that keeps keys', () => {
  it.each(FAULTS.filter(([, , outcome]) => outcome === 'unknown').filter(([name]) => !/300 MB|201|204|303/.test(name)))(
    'is sent again after %s, and there is one session',
    async (_, fault) => {
      const { outcome, service } = await attempt(fault, {}, { keepsKeys: true });
      expect(outcome).toBe('created');
      expect(service.sessions.size).toBe(1);
      expect(new Set(service.posts.map(({ key, body }) => key + body)).size).toBe(1);
    },
  );
});

describe('a POST that', () => {
  const create = (url: string) =>
    createHttpService({
      url,
      token: 'canary',
      now: Date.now,
      wait: async () => undefined,
      random: () => 0,
      timeoutMs: 500,
    }).createRenderSession('{}', { idempotencyKey: 'key', outputName: 'x' });

  it('finds nobody listening made nothing', async () => {
    const error = await create(`http://127.0.0.1:${await freePort()}`).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'service_unreachable' });
    expect(error).not.toBeInstanceOf(SessionUnknown);
  });

  it('finds no such host made nothing', async () => {
    const error = await create('http://nowhere.invalid').catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'service_unreachable' });
    expect(error).not.toBeInstanceOf(SessionUnknown);
  });

  it.each([
    [
      'is reset on its way',
      {
        upstream: [
          { type: 'timeout', timeout: 0 },
          { type: 'reset_peer', timeout: 50 },
        ],
      },
    ],
    ['gets no further than a black hole', { upstream: [{ type: 'timeout', timeout: 0 }] }],
    ['is answered into a black hole', { downstream: [{ type: 'timeout', timeout: 0 }] }],
    ['is cut on its way', { upstream: [{ type: 'limit_data', bytes: 150 }] }],
  ] as const)('%s may have made a session', async (_, toxics) => {
    const attempted = await attempt(null, toxics);
    expect(attempted.outcome).toBe('unknown');
    expect(mistakes(attempted, null)).toEqual([]);
  });

  it('meets a proxy that cuts it off at once is not taken for made', async () => {
    const attempted = await attempt(null, { upstream: [{ type: 'down' }] });
    expect(attempted.outcome).not.toBe('created');
    expect(mistakes(attempted, null)).toEqual([]);
  });

  it('is answered slowly is answered', async () => {
    const toxics = {
      downstream: [
        { type: 'bandwidth', rate: 10 },
        { type: 'slow_close', delay: 50 },
      ],
    } as const;
    expect(await attempt(null, toxics)).toMatchObject({ outcome: 'created' });
  });
});
