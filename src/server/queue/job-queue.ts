import { setTimeout as sleep } from 'node:timers/promises';
import { type Db, type JobWithMetadata, PgBoss } from 'pg-boss';
import { isOutage } from '../../service/service-error.ts';
import type { Log } from '../log.ts';
import type { Database, Queryable } from '../store/database.ts';
import { within } from '../within.ts';
import { deadQueue, JOB_SCHEMA, QUEUES, type QueueName } from './install-jobs.ts';
import { type JobHandlers, type JobOptions, type QueueDepth, WorkerStopping } from './job-handlers.ts';

/** How often a process says that it still has its jobs. */
const HEARTBEAT_REFRESH_SECONDS = 3;
/** For what nobody announces: retries that are due, jobs of a process that died. New jobs are announced. */
const POLL_SECONDS = 2;
/** How often the jobs of processes that died are looked for: with PGlite there is no other process. */
const SUPERVISE_SECONDS = { postgres: 5, pglite: 60 };
/** How often jobs are looked for that even their dead-letter queue has given up. */
const REVIVE_MS = 30_000;
/** Beyond the limit of a render, which the worker sees to itself. */
const EXPIRY_MARGIN_SECONDS = 120;
const LONGEST_EXPIRY_SECONDS = 86_400;
/** How long a job is put back for an outage, counted from when it came into being. */
const PATIENCE_MS = 86_400_000;
/** After an outage: how long a place takes no job, and about how long the job waits. */
const OUTAGE_PAUSE_MS = 2_000;
const OUTAGE_DELAY_MS = 10_000;
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
}

type Handle = (id: string, signal: AbortSignal) => Promise<void>;

/**
 * Jobs that survive: one comes into being with the transaction that asks for it, is done by one worker at a time as far as
 * can be known, and is tried five times; an outage (`isOutage`) is no attempt. A worker that was thought dead may still be at
 * work, so what it writes has to be fenced (`SessionStore.record`).
 */
export class JobQueue {
  readonly #boss: PgBoss;
  readonly #database: Database;
  readonly #expireInSeconds: number;
  readonly #pollSeconds: number;
  readonly #refreshSeconds: number;
  readonly #stopping = new AbortController();
  readonly #log: Log;
  readonly #atWork = new Map<string, number>();
  #reviving: NodeJS.Timeout | undefined;
  #stopped: Promise<void> | null = null;

  private constructor(boss: PgBoss, options: JobQueueOptions) {
    this.#boss = boss;
    this.#database = options.database;
    this.#expireInSeconds = Math.min(options.jobSeconds + EXPIRY_MARGIN_SECONDS, LONGEST_EXPIRY_SECONDS);
    this.#pollSeconds = options.pollSeconds ?? POLL_SECONDS;
    this.#refreshSeconds = options.refreshSeconds ?? HEARTBEAT_REFRESH_SECONDS;
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
    boss.on('error', (error) => log.warn({ code: codeOf(error), error: error.message }, 'the job queue had an error'));
    boss.on('warning', ({ message }) => log.warn({}, message));
    const queue = new JobQueue(boss, options);
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
    if (this.#database.kind === 'pglite') await this.#putBackStale();
    await this.#reviveDead();
  }

  /** Queues the job in the caller's transaction, unless one for the same id is waiting or at work. */
  async enqueue(
    tx: Queryable,
    queue: QueueName,
    id: string,
    { priority = 0, delayMs = 0, group }: JobOptions = {},
  ): Promise<void> {
    await this.#boss.send(
      queue,
      { id },
      {
        db: through(tx),
        singletonKey: id,
        expireInSeconds: this.#expireInSeconds,
        priority,
        ...(group === undefined ? {} : { group: { id: group, tier: group } }),
        ...(delayMs > 0 ? { startAfter: new Date(Date.now() + delayMs) } : {}),
      },
    );
  }

  async work(handlers: JobHandlers): Promise<void> {
    for (const queue of QUEUES) {
      const handler = handlers[queue];
      if (handler === undefined) continue;
      for (let place = 0; place < handler.places; place++)
        await this.#take(queue, (id, signal) => handler.run(id, signal));
      await this.#take(deadQueue(queue), (id) => handler.onDead(id));
    }
    this.#reviving = setInterval(() => {
      this.#reviveDead().catch((error) => this.#log.warn({ code: codeOf(error) }, 'the job queue had an error'));
    }, REVIVE_MS);
    this.#reviving.unref();
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
    clearInterval(this.#reviving);
    const names = QUEUES.flatMap((queue) => [queue, deadQueue(queue)]);
    const drained = Promise.all(names.map((name) => this.#boss.offWork(name, { wait: true })));
    await within(graceMs, drained);
    this.#stopping.abort(new WorkerStopping());
    await within(ABORT_MS, drained);
    await this.#boss.stop({ graceful: false });
  }

  /** Does not wait any longer for what is at work: its signals are aborted, and it is put back. */
  hurry(): void {
    this.#stopping.abort(new WorkerStopping());
  }

  /** One place at a queue. pg-boss fetches again at once only when it is told that there may be more. */
  async #take(queue: string, handle: Handle): Promise<void> {
    let place = '';
    place = await this.#boss.work(
      queue,
      {
        pollingIntervalSeconds: this.#pollSeconds,
        notifyPollingIntervalSeconds: this.#pollSeconds,
        heartbeatRefreshSeconds: this.#refreshSeconds,
        includeMetadata: true,
      },
      async ([job]: JobWithMetadata<{ id: string }>[]) => {
        try {
          if (job !== undefined) await this.#run(queue, job, handle);
        } catch (error) {
          this.#log.warn({ queue, id: job?.data.id, code: codeOf(error) }, 'a job failed, and may be tried again');
          throw error;
        } finally {
          this.#boss.notifyWorker(place);
        }
      },
    );
  }

  async #run(queue: string, job: JobWithMetadata<{ id: string }>, handle: Handle): Promise<void> {
    const stopping = this.#stopping.signal;
    const count = (by: number): void => void this.#atWork.set(queue, (this.#atWork.get(queue) ?? 0) + by);
    count(1);
    try {
      stopping.throwIfAborted();
      await handle(job.data.id, AbortSignal.any([job.signal, stopping]));
    } catch (error) {
      if (job.signal.aborted) throw error;
      if (stopping.aborted) await this.#putBack(queue, job);
      else if (isOutage(error) && job.createdOn.getTime() > Date.now() - PATIENCE_MS) await this.#postpone(queue, job);
      else throw error;
    } finally {
      count(-1);
    }
  }

  /** Puts the job back for later, and takes no other for a while: it would find the same. */
  async #postpone(queue: string, job: JobWithMetadata<{ id: string }>): Promise<void> {
    this.#log.warn({ queue, id: job.data.id }, 'a part of the service is away; the job is put back');
    for (;;) {
      await sleep(OUTAGE_PAUSE_MS, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
      try {
        return await this.#putBack(queue, job, OUTAGE_DELAY_MS * (0.5 + Math.random()));
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
  async #putBack(queue: string, job: JobWithMetadata, delayMs = 0): Promise<void> {
    await this.#database.transaction(async (tx) => {
      const db = through(tx);
      const { affected } = (await this.#boss.cancel(queue, { id: job.id, retryCount: job.retryCount }, { db })) as {
        affected?: number;
      };
      if (affected !== 1) return;
      await this.#boss.resume(queue, job.id, { db });
      const startAfter = delayMs > 0 ? { startAfter: new Date(Date.now() + delayMs) } : {};
      await this.#boss.update(queue, undefined, { id: job.id, retryLimit: job.retryLimit + 1, ...startAfter, db });
    });
  }

  /**
   * A dead letter inherits the number of its attempts, and a process can die over it as well. It is never given up:
   * whoever waits for the job would wait for ever.
   */
  async #reviveDead(): Promise<void> {
    const given = await this.#database.query<{ name: string; id: string }>(
      `select name, id from ${JOB_SCHEMA}.job where name = any($1::text[]) and state = 'failed'`,
      [QUEUES.map(deadQueue)],
    );
    for (const { name, id } of given) await this.#boss.retry(name, id);
  }

  async #putBackStale(): Promise<void> {
    const stale = await this.#database.query<{ name: string; id: string }>(
      `select name, id from ${JOB_SCHEMA}.job where state = 'active'`,
    );
    for (const { name, id } of stale) {
      await this.#boss.fail(name, id, { message: 'the process that was at it ended' });
      await this.#boss.update(name, undefined, { id, startAfter: new Date() });
    }
    if (stale.length > 0) this.#log.info({ jobs: stale.length }, 'jobs of the process before were put back');
  }
}

function through(tx: Queryable): Db {
  return { executeSql: async (text, values) => ({ rows: await tx.query(text, values) }) };
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown } | null)?.code ?? (error instanceof Error ? error.name : undefined);
}
