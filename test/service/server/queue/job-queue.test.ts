import { once } from 'node:events';
import { PgBoss } from 'pg-boss';
import { expect, it, onTestFinished, vi } from 'vitest';
import { serviceError } from '../../../../src/contract/service-error.ts';
import type { Log } from '../../../../src/service/server/log.ts';
import { LeaseLost } from '../../../../src/service/server/queue/job-claims.ts';
import { JobQueue } from '../../../../src/service/server/queue/job-queue.ts';
import { Lane } from '../../../../src/service/server/queue/lane.ts';
import {
  JOB_SCHEMA,
  type JobHandler,
  type JobHandlers,
  type QueueName,
  WorkerStopping,
} from '../../../../src/service/server/queue/queues.ts';
import type { Database } from '../../../../src/service/server/store/database.ts';
import { describeOnDatabases, jobCounts, SILENT } from '../../../support/databases.ts';

const never = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

async function openQueue(database: Database, log: Log = SILENT): Promise<JobQueue> {
  const queue = await JobQueue.open({
    database,
    jobSeconds: 60,
    log,
    pollSeconds: 0.2,
    refreshSeconds: 0.2,
    outage: { pauseMs: 20, delayMs: 400 },
  });
  onTestFinished(() => queue.stop({ graceMs: 0 }));
  return queue;
}

/** Job handlers for renders and still cuts. */
function handlers({
  render = async () => {},
  stillcuts = async () => {},
  onDead = async () => {},
  places = 1,
}: {
  render?: JobHandler['run'];
  stillcuts?: JobHandler['run'];
  onDead?: (id: string, queue: QueueName) => Promise<void>;
  places?: number;
}): JobHandlers {
  return {
    render: { lane: new Lane({ places }), run: render, onDead: (id) => onDead(id, 'render') },
    stillcuts: { lane: new Lane({ places: 1 }), run: stillcuts, onDead: (id) => onDead(id, 'stillcuts') },
  };
}

/** Records calls that a test can await. */
function calls<T>() {
  const seen: T[] = [];
  return {
    seen,
    async add(value: T) {
      seen.push(value);
    },
    until: (count: number) => vi.waitUntil(() => seen.length >= count, { timeout: 40_000, interval: 5 }),
  };
}

/** Returns how many attempts may follow the running one. */
async function limitOf(database: Database): Promise<{ readonly left: number }> {
  const [row] = await database.query<{ left: number }>(
    `select retry_limit - retry_count as left from reelform_jobs.job where state = 'active' and name = 'render'`,
  );
  return row!;
}

/** Makes retries due at once. */
async function forward(database: Database): Promise<void> {
  await database.query(`update reelform_jobs.job set start_after = now() where state = 'retry'`);
}

describeOnDatabases('JobQueue', (databases, kind) => {
  it('runs each job once, with as many at a time as there are slots', async () => {
    const { database } = await databases.open();
    const queue = await openQueue(database);
    const done = calls<string>();
    let atWork = 0;
    let most = 0;
    await queue.work(
      handlers({
        places: 3,
        async render(id) {
          most = Math.max(most, ++atWork);
          await new Promise((resolve) => setImmediate(resolve));
          atWork--;
          await done.add(id);
        },
      }),
    );
    const ids = Array.from({ length: 20 }, (_, index) => `rs_${index}`);
    await Promise.all(ids.map((id) => database.transaction((tx) => queue.enqueue(tx, 'render', id))));
    await done.until(20);
    expect(done.seen.toSorted()).toEqual(ids.toSorted());
    expect(most).toBeLessThanOrEqual(3);
    await expect.poll(async () => (await jobCounts(database)).active).toBe(0);
    expect(await jobCounts(database)).toEqual({ queued: 0, active: 0, dead: 0 });
  });

  it('drops a job whose transaction was rolled back', async () => {
    const { database } = await databases.open();
    const queue = await openQueue(database);
    const gaveUp = database.transaction(async (tx) => {
      await queue.enqueue(tx, 'render', 'rs_1');
      throw new Error('no');
    });
    await expect(gaveUp).rejects.toThrow('no');
    expect(await jobCounts(database)).toEqual({ queued: 0, active: 0, dead: 0 });
  });

  it('keeps one live job per id and accepts a new one once it is done', async () => {
    const { database } = await databases.open();
    const queue = await openQueue(database);
    for (const id of ['rs_1', 'rs_1', 'rs_2']) await queue.enqueue(database, 'render', id);
    await queue.enqueue(database, 'stillcuts', 'rs_1');
    expect(await jobCounts(database)).toMatchObject({ queued: 3 });
    const done = calls<string>();
    await queue.work(handlers({ render: done.add, stillcuts: (id) => done.add(`stillcuts ${id}`) }));
    await done.until(3);
    expect(done.seen.toSorted()).toEqual(['rs_1', 'rs_2', 'stillcuts rs_1']);
    await expect.poll(async () => (await jobCounts(database)).active).toBe(0);
    await queue.enqueue(database, 'render', 'rs_1');
    await done.until(4);
    expect(done.seen.at(-1)).toBe('rs_1');
  });

  it('tries five times and then calls onDead()', async () => {
    const { database } = await databases.open();
    const queue = await openQueue(database);
    const tried = calls<string>();
    const dead = calls<string>();
    await queue.work(
      handlers({
        async render(id) {
          await tried.add(id);
          throw new Error('the store failed');
        },
        onDead: (id, name) => dead.add(`${name} ${id}`),
      }),
    );
    await queue.enqueue(database, 'render', 'rs_1');
    for (const attempt of [1, 2, 3, 4]) {
      await tried.until(attempt);
      await expect.poll(async () => (await jobCounts(database)).queued).toBe(1);
      await forward(database);
    }
    await dead.until(1);
    expect(tried.seen).toHaveLength(5);
    expect(dead.seen).toEqual(['render rs_1']);
    expect(await jobCounts(database)).toEqual({ queued: 0, active: 0, dead: 1 });
  });

  it('grants five further attempts to a job that has made progress', async () => {
    const { database } = await databases.open();
    const queue = await openQueue(database);
    const tried = calls<string>();
    const dead = calls<string>();
    await queue.work(
      handlers({
        async render(id, _signal, { keepTrying }) {
          // Progress in the first six attempts, the first of which counts anyway.
          if (tried.seen.length < 6) keepTrying();
          await expect.poll(async () => (await limitOf(database)).left >= (tried.seen.length < 6 ? 4 : 0)).toBe(true);
          await tried.add(id);
          throw new Error('the worker was preempted');
        },
        onDead: dead.add,
      }),
    );
    await queue.enqueue(database, 'render', 'rs_1');
    for (let attempt = 1; attempt <= 9; attempt++) {
      await tried.until(attempt);
      await expect.poll(async () => (await jobCounts(database)).queued).toBe(1);
      await forward(database);
    }
    await dead.until(1);
    expect(tried.seen).toHaveLength(10);
  });

  it('retries onDead() without limit', async () => {
    const { database } = await databases.open();
    await (await openQueue(database)).enqueue(database, 'render', 'rs_1');
    // As if five processes had died running the job, and then five running its dead letter.
    const boss = new PgBoss({ ...database.jobs, schema: JOB_SCHEMA, supervise: false, schedule: false });
    await boss.start();
    for (const name of ['render', 'render_dead']) {
      const [job] = await database.query<{ id: string }>(
        'update reelform_jobs.job set retry_count = retry_limit where name = $1 returning id',
        [name],
      );
      await boss.fail(name, job!.id);
    }
    await boss.stop({ graceful: false });
    const dead = calls<string>();
    const queue = await openQueue(database);
    await queue.work(handlers({ onDead: dead.add }));
    await dead.until(1);
    expect(dead.seen).toEqual(['rs_1']);
  });

  it('aborts the signal of a job that it has lost', async () => {
    const { database } = await databases.open();
    const queue = await openQueue(database);
    const begun = calls<AbortSignal>();
    await queue.work(
      handlers({
        async render(_, signal) {
          await begun.add(signal);
          await never(signal);
        },
      }),
    );
    await queue.enqueue(database, 'render', 'rs_1');
    await begun.until(1);
    await database.query(`update reelform_jobs.job set state = 'cancelled' where state = 'active'`);
    const [signal] = begun.seen;
    if (!signal!.aborted) await once(signal!, 'abort');
    expect(signal!.reason).not.toBeInstanceOf(WorkerStopping);
  });

  it('logs the message of an error that pg-boss reports as a plain object', async () => {
    const { database } = await databases.open();
    const logged: { readonly error?: string }[] = [];
    const queue = await openQueue(database, { ...SILENT, warn: (fields) => void logged.push(fields) });
    await queue.work(
      handlers({
        async render() {
          // The database rejects the completion of the job, as it may after a lost lease.
          await database.query(`alter table ${JOB_SCHEMA}.job rename to away`);
          throw new LeaseLost();
        },
      }),
    );
    await queue.enqueue(database, 'render', 'rs_1');
    await vi.waitUntil(() => logged.some(({ error }) => error !== undefined), { timeout: 40_000 });
    await database.query(`alter table ${JOB_SCHEMA}.away rename to job`);
    expect(logged.map(({ error }) => error).filter((error) => error !== undefined)).toEqual(
      expect.arrayContaining([expect.stringMatching(/does not exist/)]),
    );
    expect(JSON.stringify(logged)).not.toContain('[object');
  });

  it('requeues jobs when it is stopped without counting an attempt', async () => {
    const { database } = await databases.open();
    for (const round of [1, 2, 3, 4]) {
      const queue = await openQueue(database);
      if (round === 1) await queue.enqueue(database, 'render', 'rs_1');
      const begun = calls<AbortSignal>();
      await queue.work(
        handlers({
          async render(_, signal) {
            await begun.add(signal);
            await never(signal);
          },
        }),
      );
      await begun.until(1);
      await queue.stop({ graceMs: 0 });
      expect(begun.seen[0]!.reason).toBeInstanceOf(WorkerStopping);
    }
    const [job] = await database.query<{ left: number }>(
      `select retry_limit - retry_count as left, state from reelform_jobs.job where name = 'render'`,
    );
    // The next claim counts as a retry and leaves four more.
    expect(job).toEqual({ left: 5, state: 'created' });
  });

  it('requeues a job during an outage of a component without counting an attempt', async () => {
    const { database } = await databases.open();
    const queue = await openQueue(database);
    const tried = calls<string>();
    await queue.work(
      handlers({
        async render(id) {
          await tried.add(id);
          throw new AggregateError([serviceError('unavailable')]);
        },
      }),
    );
    await queue.enqueue(database, 'render', 'rs_1');
    await tried.until(1);
    const [job] = await vi.waitUntil(
      async () => {
        const jobs = await database.query<{ left: number; isLater: boolean }>(
          `select retry_limit - retry_count as left, start_after > now() as "isLater" from reelform_jobs.job
            where name = 'render' and state = 'created' and retry_count > 0`,
        );
        return jobs.length > 0 && jobs;
      },
      { timeout: 40_000 },
    );
    expect(job).toEqual({ left: 5, isLater: true });
  });

  it('lets running jobs finish before it stops and claims no others', async () => {
    const { database } = await databases.open();
    const queue = await openQueue(database);
    const begun = calls<() => void>();
    await queue.work(handlers({ render: () => new Promise<void>((resolve) => void begun.add(resolve)) }));
    await queue.enqueue(database, 'render', 'rs_1');
    await begun.until(1);
    const stopped = queue.stop({ graceMs: 60_000 });
    await queue.enqueue(database, 'render', 'rs_2');
    begun.seen[0]!();
    await stopped;
    expect(begun.seen).toHaveLength(1);
    const jobs = await database.query(`select data ->> 'id' as id, state from reelform_jobs.job order by 1`);
    expect(jobs).toEqual([
      { id: 'rs_1', state: 'completed' },
      { id: 'rs_2', state: 'created' },
    ]);
  });

  it('limits the running jobs of a group across workers', async () => {
    const { database } = await databases.open();
    const queues = await Promise.all([openQueue(database), openQueue(database)]);
    const begun = calls<string>();
    const ends = new Map<string, () => void>();
    for (const queue of queues) {
      await queue.work({
        render: {
          lane: new Lane({ places: 2 }),
          groupConcurrency: 1,
          groupConcurrencies: new Map([['large', 2]]),
          run: (id) =>
            new Promise<void>((resolve) => {
              ends.set(id, resolve);
              void begun.add(id);
            }),
          onDead: async () => {},
        },
      });
    }
    const ids = ['small 1', 'small 2', 'large 1', 'large 2', 'large 3'];
    for (const id of ids) await queues[0]!.enqueue(database, 'render', id, { group: id.split(' ')[0]! });
    await begun.until(3);
    const count = (group: string): number => begun.seen.filter((id) => id.startsWith(group)).length;
    expect([count('small'), count('large')]).toEqual([1, 2]);
    ends.get(begun.seen.find((id) => id.startsWith('small'))!)!();
    await begun.until(4);
    expect([count('small'), count('large')]).toEqual([2, 2]);
    ends.get(begun.seen.find((id) => id.startsWith('large'))!)!();
    await begun.until(5);
    for (const end of ends.values()) end();
  });

  it.skipIf(kind === 'pglite')('continues and notices new jobs after all its connections have broken', async () => {
    const { database } = await databases.open();
    const queue = await openQueue(database);
    const done = calls<string>();
    await queue.work(handlers({ places: 2, render: done.add }));
    await queue.enqueue(database, 'render', 'rs_1');
    await done.until(1);
    await database.query(
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
    );
    await queue.enqueue(database, 'render', 'rs_2');
    await done.until(2);
    const listeners = () =>
      database.query(`select pid from pg_stat_activity where datname = current_database() and query ilike 'listen%'`);
    await vi.waitUntil(async () => (await listeners()).length > 0, { timeout: 40_000, interval: 50 });
    await queue.enqueue(database, 'render', 'rs_3');
    await done.until(3);
  });
});
