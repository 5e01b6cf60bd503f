import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, PgBoss } from 'pg-boss';
import { isOutage } from '../../../contract/service-error.ts';
import { type Repetition, repeat } from '../../../kernel/repeat.ts';
import { errorMessage, type Log } from '../log.ts';
import type { Database, Queryable } from '../store/database.ts';
import {
  claimJobs,
  exceedsGroupConcurrency,
  groupConcurrencyOf,
  type Job,
  type JobClaims,
  keepLease,
} from './job-claims.ts';
import { Lane, type Seat } from './lane.ts';
import {
  deadQueue,
  HEARTBEAT_SECONDS,
  JOB_SCHEMA,
  type JobHandler,
  type JobHandlers,
  type JobOptions,
  QUEUES,
  type QueueName,
  RETRY_LIMIT,
  WorkerStopping,
} from './queues.ts';

/** Interval of lease renewals. */
const REFRESH_SECONDS = 3;
/** Polling interval for due retries and jobs of dead processes. New jobs trigger a notification. */
const POLL_SECONDS = 2;
/** Interval of the search for jobs of dead processes. PGlite has only one process. */
const SUPERVISE_SECONDS = { postgres: 5, pglite: 60 };
/** Interval of the search for jobs that failed in their dead-letter queue. */
const REVIVE_MS = 30_000;
/**
 * Time beyond the limit of a render for fetching sources and waiting for a slot. The worker enforces that limit itself.
 */
const EXPIRY_MARGIN_SECONDS = 900;
const MAX_EXPIRY_SECONDS = 86_400;
/** Maximum age of a job that is returned to the queue because of an outage. */
const PATIENCE_MS = 86_400_000;
/** After an outage: pause of the worker, and approximate delay of the job. */
const OUTAGE = { pauseMs: 2_000, delayMs: 10_000 };
/** Time that a handler has to stop once its signal is aborted. */
const ABORT_MS = 10_000;

interface JobQueueOptions {
  /** A migrated database. */
  readonly database: Database;
  /** Time limit of one job, enforced by its handler. */
  readonly jobSeconds: number;
  readonly log: Log;
  /** Overrides the default interval in tests. */
  readonly pollSeconds?: number;
  readonly refreshSeconds?: number;
  readonly outage?: typeof OUTAGE;
}

/**
 * A persistent job queue. A job is created in the caller's transaction, normally runs on one worker at a time and is
 * tried five times; an outage (`isOutage`) does not count as an attempt. A worker presumed dead may still be running,
 * so its writes must be fenced (`SessionStore.record`).
 */
export class JobQueue {
  readonly #boss: PgBoss;
  readonly #options: Required<JobQueueOptions>;
  readonly #database: Database;
  readonly #log: Log;
  readonly #stopping = new AbortController();
  readonly #claims = new Map<string, JobClaims>();
  #timers: Repetition[] = [];
  #stopped: Promise<void> | null = null;

  private constructor(boss: PgBoss, options: JobQueueOptions) {
    this.#boss = boss;
    this.#options = { pollSeconds: POLL_SECONDS, refreshSeconds: REFRESH_SECONDS, outage: OUTAGE, ...options };
    this.#database = options.database;
    this.#log = options.log;
  }

  /**
   * Connects to the queue. With PGlite this is the only process, so jobs of a killed predecessor return to the queue at
   * once. They count as attempts, so that a job that always kills its process ends eventually.
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
    // pg-boss caches queue metadata on first use. Loading it inside a PGlite transaction would deadlock.
    for (const queue of QUEUES) await boss.findJobs(queue, { key: '' });
    if (this.#database.kind === 'pglite') {
      const jobs = await putBackStale(boss, this.#database);
      if (jobs > 0) this.#log.info({ jobs }, 'requeued the jobs of the previous process');
    }
    await reviveDead(boss, this.#database);
  }

  /** Queues a job in the caller's transaction unless a job with the same id is waiting or running. */
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
        expireInSeconds: Math.min(this.#options.jobSeconds + EXPIRY_MARGIN_SECONDS, MAX_EXPIRY_SECONDS),
        priority,
        // Claims apply the limits of single owners by tier.
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
    const reviver = repeat(REVIVE_MS, () =>
      reviveDead(this.#boss, this.#database).catch((error) => this.#complain(error)),
    );
    const poller = repeat(this.#options.pollSeconds * 1000, () =>
      this.#wakeDue(queues).catch((error) => this.#complain(error)),
    );
    this.#timers = [poller, reviver];
  }

  /**
   * Wakes the claims of queues that have a job without a notification: due retries, jobs of dead processes, and all
   * jobs while notifications cannot be received. One statement serves all queues, regardless of how many workers wait.
   */
  async #wakeDue(queues: readonly string[]): Promise<void> {
    const due = await this.#database.query<{ name: string }>(
      // The order matches the index that claims use, so each queue costs one index access regardless of its length.
      `select queue.name from unnest($1::text[]) as queue (name), lateral (
          select from ${JOB_SCHEMA}.job
            where job.name = queue.name and state < 'active' and not blocked and start_after <= now()
            order by priority desc, created_on limit 1) as due`,
      [[...queues]],
    );
    for (const { name } of due) this.#claims.get(name)?.wake();
  }

  /**
   * Claims no further jobs, lets running ones continue for `graceMs`, then aborts their signals and returns them to the
   * queue. The database stays open. Later calls wait for the first.
   */
  stop({ graceMs }: { graceMs: number }): Promise<void> {
    this.#stopped ??= this.#stop(graceMs);
    return this.#stopped;
  }

  async #stop(graceMs: number): Promise<void> {
    for (const timer of [...this.#timers, ...this.#claims.values()]) void timer.stop();
    const names = QUEUES.flatMap((queue) => [queue, deadQueue(queue)]);
    const drained = Promise.all(names.map((name) => this.#boss.offWork(name, { wait: true })));
    await Promise.race([drained, sleep(graceMs, undefined, { ref: false })]);
    this.#stopping.abort(new WorkerStopping());
    await Promise.race([drained, sleep(ABORT_MS, undefined, { ref: false })]);
    await this.#boss.stop({ graceful: false });
  }

  /** Aborts the signals of running jobs at once, which returns them to the queue. */
  hurry(): void {
    this.#stopping.abort(new WorkerStopping());
  }

  #claim(queue: string, handler: JobHandler): void {
    const run = async (job: Job, seat: Seat): Promise<void> => {
      try {
        await this.#run(queue, job, handler, seat);
      } catch (error) {
        this.#log.warn({ queue, id: job.data.id, code: codeOf(error) }, 'job failed, may be retried');
        throw error;
      }
    };
    this.#claims.set(queue, claimJobs({ boss: this.#boss, queue, handler, run }));
  }

  /** Returns a job to the queue if it exceeds the limit of its group. @returns whether it did */
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

  /** Returns a job to the queue if another job of its owner must start first. @returns whether it did */
  async #yields(queue: string, job: Job, handler: JobHandler): Promise<boolean> {
    if (handler.preferred === undefined) return false;
    return this.#database.transaction(async (tx) => {
      const preferred = await handler.preferred!(tx, job.data.id);
      if (preferred === null) return false;
      await this.#putBackIn(tx, queue, job, { priority: preferred.priority });
      await this.#boss.update(queue, undefined, { id: preferred.id, priority: job.priority, db: through(tx) });
      return true;
    });
  }

  /** Allows the usual number of further attempts after this attempt. A failure only means that fewer follow. */
  async #keepTrying(queue: string, { id, retryCount }: Job): Promise<void> {
    try {
      await this.#database.query(
        `update ${JOB_SCHEMA}.job set retry_limit = greatest(retry_limit, $4)
          where name = $1 and id = $2 and state = 'active' and retry_count = $3`,
        [queue, id, retryCount, retryCount + RETRY_LIMIT],
      );
    } catch (error) {
      this.#complain(error);
    }
  }

  async #run(queue: string, job: Job, handler: JobHandler, { takeSlot }: Seat): Promise<void> {
    const stopping = this.#stopping.signal;
    const lost = new AbortController();
    const lease = keepLease({
      renew: () => this.#renew(queue, job),
      everyMs: this.#options.refreshSeconds * 1000,
      lifetimeMs: (HEARTBEAT_SECONDS - REFRESH_SECONDS) * 1000,
      onLost: (reason) => lost.abort(reason),
    });
    try {
      stopping.throwIfAborted();
      if (await this.#givesBack(queue, job, handler)) return;
      if (await this.#yields(queue, job, handler)) return;
      const { priority } = job;
      let hasProgress = job.retryCount === 0;
      const keepTrying = (): void => {
        if (!hasProgress) void this.#keepTrying(queue, job);
        hasProgress = true;
      };
      const signal = AbortSignal.any([job.signal, lost.signal, stopping]);
      await handler.run(job.data.id, signal, { priority, takeSlot, keepTrying });
    } catch (error) {
      if (job.signal.aborted || lost.signal.aborted) throw error;
      if (stopping.aborted) await this.#putBack(queue, job);
      else if (isOutage(error) && job.createdOn.getTime() > Date.now() - PATIENCE_MS)
        await this.#postpone(queue, job, error);
      else throw error;
    } finally {
      lease.release();
    }
  }

  /** @returns false when the job belongs to another attempt, was canceled or has ended */
  async #renew(queue: string, { id, retryCount }: Job): Promise<boolean> {
    return affected(await this.#boss.touch(queue, { id, retryCount })) === 1;
  }

  /** Returns the job to the queue with a delay, and pauses this worker: other jobs would hit the same outage. */
  async #postpone(queue: string, job: Job, error: unknown): Promise<void> {
    const fields = { queue, id: job.data.id, error: errorMessage(error) };
    this.#log.warn(fields, 'a component is unreachable; job requeued');
    const { pauseMs, delayMs } = this.#options.outage;
    for (;;) {
      await sleep(pauseMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
      try {
        return await this.#putBack(queue, job, delayMs * (0.5 + Math.random()));
      } catch (error) {
        // If the database itself is unavailable, the job is recovered like that of a dead process, which counts as an
        // attempt.
        if (this.#stopping.signal.aborted || !isOutage(error)) throw error;
      }
    }
  }

  /**
   * Returns the job to the queue as if it had not been claimed: raises its retry limit, because claiming it again
   * counts as an attempt. Does nothing if the job belongs to another worker.
   */
  async #putBack(queue: string, job: Job, delayMs = 0): Promise<void> {
    await this.#database.transaction((tx) => this.#putBackIn(tx, queue, job, { delayMs }));
  }

  async #putBackIn(
    tx: Queryable,
    queue: string,
    job: Job,
    { delayMs = 0, priority = job.priority }: Pick<JobOptions, 'delayMs' | 'priority'> = {},
  ): Promise<void> {
    const db = through(tx);
    const canceled = await this.#boss.cancel(queue, { id: job.id, retryCount: job.retryCount }, { db });
    if (affected(canceled) !== 1) return;
    await this.#boss.resume(queue, job.id, { db });
    const startAfter = delayMs > 0 ? { startAfter: new Date(Date.now() + delayMs) } : {};
    await this.#boss.update(queue, undefined, {
      id: job.id,
      retryLimit: job.retryLimit + 1,
      priority,
      ...startAfter,
      db,
    });
  }

  #complain(error: unknown): void {
    this.#log.warn({ code: codeOf(error), error: errorMessage(error) }, 'error of the job queue');
  }
}

/** Lets pg-boss run in one of our transactions. */
function through(tx: Queryable): Db {
  return { executeSql: async (text, values) => ({ rows: await tx.query(text, values) }) };
}

/** Returns how many jobs a command changed; pg-boss's types omit this field. */
function affected(response: object): number | undefined {
  return (response as { affected?: number }).affected;
}

/** Identifies an error in logs. Its message could quote a value. */
function codeOf(error: unknown): unknown {
  return (error as { code?: unknown } | null)?.code ?? (error instanceof Error ? error.name : undefined);
}

/**
 * Retries jobs that failed in their dead-letter queue. They inherit the number of attempts and may kill processes too,
 * but must not be dropped: their sessions would never end.
 */
async function reviveDead(boss: PgBoss, database: Queryable): Promise<void> {
  const given = await database.query<{ name: string; id: string }>(
    `select name, id from ${JOB_SCHEMA}.job where name = any($1::text[]) and state = 'failed'`,
    [QUEUES.map(deadQueue)],
  );
  for (const { name, id } of given) await boss.retry(name, id);
}

/**
 * Returns the jobs of a killed process to the queue. Only for databases with a single process. @returns their number
 */
async function putBackStale(boss: PgBoss, database: Queryable): Promise<number> {
  const stale = await database.query<{ name: string; id: string }>(
    `select name, id from ${JOB_SCHEMA}.job where state = 'active'`,
  );
  for (const { name, id } of stale) {
    await boss.fail(name, id, { message: 'the process that ran the job ended' });
    await boss.update(name, undefined, { id, startAfter: new Date() });
  }
  return stale.length;
}
