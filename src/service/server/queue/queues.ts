import { PgBoss, type QueueOptions } from 'pg-boss';
import { ReelformError } from '../../../kernel/diagnostic.ts';
import { errorMessage, type Log } from '../log.ts';
import type { Database, Queryable } from '../store/database.ts';
import type { Lane, Seat } from './lane.ts';

/** Database schema of pg-boss, and the schema version of the bundled release. */
export const JOB_SCHEMA = 'reelform_jobs';
export const JOB_SCHEMA_VERSION = 43;

/**
 * Job queues: videos and parts of videos; single images, which do not wait behind videos; still cuts of templates;
 * deliveries of finished files; webhooks.
 */
export const QUEUES = ['render', 'still', 'stillcuts', 'delivery', 'webhook'] as const;

export type QueueName = (typeof QUEUES)[number];

/** Queue for jobs that failed five times. */
export function deadQueue(queue: QueueName): string {
  return `${queue}_dead`;
}

/** Time after which a killed process is noticed by the processes that share its database. The minimum of pg-boss is 10. */
export const HEARTBEAT_SECONDS = 15;

const DAY_SECONDS = 86_400;

/** Attempts after the first, @see TakenJob.keepTrying. */
export const RETRY_LIMIT = 4;

/**
 * Retries follow after 5–10 s, 10–20 s and so on up to 40–80 s. Five attempts, because a process may die for reasons
 * unrelated to the job, especially on machines that come and go.
 */
const OPTIONS = {
  retryLimit: RETRY_LIMIT,
  retryDelay: 5,
  retryDelayMax: 80,
  retryBackoff: true,
  // A queued render waits as long as necessary.
  retentionSeconds: 365 * DAY_SECONDS,
  deleteAfterSeconds: DAY_SECONDS,
} satisfies QueueOptions;

/**
 * Creates or upgrades the tables of pg-boss and creates the queues.
 *
 * @throws ReelformError `database_newer`
 */
export async function installJobs(database: Database, log: Log): Promise<void> {
  const boss = new PgBoss({
    ...database.jobs,
    // A migration may rewrite a table.
    ...(database.kind === 'postgres' ? { query_timeout: 0 } : {}),
    schema: JOB_SCHEMA,
    supervise: false,
    schedule: false,
    warningQueueSize: 100_000,
  });
  boss.on('error', (error) => log.warn({ error: errorMessage(error) }, 'error of the job queue'));
  try {
    await boss.start();
    const version = await boss.schemaVersion();
    if (version !== null && version > JOB_SCHEMA_VERSION) {
      throw new ReelformError('database_newer', `The job queue of the database is at version ${version}`, {
        hint: `Update reelform; this version supports queue version ${JOB_SCHEMA_VERSION}`,
      });
    }
    for (const queue of QUEUES) {
      await boss.createQueue(deadQueue(queue), { policy: 'standard' });
      await boss.updateQueue(deadQueue(queue), { ...OPTIONS, heartbeatSeconds: HEARTBEAT_SECONDS });
      // One live job per key; the key is the job's id.
      await boss.createQueue(queue, { policy: 'exclusive', deadLetter: deadQueue(queue), notify: true });
      await boss.updateQueue(queue, { ...OPTIONS, heartbeatSeconds: HEARTBEAT_SECONDS });
    }
  } finally {
    await boss.stop({ graceful: false });
  }
}

/** A claimed job. */
export interface TakenJob extends Pick<Seat, 'takeSlot'> {
  readonly priority: number;
  /**
   * Records that the job has made progress: if this attempt is interrupted, `RETRY_LIMIT` further ones follow, however
   * many there were before.
   */
  keepTrying(): void;
}

/** A waiting job. */
export interface WaitingJob {
  /** Id in pg-boss. */
  readonly id: string;
  readonly priority: number;
}

/** Runs the jobs of one queue. */
export interface JobHandler {
  /** Decides how many jobs this process runs at once, and for which owners. */
  readonly lane: Lane;
  /** Concurrent jobs of one group in all processes; no limit when absent. */
  readonly groupConcurrency?: number;
  /** Limits of single groups. */
  readonly groupConcurrencies?: ReadonlyMap<string, number>;
  /**
   * Runs a job; a rejection leads to another attempt. The signal is aborted when the job no longer belongs to this
   * worker or when the worker stops. In the latter case a rejection returns the job to the queue and does not count as
   * an attempt.
   */
  run(id: string, signal: AbortSignal, job: TakenJob): Promise<void>;
  /**
   * Returns a waiting job of the same owner that must start before a claimed job. Both exchange their priorities, so
   * that other owners are not affected.
   */
  preferred?(tx: Queryable, id: string): Promise<WaitingJob | null>;
  /** Called after five failed attempts, including those in which the process died. */
  onDead(id: string): Promise<void>;
}

/** Other processes handle the queues without a handler. */
export type JobHandlers = { readonly [queue in QueueName]?: JobHandler };

export interface JobOptions {
  /** Integer; higher values come first, equal ones in order of creation. Default 0. */
  readonly priority?: number;
  /** Earliest start in milliseconds from now. */
  readonly delayMs?: number;
  /** Group that shares a limit, @see JobHandler.groupConcurrency. */
  readonly group?: string;
  /** Tenant of the job, used by the lane; the group when absent. */
  readonly owner?: string;
}

/** Abort reason when the worker stops. */
export class WorkerStopping extends Error {
  constructor() {
    super('The worker is being stopped');
    this.name = 'WorkerStopping';
  }
}
