import type { Queryable } from '../store/database.ts';
import type { QueueName } from './queues.ts';

/** What pg-boss can have as a priority, with either sign. */
const HIGHEST = 2 ** 31 - 1;

/** Stands for all tenants: the highest turn of a job that was begun. */
const BEGUN = '';

/**
 * The turn of a tenant's next job, and its priority: of two jobs the one with the lower turn comes first. A turn is one
 * after the tenant's last, and none that has passed. So tenants that have much to do take turns; one that had nothing to
 * do for a while is not behind them, and has saved nothing up. Holds up the tenant's next job, and nobody else's, until
 * the transaction ends.
 *
 * @returns for `JobOptions.priority`, below 0
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

/** Remembers that the job's turn has come. */
export async function recordStart(database: Queryable, queue: QueueName, priority: number): Promise<void> {
  if (priority >= 0) return;
  await database.query(
    `insert into reelform.turns as begun (queue, tenant, turn) values ($1, $2, $3)
      on conflict (queue, tenant) do update set turn = excluded.turn where begun.turn < excluded.turn`,
    [queue, BEGUN, -priority],
  );
}
