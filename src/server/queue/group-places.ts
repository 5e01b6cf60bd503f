import type { Queryable } from '../store/database.ts';
import type { JobHandler } from './job-handlers.ts';
import { JOB_SCHEMA } from './queues.ts';

/** How many jobs of a group may be running at once, in all processes together; null where that is not limited. */
export function groupLimit(
  group: string | null,
  { groupPlaces, placesOfGroups }: Pick<JobHandler, 'groupPlaces' | 'placesOfGroups'>,
): number | null {
  return group === null ? null : (placesOfGroups?.get(group) ?? groupPlaces ?? null);
}

/**
 * Whether a job that was claimed is one too many of its group. Two claims at the same moment do not see each other, so every
 * job counts those of its group once more, one after another, and the transaction in which it counts puts it back.
 */
export async function isBeyondGroup(tx: Queryable, queue: string, group: string, limit: number): Promise<boolean> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`reelform group ${queue} ${group}`]);
  // A statement of its own: it sees what was committed before the lock was free.
  const [row] = await tx.query<{ running: number }>(
    `select count(*) as running from ${JOB_SCHEMA}.job where name = $1 and group_id = $2 and state = 'active'`,
    [queue, group],
  );
  return row!.running > limit;
}
