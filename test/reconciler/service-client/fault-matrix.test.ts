import { describe, expect, it } from 'vitest';
import { SessionUnknown } from '../../../src/contract/render-service.ts';
import { createHttpService } from '../../../src/reconciler/service-client/http-service.ts';
import { attempt, FAULTS, mistakes, NETWORKS } from '../../support/fault-matrix.ts';
import { freePort } from '../../support/free-port.ts';

describe.each(['quiet', 'sliced'])('a POST over a %s network', (network) => {
  it.each(FAULTS)('with %s: is classified as documented and creates at most one session', async (_, fault, outcome) => {
    const attempted = await attempt(fault, NETWORKS[network]!);
    expect(attempted.outcome).toBe(outcome);
    expect(mistakes(attempted, fault)).toEqual([]);
    for (const waitedMs of attempted.waits) expect(waitedMs).toBeLessThanOrEqual(30_000);
  });
});

describe('a POST to a service that stores idempotency keys', () => {
  it.each(FAULTS.filter(([, , outcome]) => outcome === 'unknown').filter(([name]) => !/300 MB|201|204|303/.test(name)))(
    'is retried after %s and creates one session',
    async (_, fault) => {
      const { outcome, service } = await attempt(fault, {}, { keepsKeys: true });
      expect(outcome).toBe('created');
      expect(service.sessions.size).toBe(1);
      expect(new Set(service.posts.map(({ key, body }) => key + body)).size).toBe(1);
    },
  );
});

describe('a POST', () => {
  const create = (url: string) =>
    createHttpService({
      url,
      token: 'canary',
      now: Date.now,
      monotonicNow: () => performance.now(),
      wait: async () => undefined,
      random: () => 0,
      timeoutMs: 500,
    }).createRenderSession('{}', { idempotencyKey: 'key', outputName: 'x' });

  it('creates nothing when nothing listens on the port', async () => {
    const error = await create(`http://127.0.0.1:${await freePort()}`).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'service_unreachable' });
    expect(error).not.toBeInstanceOf(SessionUnknown);
  });

  it('creates nothing when the host does not exist', async () => {
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
    ['is lost on its way', { upstream: [{ type: 'timeout', timeout: 0 }] }],
    ['loses its answer', { downstream: [{ type: 'timeout', timeout: 0 }] }],
    ['is cut on its way', { upstream: [{ type: 'limit_data', bytes: 150 }] }],
  ] as const)('that %s may have created a session', async (_, toxics) => {
    const attempted = await attempt(null, toxics);
    expect(attempted.outcome).toBe('unknown');
    expect(mistakes(attempted, null)).toEqual([]);
  });

  it('is not reported as created when a proxy cuts the connection at once', async () => {
    const attempted = await attempt(null, { upstream: [{ type: 'down' }] });
    expect(attempted.outcome).not.toBe('created');
    expect(mistakes(attempted, null)).toEqual([]);
  });

  it('succeeds when the answer is slow', async () => {
    const toxics = {
      downstream: [
        { type: 'bandwidth', rate: 10 },
        { type: 'slow_close', delay: 50 },
      ],
    } as const;
    expect(await attempt(null, toxics)).toMatchObject({ outcome: 'created' });
  });
});
