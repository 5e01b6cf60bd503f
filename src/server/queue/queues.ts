import { PgBoss, type QueueOptions } from 'pg-boss';
import { ReelformError } from '../../diagnostic.ts';
import type { Database } from '../store/database.ts';
import { errorMessage, type Log } from '../telemetry/log.ts';
import type { Lane, Seat } from './lane.ts';

/** The schema in which pg-boss keeps jobs, and its version in the pg-boss that we have. */
export const JOB_SCHEMA = 'reelform_jobs';
export const JOB_SCHEMA_VERSION = 43;

/**
 * What there is to be done: videos and parts of videos; single pictures, which do not wait behind videos; the still cuts of
 * templates; deliveries of finished files; notices to webhook endpoints.
 */
export const QUEUES = ['render', 'still', 'stillcuts', 'delivery', 'webhook'] as const;

export type QueueName = (typeof QUEUES)[number];

/** Where a job goes that was tried five times. */
export function deadQueue(queue: QueueName): string {
  return `${queue}_dead`;
}

/** How long a killed process may go unnoticed by others that share its database; pg-boss allows no less than 10. */
export const HEARTBEAT_SECONDS = 15;

const DAY_SECONDS = 86_400;

/**
 * A failed attempt is followed by another after 5–10 s, then 10–20 s, and so on. That a process dies may have nothing to do with
 * what it was at, least of all where machines come and go: hence five.
 */
const OPTIONS = {
  retryLimit: 4,
  retryDelay: 5,
  retryBackoff: true,
  // A queued render waits as long as it takes.
  retentionSeconds: 365 * DAY_SECONDS,
  deleteAfterSeconds: DAY_SECONDS,
} satisfies QueueOptions;

/**
 * Makes pg-boss's tables or brings them up to date, and makes our queues.
 *
 * @throws ReelformError `database_newer`
 */
export async function installJobs(database: Database, log: Log): Promise<void> {
  const boss = new PgBoss({
    ...database.jobs,
    // A step may rewrite a table.
    ...(database.kind === 'postgres' ? { query_timeout: 0 } : {}),
    schema: JOB_SCHEMA,
    supervise: false,
    schedule: false,
    warningQueueSize: 100_000,
  });
  boss.on('error', (error) => log.warn({ error: errorMessage(error) }, 'the job queue had an error'));
  try {
    await boss.start();
    const version = await boss.schemaVersion();
    if (version !== null && version > JOB_SCHEMA_VERSION) {
      throw new ReelformError('database_newer', `The job queue of the database is at version ${version}`, {
        hint: `Update reelform; this one knows version ${JOB_SCHEMA_VERSION}`,
      });
    }
    for (const queue of QUEUES) {
      await boss.createQueue(deadQueue(queue), { policy: 'standard' });
      await boss.updateQueue(deadQueue(queue), { ...OPTIONS, heartbeatSeconds: HEARTBEAT_SECONDS });
      // One live job per key, and the key is what the job is for.
      await boss.createQueue(queue, { policy: 'exclusive', deadLetter: deadQueue(queue), notify: true });
      await boss.updateQueue(queue, { ...OPTIONS, heartbeatSeconds: HEARTBEAT_SECONDS });
    }
  } finally {
    await boss.stop({ graceful: false });
  }
}

export interface QueueDepth {
  /** Waiting, for their first or a further attempt. */
  readonly queued: number;
  readonly active: number;
  /** Given up after five attempts, of the last day. */
  readonly dead: number;
}

/** A job that was taken. */
export interface TakenJob extends Pick<Seat, 'takeSlot'> {
  /** As it was enqueued with. */
  readonly priority: number;
}

/** Does the jobs of one queue. */
export interface JobHandler {
  /** Decides how many jobs this process does at once, and whose. */
  readonly lane: Lane;
  /** Jobs of one group at once, in all processes together; as many as there are places when absent. */
  readonly groupConcurrency?: number;
  /** The same for single groups. */
  readonly groupConcurrencies?: ReadonlyMap<string, number>;
  /**
   * Rejecting means another attempt. The signal is aborted when the job is no longer this worker's, and when the worker
   * is stopped: a rejection then puts the job back, and is not counted.
   */
  run(id: string, signal: AbortSignal, job: TakenJob): Promise<void>;
  /** Five attempts came to nothing, be it that the process died each time. */
  onDead(id: string): Promise<void>;
}

/** Queues without a handler are left to other processes. */
export type JobHandlers = { readonly [queue in QueueName]?: JobHandler };

export interface JobOptions {
  /** Whole; the highest is taken first, of equals the oldest. 0 unless told. */
  readonly priority?: number;
  /** Not before so many milliseconds have passed. */
  readonly delayMs?: number;
  /** Of jobs that are limited together: `JobHandler.groupConcurrency`. */
  readonly group?: string;
  /** The tenant that the job is for, which the lane goes by; the group when absent. */
  readonly owner?: string;
}

/** The reason of a signal that was aborted because the worker stops. */
export class WorkerStopping extends Error {
  constructor() {
    super('The worker is being stopped');
    this.name = 'WorkerStopping';
  }
}
