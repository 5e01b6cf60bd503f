import { describe, expect, it } from 'vitest';
import { sessionEnd } from '../../../src/contract/render-service.ts';
import { ServiceError } from '../../../src/contract/service-error.ts';
import { ReelformError } from '../../../src/kernel/diagnostic.ts';
import { SessionWatcher } from '../../../src/reconciler/apply/session-watcher.ts';
import { bareSession } from '../../../src/reconciler/service-client/read-answer.ts';
import { some } from '../../support/full-run.ts';
import {
  chances,
  SimulatedClock,
  type SimulatedService,
  type SimulatedServiceOptions,
  simulatedService,
  simulateRun,
  WATCHED,
} from './simulated-service.ts';

const T = 20_000;

/** Durations of one kind, determined by the seed. */
function durations(kind: string, seed: number): (index: number) => number {
  const chance = chances(seed);
  const normal = (): number => Math.sqrt(-2 * Math.log(chance() || 1e-9)) * Math.cos(2 * Math.PI * chance());
  const made: number[] = [];
  const next = (): number => {
    if (kind === 'fixed') return T;
    if (kind === 'nearly fixed') return T * (1 + 0.005 * chance());
    if (kind === 'lognormal') return T * Math.exp(0.25 * normal());
    return chance() < 0.8 ? T : 3 * T;
  };
  return (index) => {
    while (made.length <= index) made.push(next());
    return made[index]!;
  };
}

interface Setup {
  readonly clock: SimulatedClock;
  readonly service: SimulatedService;
  readonly watcher: SessionWatcher;
  readonly percents: number[];
  /** Starts a session and waits for its end. */
  render(signal?: AbortSignal): Promise<string>;
}

function setUp(options: Partial<SimulatedServiceOptions> = {}, known: readonly number[] = []): Setup {
  const clock = new SimulatedClock();
  const service = simulatedService({ clock, durationMs: () => T, roundTripMs: 60, ...options });
  const watcher = new SessionWatcher({ service, clock, durationsMs: () => known });
  const percents: number[] = [];
  const onProgress = (percent: number): void => void percents.push(percent);
  const render = async (signal = new AbortController().signal): Promise<string> => {
    const session = await service.createRenderSession('{}', { idempotencyKey: '', outputName: '' });
    const { status } = await watcher.watch(session, 'tsv_1', { ...WATCHED, signal, onProgress });
    return status;
  };
  return { clock, service, watcher, percents, render };
}

describe('a run of many sessions in simulated time', () => {
  it.each(
    some([
      // videos, concurrency, durations, known in advance, beyond the interface document, wall time over ideal, requests
      // per video
      [5, 1, 'fixed', true, '', 1.02, 2.5],
      [100, 20, 'fixed', true, '', 1.02, 2.5],
      [250, 50, 'fixed', true, '', 1.02, 2.5],
      [250, 50, 'nearly fixed', true, '', 1.02, 2.5],
      [1000, 1000, 'fixed', true, '', 1.02, 2.5],
      [5, 1, 'fixed', false, '', 1.03, 12],
      [100, 20, 'fixed', false, '', 1.03, 5],
      [250, 50, 'fixed', false, '', 1.03, 5],
      [250, 50, 'nearly fixed', false, '', 1.03, 5],
      [1000, 1000, 'fixed', false, '', 1.03, 9],
      [1000, 50, 'lognormal', true, '', 1.04, 14],
      [1000, 50, 'lognormal', false, '', 1.04, 15],
      [1000, 50, 'bimodal', true, '', 1.02, 3.5],
      [1000, 50, 'bimodal', false, '', 1.02, 4],
      [250, 50, 'fixed', false, 'progress', 1.03, 3],
      [1000, 50, 'lognormal', true, 'progress', 1.02, 3.2],
      [1000, 50, 'lognormal', false, 'progress', 1.02, 3.6],
      [250, 50, 'fixed', true, 'list', 1.02, 1.2],
      [1000, 50, 'lognormal', true, 'list', 1.02, 2.5],
      [1000, 50, 'lognormal', false, 'list', 1.025, 3],
      [1000, 1000, 'lognormal', true, 'list', 1.1, 10],
    ] as const),
  )(
    '%d videos, %d at once, %s, known in advance: %s %s',
    async (videos, concurrency, kind, isKnown, beyond, wall, requests) => {
      const earlier = durations(kind, 99);
      const run = await simulateRun({
        videos,
        concurrency,
        known: isKnown ? Array.from({ length: 40 }, (_, index) => earlier(index)) : [],
        service: {
          durationMs: durations(kind, 7),
          roundTripMs: T * 0.003,
          showsProgress: beyond === 'progress',
          lists: beyond === 'list',
        },
      });
      expect(run.wallRatio).toBeLessThan(wall);
      expect(run.requestsPerVideo).toBeLessThan(requests);
    },
  );

  it('does not mistake queueing for slow progress: each end is noticed soon', async () => {
    const waitMs = (index: number): number => Math.floor(index / 3) * T * 1.4;
    const { clock, service, render } = setUp({
      durationMs: (index) => T * (1 + 0.1 * index),
      waitMs,
      showsProgress: true,
    });
    const before = clock.now();
    const late: number[] = [];
    const all = Array.from({ length: 12 }, async (_, index) => {
      await render();
      late.push((clock.now() - before) / (waitMs(index) + T * (1 + 0.1 * index)));
    });
    await clock.until(Promise.all(all));
    expect(Math.max(...late)).toBeLessThan(1.5);
    expect(service.requests.looks).toBeLessThan(12 * 30);
  });

  it('uses the clock of the service, which may differ from ours by hours', async () => {
    const run = await simulateRun({
      videos: 50,
      concurrency: 10,
      service: { durationMs: () => T, roundTripMs: 60, clockAheadMs: -7_200_000 },
    });
    expect(run.wallRatio).toBeLessThan(1.03);
  });
});

describe('SessionWatcher', () => {
  it('polls once if the duration is always the same, and reports new durations', async () => {
    const { clock, service, watcher, render } = setUp({}, [T, T, T, T]);
    expect(await clock.until(render())).toBe('preview_rendered');
    expect(service.requests.looks).toBe(1);
    expect(watcher.newDurations().get('tsv_1')).toEqual([T, T, T, T, T]);
  });

  it('reports growing progress', async () => {
    const { clock, percents, render } = setUp({ showsProgress: true });
    await clock.until(render());
    expect(percents.length).toBeGreaterThan(1);
    expect(percents).toEqual([...new Set(percents)].sort((a, b) => a - b));
  });

  it('sends no request for a session that has already ended', async () => {
    const { service, watcher } = setUp();
    const ended = { ...bareSession('x', 0), status: 'preview_failed' };
    const options = { ...WATCHED, signal: new AbortController().signal, onProgress: () => undefined };
    expect(await watcher.watch(ended, 'tsv_1', options)).toBe(ended);
    expect(service.requests.looks).toBe(0);
  });

  it('resumes a session that is already running', async () => {
    const { clock, service, watcher } = setUp({}, [T, T, T, T]);
    const other = service.createRenderSession('{}', { idempotencyKey: '', outputName: '' });
    const old = await clock.until(other);
    await clock.until(clock.wait(T * 0.9));
    const options = { ...WATCHED, signal: new AbortController().signal, onProgress: () => undefined };
    // A fresh session reveals the offset between the clocks.
    const fresh = await clock.until(service.createRenderSession('{}', { idempotencyKey: '', outputName: '' }));
    void watcher.watch(fresh, 'tsv_1', options);
    const before = clock.now();
    await clock.until(watcher.watch(old, 'tsv_1', options));
    expect(clock.now() - before).toBeLessThan(T * 0.12);
  });

  it.each([
    ['silence', () => new ReelformError('service_unreachable', 'gone')],
    ['502', () => new ServiceError(502, 'http_502', 'bad gateway')],
    ['429', () => new ServiceError(429, 'http_429', 'too many')],
  ])('tolerates failed polls: %s', async (_, error) => {
    const fail = (looks: number): void => {
      if (looks < 20) throw error();
    };
    const { clock, service, render } = setUp({ fail });
    expect(await clock.until(render())).toBe('preview_rendered');
    expect(service.requests.looks).toBeGreaterThan(20);
  });

  it('treats 404 as temporary, timed from the first one after other faults', async () => {
    const fail = (looks: number): void => {
      if (looks < 20) throw new ServiceError(503, 'http_503', 'starting');
      if (looks < 28) throw new ServiceError(404, 'not_found', 'not readable yet');
    };
    const { clock, service, render } = setUp({ fail });
    expect(await clock.until(render())).toBe('preview_rendered');
    expect(service.requests.looks).toBeGreaterThan(28);
  });

  it('requests a session that the list lacks and waits for it through 404', async () => {
    const { clock, service } = setUp({ lists: true }, [T]);
    const startedAt = clock.now();
    const isAway = (): boolean => Math.abs(clock.now() - startedAt - T) < 2_500;
    const lagging = {
      ...service,
      listRenderSessions: async (count: number) => (isAway() ? [] : service.listRenderSessions!(count)),
      getRenderSession: async (id: string) => {
        if (isAway()) throw new ServiceError(404, 'not_found', 'no');
        return service.getRenderSession(id);
      },
    };
    const watcher = new SessionWatcher({ service: lagging, clock, durationsMs: () => [T] });
    const options = { ...WATCHED, signal: new AbortController().signal, onProgress: () => undefined };
    const one = async (): Promise<string> => {
      const session = await service.createRenderSession('{}', { idempotencyKey: '', outputName: '' });
      return (await watcher.watch(session, 'tsv_1', options)).status;
    };
    const statuses = await clock.until(Promise.all(Array.from({ length: 20 }, one)));
    expect(new Set(statuses)).toEqual(new Set(['preview_rendered']));
    expect(service.requests.posts).toBe(20);
  });

  it.each([
    ['404 that stays', () => new ServiceError(404, 'not_found', 'no'), 30, 180_000],
    ['that the token is refused', () => new ReelformError('service_unauthorized', 'no'), 1, 60_000],
    ['answers that cannot be read', () => new ReelformError('service_answer_invalid', 'no'), 4, 60_000],
    ['silence without an end', () => new ReelformError('service_unreachable', 'no'), 200, 900_000],
  ])('fails with %s', async (_, error, looks, withinMs) => {
    const fail = (): void => {
      throw error();
    };
    const { clock, service, render } = setUp({ fail });
    const before = clock.now();
    await expect(clock.until(render())).rejects.toMatchObject({ message: 'no' });
    expect(service.requests.looks).toBeLessThanOrEqual(looks);
    expect(clock.now() - before).toBeLessThan(withinMs);
  });

  it('stops waiting when its signal aborts', async () => {
    const { clock, render } = setUp();
    const controller = new AbortController();
    const promise = render(controller.signal);
    void clock.wait(5_000).then(() => controller.abort(new Error('enough')));
    const before = clock.now();
    await expect(clock.until(promise)).rejects.toThrow('enough');
    expect(clock.now() - before).toBe(5_000);
    expect(clock.isIdle).toBe(true);
    await expect(clock.until(render(controller.signal))).rejects.toThrow('enough');
  });

  it('polls single sessions if the list fails, and stops requesting the list', async () => {
    for (const list of [async () => null, () => Promise.reject(new ServiceError(500, 'http_500', 'no list'))]) {
      const { clock, service, watcher } = setUp({}, [T, T, T, T]);
      let lists = 0;
      const listing = {
        ...service,
        listRenderSessions: () => {
          lists += 1;
          return list();
        },
      };
      const watching = new SessionWatcher({ service: listing, clock, durationsMs: () => [T] });
      expect(watcher).not.toBe(watching);
      const options = { ...WATCHED, signal: new AbortController().signal, onProgress: () => undefined };
      const one = async (): Promise<string> => {
        const session = await service.createRenderSession('{}', { idempotencyKey: '', outputName: '' });
        return (await watching.watch(session, 'tsv_1', options)).status;
      };
      for (let wave = 0; wave < 6; wave += 1) {
        const statuses = await clock.until(Promise.all(Array.from({ length: 10 }, one)));
        expect(statuses.map(sessionEnd)).toEqual(Array.from({ length: 10 }, () => 'rendered'));
      }
      expect(lists).toBeLessThanOrEqual(3);
    }
  });
});
