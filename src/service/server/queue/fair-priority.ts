import type { Queryable } from '../store/database.ts';
import type { QueueName } from './queues.ts';

/** Maximum absolute priority of pg-boss. */
const HIGHEST = 2 ** 31 - 1;

/** Pseudo tenant whose row holds the highest turn of a started job. */
const BEGUN = '';

/**
 * Assigns the tenant's next turn in a queue and returns it as a job priority; jobs with lower turns come first. The
 * turn follows the tenant's previous turn, but is never below the turn of the last started job. Busy tenants therefore
 * alternate, and an idle tenant neither falls behind nor saves up credit. Blocks further jobs of this tenant only,
 * until the transaction ends.
 *
 * @returns value for `JobOptions.priority`, below 0
 * @see "Start-time Fair Queuing", Goyal, Vin and Cheng, 1996: the start tag of jobs of length 1
 */
export async function nextPriority(tx: Queryable, queue: QueueName, tenant: string): Promise<number> {
  const [row] = await tx.query<{ turn: number }>(
    `insert into reelform.turns as mine (queue, tenant, turn)
      select $1, $2, greatest(1, (select turn from reelform.turns where queue = $1 and tenant = $3))
      on conflict (queue, tenant) do update set turn = least(greatest(mine.turn + 1, excluded.turn), $4)
      returning turn`,
    [queue, tenant, BEGUN, HIGHEST],
  );
  return -row!.turn;
}

/** Records that a job with this priority has started. */
export async function recordStart(database: Queryable, queue: QueueName, priority: number): Promise<void> {
  if (priority >= 0) return;
  await database.query(
    `insert into reelform.turns as begun (queue, tenant, turn) values ($1, $2, $3)
      on conflict (queue, tenant) do update set turn = excluded.turn where begun.turn < excluded.turn`,
    [queue, BEGUN, -priority],
  );
}
