import { JOB_SCHEMA } from '../../src/server/queue/queues.ts';
import type { Database } from '../../src/server/store/database.ts';

/** Live workers say so every 3 s. */
const LEASE = `interval '5 seconds'`;

/**
 * Lets time pass faster for jobs that nobody is at any more: what has not been heard of for 5 s counts as lapsed, and what
 * is to be tried again need not wait. For proofs that run in seconds.
 */
export function shortenLeases(database: Database): { stop(): Promise<void> } {
  let isOver = false;
  const shorten = async (): Promise<void> => {
    while (!isOver) {
      await database.query(
        `update ${JOB_SCHEMA}.job set heartbeat_on = now() - interval '1 hour'
          where state = 'active' and heartbeat_on between now() - interval '1 minute' and now() - ${LEASE}`,
      );
      await database.query(
        `update ${JOB_SCHEMA}.job set start_after = now() where state = 'retry' and start_after > now()`,
      );
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  };
  const over = shorten();
  return {
    async stop() {
      isOver = true;
      await over;
    },
  };
}
