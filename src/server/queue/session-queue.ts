import { serviceError } from '../../service/service-error.ts';
import type { StoredSession } from '../../session/ports.ts';
import type { Settings } from '../settings/settings-table.ts';
import type { Queryable } from '../store/database.ts';
import { nextPriority } from './fair-priority.ts';
import type { JobQueue } from './job-queue.ts';
import { JOB_SCHEMA } from './queues.ts';

/** Maximum age of the cached count of waiting renders. */
const FRESH_MS = 1_000;

/**
 * Returns a function that queues sessions, fairly among tenants. It runs in the transaction that creates or starts the
 * session, so that a rejection rolls it back.
 *
 * The function throws ServiceError 429 `queue_full` for the tenant's limit, 503 `service_full` for the total limit.
 */
export function sessionEnqueuer(
  queue: Pick<JobQueue, 'enqueue'>,
  limits: Pick<Settings, 'maxQueued' | 'tenantMaxQueued' | 'maxQueuedTotal'>,
): (tx: Queryable, stored: StoredSession) => Promise<void> {
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
      throw serviceError('service_full', `The service already has ${limit} waiting renders, its maximum`);
    }
  };
  const refuseTenant = async (tx: Queryable, tenant: string, limit: number): Promise<void> => {
    const [row] = await tx.query<{ count: number }>(
      `select count(*) as count from (select 1 from reelform.sessions
          where tenant = $1 and status = 'preview_rendering' limit $2) as mine`,
      [tenant, limit + 1],
    );
    if (row!.count > limit) {
      throw serviceError('queue_full', `The tenant already has ${limit} waiting or running sessions, its maximum`);
    }
  };
  return async (tx, { tenant, session }) => {
    const name = session.output?.format === 'png' ? 'still' : 'render';
    if (limits.maxQueuedTotal !== null) await refuseTotal(tx, limits.maxQueuedTotal);
    // `nextPriority` blocks other jobs of the tenant until the transaction ends, so the count is exact.
    const priority = await nextPriority(tx, name, tenant);
    const most = limits.tenantMaxQueued.get(tenant) ?? limits.maxQueued;
    if (most !== null) await refuseTenant(tx, tenant, most);
    await queue.enqueue(tx, name, session.id, { priority, group: tenant });
    counted.waiting += 1;
  };
}
