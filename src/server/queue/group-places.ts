import type { WorkOptions } from 'pg-boss';
import type { Queryable } from '../store/database.ts';
import { JOB_SCHEMA } from './install-jobs.ts';
import type { JobHandler } from './job-handlers.ts';

/** Where single groups alone are limited. */
const UNLIMITED = 1_000_000;

type Limits = Pick<JobHandler, 'groupPlaces' | 'placesOfGroups'>;

/** How many jobs of a group pg-boss takes at once; nothing where there is no limit, which costs nothing. */
export function placesOfGroups({ groupPlaces, placesOfGroups: own }: Limits): Pick<WorkOptions, 'groupConcurrency'> {
  if (groupPlaces === undefined && (own === undefined || own.size === 0)) return {};
  if (own === undefined || own.size === 0) return { groupConcurrency: groupPlaces! };
  return { groupConcurrency: { default: groupPlaces ?? UNLIMITED, tiers: Object.fromEntries(own) } };
}

/**
 * Whether a job that was taken is one too many of its group: workers that take at the same moment do not see each other's
 * jobs. All of them look once more, and those that came last give theirs back.
 */
export async function isBeyondGroup(
  database: Queryable,
  queue: string,
  job: { readonly id: string; readonly groupId?: string | null },
  { groupPlaces = UNLIMITED, placesOfGroups: own }: Limits,
): Promise<boolean> {
  const group = job.groupId ?? null;
  const limit = group === null ? UNLIMITED : (own?.get(group) ?? groupPlaces);
  if (limit === UNLIMITED) return false;
  const [row] = await database.query<{ before: number }>(
    `select count(*) as before from ${JOB_SCHEMA}.job as mine join ${JOB_SCHEMA}.job as other
        on other.name = mine.name and other.group_id = mine.group_id and other.state = 'active'
          and (other.started_on, other.id) < (mine.started_on, mine.id)
      where mine.name = $1 and mine.id = $2::uuid`,
    [queue, job.id],
  );
  return row!.before >= limit;
}
