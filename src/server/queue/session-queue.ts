import { serviceError } from '../../service/service-error.ts';
import type { StoredSession } from '../../session/ports.ts';
import type { Queryable } from '../store/database.ts';
import { nextPriority } from './fair-priority.ts';
import type { JobQueue } from './job-queue.ts';
import { JOB_SCHEMA } from './queues.ts';

/** How long the count of all that wait is believed. */
const FRESH_MS = 1_000;

/** How much may wait. Null: no limit. */
export interface QueueLimits {
  /** Sessions of one tenant that wait or are at work. */
  readonly maxQueued: number | null;
  /** The same for single tenants. */
  readonly tenantMaxQueued: ReadonlyMap<string, number>;
  /** Renders of all tenants that wait; about so many. */
  readonly maxQueuedTotal: number | null;
}

export interface SessionQueueOptions {
  readonly queue: Pick<JobQueue, 'enqueue'>;
  readonly limits: QueueLimits;
}

/** Puts sessions into the queue, each tenant's in turn. */
export interface SessionQueue {
  /**
   * In the transaction that makes the session, or starts it: what is refused has not been there.
   *
   * @throws ServiceError 429 `queue_full` when the tenant has too many, 503 `service_full` when all have
   */
  enqueue(tx: Queryable, stored: StoredSession): Promise<void>;
}

/** @see SessionQueue */
export function createSessionQueue({ queue, limits }: SessionQueueOptions): SessionQueue {
  let counted = { at: Number.NEGATIVE_INFINITY, waiting: 0 };

  const refuseTotal = async (tx: Queryable, limit: number): Promise<void> => {
    if (performance.now() - counted.at > FRESH_MS) {
      const [row] = await tx.query<{ waiting: number }>(
        `select count(*) as waiting from ${JOB_SCHEMA}.job
          where name in ('render', 'still') and state < 'active' and policy = 'exclusive'`,
      );
      counted = { at: performance.now(), waiting: row!.waiting };
    }
    if (counted.waiting >= limit) {
      throw serviceError('service_full', `The service has ${limit} renders waiting, and takes no more for now`);
    }
  };
  const refuseTenant = async (tx: Queryable, tenant: string, limit: number): Promise<void> => {
    const [row] = await tx.query<{ count: number }>(
      `select count(*) as count from (select 1 from reelform.sessions
          where tenant = $1 and status = 'preview_rendering' limit $2) as mine`,
      [tenant, limit + 1],
    );
    if (row!.count > limit) {
      throw serviceError(
        'queue_full',
        `The tenant has ${limit} sessions that wait or are at work, and may have no more`,
      );
    }
  };
  return {
    async enqueue(tx, { tenant, session }) {
      const name = session.output?.format === 'png' ? 'still' : 'render';
      if (limits.maxQueuedTotal !== null) await refuseTotal(tx, limits.maxQueuedTotal);
      // Others of the tenant wait from here on, so the count is as it will be.
      const priority = await nextPriority(tx, name, tenant);
      const most = limits.tenantMaxQueued.get(tenant) ?? limits.maxQueued;
      if (most !== null) await refuseTenant(tx, tenant, most);
      await queue.enqueue(tx, name, session.id, { priority, group: tenant });
      counted.waiting += 1;
    },
  };
}
