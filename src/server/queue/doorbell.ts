import type { Queryable } from '../store/database.ts';
import { JOB_SCHEMA } from './queues.ts';

export interface DoorbellOptions {
  readonly database: Queryable;
  /** Names of queues, as pg-boss has them. */
  readonly queues: readonly string[];
  readonly everyMs: number;
  /** The queue has a job that could be done now. */
  ring(queue: string): void;
  onError(error: unknown): void;
}

/**
 * Looks now and then for jobs that nobody has announced: retries that are due, those of a process that died, and all of
 * them while no announcement can be heard. One statement for all queues, however many places wait at them.
 */
export function startDoorbell({ database, queues, everyMs, ring, onError }: DoorbellOptions): { stop(): void } {
  let isAsking = false;
  const look = async (): Promise<void> => {
    isAsking = true;
    try {
      const due = await database.query<{ name: string }>(
        // In the order of the index by which jobs are taken: one look at it for each queue, however many jobs wait.
        `select queue.name from unnest($1::text[]) as queue (name), lateral (
            select from ${JOB_SCHEMA}.job
              where job.name = queue.name and state < 'active' and not blocked and start_after <= now()
              order by priority desc, created_on limit 1) as due`,
        [[...queues]],
      );
      for (const { name } of due) ring(name);
    } catch (error) {
      onError(error);
    } finally {
      isAsking = false;
    }
  };
  const timer = setInterval(() => {
    if (!isAsking) void look();
  }, everyMs);
  return { stop: () => clearInterval(timer) };
}
