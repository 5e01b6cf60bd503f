import { JOB_SCHEMA } from '../../src/service/server/queue/queues.ts';
import type { Database } from '../../src/service/server/store/database.ts';

/** Live workers renew every 3 s. */
const LEASE = `interval '5 seconds'`;

/**
 * Shortens leases for proofs that run in seconds: a job without a heartbeat for 5 s counts as expired, and retries need
 * not wait.
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
