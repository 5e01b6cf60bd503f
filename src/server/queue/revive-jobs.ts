import type { PgBoss } from 'pg-boss';
import type { Queryable } from '../store/database.ts';
import { deadQueue, JOB_SCHEMA, QUEUES } from './queues.ts';

/**
 * A dead letter inherits the number of its attempts, and a process can die over it as well. It is never given up:
 * whoever waits for the job would wait for ever.
 */
export async function reviveDead(boss: PgBoss, database: Queryable): Promise<void> {
  const given = await database.query<{ name: string; id: string }>(
    `select name, id from ${JOB_SCHEMA}.job where name = any($1::text[]) and state = 'failed'`,
    [QUEUES.map(deadQueue)],
  );
  for (const { name, id } of given) await boss.retry(name, id);
}

/** Jobs that a killed process was at, where there can be no other process. @returns how many */
export async function putBackStale(boss: PgBoss, database: Queryable): Promise<number> {
  const stale = await database.query<{ name: string; id: string }>(
    `select name, id from ${JOB_SCHEMA}.job where state = 'active'`,
  );
  for (const { name, id } of stale) {
    await boss.fail(name, id, { message: 'the process that was at it ended' });
    await boss.update(name, undefined, { id, startAfter: new Date() });
  }
  return stale.length;
}
