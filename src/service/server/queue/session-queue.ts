import { serviceError } from '../../../contract/service-error.ts';
import type { StoredSession } from '../../sessions/ports.ts';
import type { Settings } from '../settings/settings-table.ts';
import type { Queryable } from '../store/database.ts';
import type { Usage } from '../store/usage-table.ts';
import { nextPriority } from './fair-priority.ts';
import type { JobQueue } from './job-queue.ts';
import { JOB_SCHEMA, type QueueName, type WaitingJob } from './queues.ts';

/** Maximum age of the cached count of waiting renders. */
const FRESH_MS = 1_000;

/**
 * Returns a function that queues sessions, fairly among tenants. It runs in the transaction that creates or starts the
 * session, so that a rejection rolls it back.
 *
 * The function throws ServiceError 429 `queue_full` for the tenant's limit, 503 `service_full` for the total limit and 403
 * `budget_exceeded` for the tenant's seconds of video.
 */
export function sessionEnqueuer(
  queue: Pick<JobQueue, 'enqueue'>,
  limits: Pick<Settings, 'maxQueued' | 'tenantMaxQueued' | 'maxQueuedTotal'>,
  usage: Pick<Usage, 'requireBudget'>,
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
  return async (tx, stored) => {
    const { tenant, session } = stored;
    const name = session.output?.format === 'png' ? 'still' : 'render';
    if (limits.maxQueuedTotal !== null) await refuseTotal(tx, limits.maxQueuedTotal);
    // `nextPriority` blocks other jobs of the tenant until the transaction ends, so the count is exact.
    const priority = await nextPriority(tx, name, tenant);
    const most = limits.tenantMaxQueued.get(tenant) ?? limits.maxQueued;
    if (most !== null) await refuseTenant(tx, tenant, most);
    await usage.requireBudget(tx, stored);
    await queue.enqueue(tx, name, session.id, { priority, group: tenant });
    counted.waiting += 1;
  };
}

/**
 * Returns the waiting session that its tenant wants before a claimed session: of a higher priority, or created earlier with
 * the same priority. Null while all sessions of the tenant have the normal priority, because they are claimed in order.
 */
export async function preferredSession(tx: Queryable, queue: QueueName, id: string): Promise<WaitingJob | null> {
  const [row] = await tx.query<WaitingJob>(
    `select job.id, job.priority
      from reelform.sessions claimed
        join reelform.sessions session on session.tenant = claimed.tenant
        join ${JOB_SCHEMA}.job job on job.name = $2 and job.singleton_key = session.id
      where claimed.id = $1 and session.status = 'preview_rendering'
        and exists (select 1 from reelform.sessions other
          where other.tenant = claimed.tenant and other.status = 'preview_rendering' and other.priority <> 0)
        and job.state < 'active' and not job.blocked and job.start_after <= now()
        and (session.priority > claimed.priority or session.priority = claimed.priority
          and (session.created_at, session.id) < (claimed.created_at, claimed.id))
      order by session.priority desc, session.created_at, session.id
      limit 1
      for update of job skip locked`,
    [id, queue],
  );
  return row ?? null;
}
