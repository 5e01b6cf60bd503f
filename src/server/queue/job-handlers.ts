import type { Lane, Seat } from './lane.ts';
import type { QueueName } from './queues.ts';

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
  readonly groupPlaces?: number;
  /** The same for single groups. */
  readonly placesOfGroups?: ReadonlyMap<string, number>;
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
  /** Of jobs that are limited together: `JobHandler.groupPlaces`. */
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
