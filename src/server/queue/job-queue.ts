import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, PgBoss } from 'pg-boss';
import { isOutage } from '../../service/service-error.ts';
import type { Database, Queryable } from '../store/database.ts';
import { errorMessage, type Log } from '../telemetry/log.ts';
import { withTimeout } from '../with-timeout.ts';
import {
  claimJobs,
  exceedsGroupConcurrency,
  groupConcurrencyOf,
  type Job,
  type JobClaims,
  pollJobs,
} from './job-claims.ts';
import { Lane, type Seat } from './lane.ts';
import { keepLease } from './lease.ts';
import {
  deadQueue,
  HEARTBEAT_SECONDS,
  JOB_SCHEMA,
  type JobHandler,
  type JobHandlers,
  type JobOptions,
  QUEUES,
  type QueueDepth,
  type QueueName,
  WorkerStopping,
} from './queues.ts';

/** How often a process says that it still has its jobs. */
const REFRESH_SECONDS = 3;
/** For what nobody announces: retries that are due, jobs of a process that died. New jobs are announced. */
const POLL_SECONDS = 2;
/** How often the jobs of processes that died are looked for: with PGlite there is no other process. */
const SUPERVISE_SECONDS = { postgres: 5, pglite: 60 };
/** How often jobs are looked for that even their dead-letter queue has given up. */
const REVIVE_MS = 30_000;
/** Beyond the limit of a render, which the worker sees to itself: its sources are fetched, and it waits for a slot. */
const EXPIRY_MARGIN_SECONDS = 900;
const LONGEST_EXPIRY_SECONDS = 86_400;
/** How long a job is put back for an outage, counted from when it came into being. */
const PATIENCE_MS = 86_400_000;
/** After an outage: how long a place takes no job, and about how long the job waits. */
const OUTAGE = { pauseMs: 2_000, delayMs: 10_000 };
/** How long a handler may take to give up once its signal is aborted. */
const ABORT_MS = 10_000;

export interface JobQueueOptions {
  /** Migrated. */
  readonly database: Database;
  /** The limit of one job, which its handler keeps. */
  readonly jobSeconds: number;
  readonly log: Log;
  /** Unless told, as the constants above say; tests do not wait for so long. */
  readonly pollSeconds?: number;
  readonly refreshSeconds?: number;
  readonly outage?: typeof OUTAGE;
}

/**
 * Jobs that survive: one comes into being with the transaction that asks for it, is done by one worker at a time as far as
 * can be known, and is tried five times; an outage (`isOutage`) is no attempt. A worker that was thought dead may still be at
 * work, so what it writes has to be fenced (`SessionStore.record`).
 */
export class JobQueue {
  readonly #boss: PgBoss;
  readonly #options: Required<JobQueueOptions>;
  readonly #database: Database;
  readonly #log: Log;
  readonly #stopping = new AbortController();
  readonly #atWork = new Map<string, number>();
  readonly #claims = new Map<string, JobClaims>();
  #timers: { stop(): void }[] = [];
  #stopped: Promise<void> | null = null;

  private constructor(boss: PgBoss, options: JobQueueOptions) {
    this.#boss = boss;
    this.#options = { pollSeconds: POLL_SECONDS, refreshSeconds: REFRESH_SECONDS, outage: OUTAGE, ...options };
    this.#database = options.database;
    this.#log = options.log;
  }

  /**
   * Connects to the queue. With PGlite, whose only process this is, jobs that a killed predecessor was at are put back at
   * once (and count as tried: one that kills its process every time has to end).
   */
  static async open(options: JobQueueOptions): Promise<JobQueue> {
    const { database, log } = options;
    const boss = new PgBoss({
      ...database.jobs,
      schema: JOB_SCHEMA,
      schedule: false,
      superviseIntervalSeconds: SUPERVISE_SECONDS[database.kind],
      monitorIntervalSeconds: SUPERVISE_SECONDS[database.kind],
      warningQueueSize: 100_000,
      useListenNotify: true,
    });
    const queue = new JobQueue(boss, options);
    boss.on('error', (error) => queue.#complain(error));
    boss.on('warning', ({ message }) => log.warn({}, message));
    try {
      await queue.#start();
    } catch (error) {
      await queue.stop({ graceMs: 0 });
      throw error;
    }
    return queue;
  }

  async #start(): Promise<void> {
    const boss = this.#boss;
    await boss.start();
    // pg-boss looks up a queue before it sends to it. Inside a transaction of PGlite that would wait for the transaction.
    for (const queue of QUEUES) await boss.findJobs(queue, { key: '' });
    if (this.#database.kind === 'pglite') {
      const jobs = await putBackStale(boss, this.#database);
      if (jobs > 0) this.#log.info({ jobs }, 'jobs of the process before were put back');
    }
    await reviveDead(boss, this.#database);
  }

  /** Queues the job in the caller's transaction, unless one for the same id is waiting or at work. */
  async enqueue(
    tx: Queryable,
    queue: QueueName,
    id: string,
    { priority = 0, delayMs = 0, group, owner }: JobOptions = {},
  ): Promise<void> {
    const name = group ?? owner;
    await this.#boss.send(
      queue,
      { id },
      {
        db: through(tx),
        singletonKey: id,
        expireInSeconds: Math.min(this.#options.jobSeconds + EXPIRY_MARGIN_SECONDS, LONGEST_EXPIRY_SECONDS),
        priority,
        // The tier is what limits of single owners are found by when the job is claimed.
        ...(name === undefined ? {} : { group: { id: name, tier: owner ?? name } }),
        ...(delayMs > 0 ? { startAfter: new Date(Date.now() + delayMs) } : {}),
      },
    );
  }

  async work(handlers: JobHandlers): Promise<void> {
    const queues: string[] = [];
    for (const queue of QUEUES) {
      const handler = handlers[queue];
      if (handler === undefined) continue;
      this.#claim(queue, handler);
      const dead = deadQueue(queue);
      this.#claim(dead, {
        lane: new Lane({ places: 1 }),
        run: (id) => handler.onDead(id),
        onDead: async () => undefined,
      });
      queues.push(queue, dead);
    }
    const reviving = setInterval(() => {
      reviveDead(this.#boss, this.#database).catch((error) => this.#complain(error));
    }, REVIVE_MS);
    const poller = pollJobs({
      ...{ database: this.#database, queues, everyMs: this.#options.pollSeconds * 1000 },
      notify: (queue) => this.#claims.get(queue)?.wake(),
      onError: (error) => this.#complain(error),
    });
    this.#timers = [poller, { stop: () => clearInterval(reviving) }];
  }

  /** Jobs of the queue that this process is at. */
  atWork(queue: QueueName): number {
    return this.#atWork.get(queue) ?? 0;
  }

  /** As it is now. */
  async depth(): Promise<QueueDepth> {
    const rows = await this.#database.query<{ state: string; count: number }>(
      `select state::text, count(*) as count from ${JOB_SCHEMA}.job
        where name = any($1::text[]) and state in ('created', 'retry', 'active', 'failed') group by state`,
      [[...QUEUES]],
    );
    const count = (...states: string[]): number =>
      rows.reduce((sum, row) => (states.includes(row.state) ? sum + row.count : sum), 0);
    return { queued: count('created', 'retry'), active: count('active'), dead: count('failed') };
  }

  /**
   * Takes no new job, lets those at work go on for `graceMs`, then aborts their signals and puts them back. The database
   * stays open. Later calls wait for the first.
   */
  stop({ graceMs }: { graceMs: number }): Promise<void> {
    this.#stopped ??= this.#stop(graceMs);
    return this.#stopped;
  }

  async #stop(graceMs: number): Promise<void> {
    for (const timer of [...this.#timers, ...this.#claims.values()]) timer.stop();
    const names = QUEUES.flatMap((queue) => [queue, deadQueue(queue)]);
    const drained = Promise.all(names.map((name) => this.#boss.offWork(name, { wait: true })));
    await withTimeout(graceMs, drained);
    this.#stopping.abort(new WorkerStopping());
    await withTimeout(ABORT_MS, drained);
    await this.#boss.stop({ graceful: false });
  }

  /** Does not wait any longer for what is at work: its signals are aborted, and it is put back. */
  hurry(): void {
    this.#stopping.abort(new WorkerStopping());
  }

  #claim(queue: string, handler: JobHandler): void {
    const run = async (job: Job, seat: Seat): Promise<void> => {
      try {
        await this.#run(queue, job, handler, seat);
      } catch (error) {
        this.#log.warn({ queue, id: job.data.id, code: codeOf(error) }, 'a job failed, and may be tried again');
        throw error;
      }
    };
    this.#claims.set(queue, claimJobs({ boss: this.#boss, queue, handler, run }));
  }

  /** Puts a job back that is one too many of its group. @returns whether it was */
  async #givesBack(queue: string, job: Job, handler: JobHandler): Promise<boolean> {
    const { groupId } = job;
    const limit = groupConcurrencyOf(groupId ?? null, handler);
    if (limit === null) return false;
    return this.#database.transaction(async (tx) => {
      if (!(await exceedsGroupConcurrency(tx, queue, groupId!, limit))) return false;
      await this.#putBackIn(tx, queue, job);
      return true;
    });
  }

  async #run(queue: string, job: Job, handler: JobHandler, { takeSlot }: Seat): Promise<void> {
    const stopping = this.#stopping.signal;
    const lost = new AbortController();
    const count = (by: number): void => void this.#atWork.set(queue, (this.#atWork.get(queue) ?? 0) + by);
    count(1);
    const lease = keepLease({
      renew: () => this.#renew(queue, job),
      everyMs: this.#options.refreshSeconds * 1000,
      lifetimeMs: (HEARTBEAT_SECONDS - REFRESH_SECONDS) * 1000,
      onLost: (reason) => lost.abort(reason),
    });
    try {
      stopping.throwIfAborted();
      if (await this.#givesBack(queue, job, handler)) return;
      const { priority } = job;
      await handler.run(job.data.id, AbortSignal.any([job.signal, lost.signal, stopping]), { priority, takeSlot });
    } catch (error) {
      if (job.signal.aborted || lost.signal.aborted) throw error;
      if (stopping.aborted) await this.#putBack(queue, job);
      else if (isOutage(error) && job.createdOn.getTime() > Date.now() - PATIENCE_MS)
        await this.#postpone(queue, job, error);
      else throw error;
    } finally {
      lease.release();
      count(-1);
    }
  }

  /** @returns false when the job was given to another attempt, canceled or ended */
  async #renew(queue: string, { id, retryCount }: Job): Promise<boolean> {
    return affected(await this.#boss.touch(queue, { id, retryCount })) === 1;
  }

  /** Puts the job back for later, and takes no other for a while: it would find the same. */
  async #postpone(queue: string, job: Job, error: unknown): Promise<void> {
    const fields = { queue, id: job.data.id, error: errorMessage(error) };
    this.#log.warn(fields, 'a part of the service is away; the job is put back');
    const { pauseMs, delayMs } = this.#options.outage;
    for (;;) {
      await sleep(pauseMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
      try {
        return await this.#putBack(queue, job, delayMs * (0.5 + Math.random()));
      } catch (error) {
        // The database itself is away. Whoever finds the job without its worker takes it up, which counts.
        if (this.#stopping.signal.aborted || !isOutage(error)) throw error;
      }
    }
  }

  /**
   * As if it had not been taken: claiming it again will count, so it may be claimed once more. Only while it is still
   * this worker's.
   */
  async #putBack(queue: string, job: Job, delayMs = 0): Promise<void> {
    await this.#database.transaction((tx) => this.#putBackIn(tx, queue, job, delayMs));
  }

  async #putBackIn(tx: Queryable, queue: string, job: Job, delayMs = 0): Promise<void> {
    const db = through(tx);
    const canceled = await this.#boss.cancel(queue, { id: job.id, retryCount: job.retryCount }, { db });
    if (affected(canceled) !== 1) return;
    await this.#boss.resume(queue, job.id, { db });
    const startAfter = delayMs > 0 ? { startAfter: new Date(Date.now() + delayMs) } : {};
    await this.#boss.update(queue, undefined, { id: job.id, retryLimit: job.retryLimit + 1, ...startAfter, db });
  }

  #complain(error: unknown): void {
    this.#log.warn({ code: codeOf(error), error: errorMessage(error) }, 'the job queue had an error');
  }
}

/** Lets pg-boss work in a transaction of ours. */
function through(tx: Queryable): Db {
  return { executeSql: async (text, values) => ({ rows: await tx.query(text, values) }) };
}

/** Jobs that a command was about and that were as it wanted them; pg-boss's types leave that out. */
function affected(response: object): number | undefined {
  return (response as { affected?: number }).affected;
}

/** What a log may know an error by: its message could quote a value. */
function codeOf(error: unknown): unknown {
  return (error as { code?: unknown } | null)?.code ?? (error instanceof Error ? error.name : undefined);
}

/**
 * A dead letter inherits the number of its attempts, and a process can die over it as well. It is never given up:
 * whoever waits for the job would wait for ever.
 */
async function reviveDead(boss: PgBoss, database: Queryable): Promise<void> {
  const given = await database.query<{ name: string; id: string }>(
    `select name, id from ${JOB_SCHEMA}.job where name = any($1::text[]) and state = 'failed'`,
    [QUEUES.map(deadQueue)],
  );
  for (const { name, id } of given) await boss.retry(name, id);
}

/** Jobs that a killed process was at, where there can be no other process. @returns how many */
async function putBackStale(boss: PgBoss, database: Queryable): Promise<number> {
  const stale = await database.query<{ name: string; id: string }>(
    `select name, id from ${JOB_SCHEMA}.job where state = 'active'`,
  );
  for (const { name, id } of stale) {
    await boss.fail(name, id, { message: 'the process that was at it ended' });
    await boss.update(name, undefined, { id, startAfter: new Date() });
  }
  return stale.length;
}
