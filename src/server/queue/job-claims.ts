import type { JobWithMetadata, PgBoss, WorkOptions } from 'pg-boss';
import type { Queryable } from '../store/database.ts';
import type { Seat } from './lane.ts';
import { JOB_SCHEMA, type JobHandler } from './queues.ts';

export type Job = JobWithMetadata<{ id: string }>;

/** Poll and renew: for pg-boss itself. The poller and the lease are ours. */
const SELDOM_SECONDS = 86_400;
/** Where only some groups are limited. */
const UNLIMITED = 1_000_000;

export interface ClaimOptions {
  readonly boss: PgBoss;
  /** As pg-boss names it. */
  readonly queue: string;
  readonly handler: JobHandler;
  /** Does a claimed job; rejecting means another attempt. */
  run(job: Job, seat: Seat): Promise<void>;
}

/** A worker of pg-boss, which does one job at a time. */
interface Claimer {
  id: Promise<string>;
  /** It ends the job that it has, or is about to get, and asks for no other. */
  isDismissed: boolean;
}

/** Claims the jobs of one queue for this process. */
export interface JobClaims {
  /** There may be a job to claim. */
  wake(): void;
  /** Claims no other job. */
  stop(): void;
}

/**
 * Claims jobs while the lane has room. One claimer at most asks the database at a time: each claim is seen by the next, and
 * what other processes may not have does not wake all claimers of this one.
 */
export function claimJobs({ boss, queue, handler, run }: ClaimOptions): JobClaims {
  const { lane } = handler;
  let asking: Claimer | null = null;
  let isStopped = false;

  const dismiss = (claimer: Claimer): void => {
    claimer.isDismissed = true;
    void claimer.id.then((id) => boss.offWork(queue, { id, wait: false })).catch(() => undefined);
  };
  const adjust = (): void => {
    if (isStopped) return;
    if (!lane.mayClaim()) {
      if (asking !== null) dismiss(asking);
      asking = null;
    } else if (asking === null) {
      asking = start();
    } else {
      void asking.id.then((id) => boss.notifyWorker(id));
    }
  };
  const start = (): Claimer => {
    const limits = groupLimits(handler);
    const claimer: Claimer = { id: Promise.resolve(''), isDismissed: false };
    const work = async ([job]: Job[]): Promise<void> => {
      if (job === undefined) return;
      const seat = lane.begin(job.groupTier ?? '', job.priority);
      if (asking === claimer) asking = null;
      adjust();
      try {
        await run(job, seat);
      } finally {
        // It asks again as soon as the end of this job is written, which can free others of its group.
        if (!claimer.isDismissed) {
          if (asking !== null) dismiss(asking);
          asking = claimer;
        }
        seat.end();
      }
    };
    const options = {
      pollingIntervalSeconds: SELDOM_SECONDS,
      notifyPollingIntervalSeconds: SELDOM_SECONDS,
      heartbeatRefreshSeconds: SELDOM_SECONDS,
      includeMetadata: true as const,
      ...limits.options,
    };
    claimer.id = boss.work(queue, options, work);
    claimer.id.catch(() => undefined);
    limits.arm();
    return claimer;
  };
  lane.onChange = adjust;
  adjust();
  return {
    wake: adjust,
    stop() {
      isStopped = true;
    },
  };
}

/**
 * How many jobs of a group pg-boss claims, and that it claims none of owners who hold their share already; nothing where there
 * is no limit, which costs nothing. pg-boss reads the limits at each claim, but refuses to start with a limit of 0.
 */
function groupLimits({ groupConcurrency: limit = UNLIMITED, groupConcurrencies, lane }: JobHandler): {
  readonly options: Pick<WorkOptions, 'groupConcurrency'>;
  arm(): void;
} {
  const own = Object.fromEntries(groupConcurrencies ?? []);
  if (!lane.isLimited && limit === UNLIMITED && Object.keys(own).length === 0) {
    return { options: {}, arm: () => undefined };
  }
  let isArmed = false;
  const full = (): string[] => (isArmed ? lane.fullOwners() : []);
  const groupConcurrency = {
    default: limit,
    get tiers() {
      return { ...own, ...Object.fromEntries(full().map((owner) => [owner, 0])) };
    },
  };
  return {
    options: { groupConcurrency },
    arm() {
      isArmed = true;
    },
  };
}

interface JobPollerOptions {
  readonly database: Queryable;
  /** Names of queues, as pg-boss has them. */
  readonly queues: readonly string[];
  readonly everyMs: number;
  /** The queue has a job that could be done now. */
  notify(queue: string): void;
  onError(error: unknown): void;
}

/**
 * Looks now and then for jobs that nobody has announced: retries that are due, those of a process that died, and all of
 * them while no announcement can be heard. One statement for all queues, however many places wait at them.
 */
export function pollJobs({ database, queues, everyMs, notify, onError }: JobPollerOptions): { stop(): void } {
  let isAsking = false;
  const look = async (): Promise<void> => {
    isAsking = true;
    try {
      const due = await database.query<{ name: string }>(
        // In the order of the index by which jobs are taken: one look at it for each queue, however many jobs wait.
        `select queue.name from unnest($1::text[]) as queue (name), lateral (
            select from ${JOB_SCHEMA}.job
              where job.name = queue.name and state < 'active' and not blocked and start_after <= now()
              order by priority desc, created_on limit 1) as due`,
        [[...queues]],
      );
      for (const { name } of due) notify(name);
    } catch (error) {
      onError(error);
    } finally {
      isAsking = false;
    }
  };
  const timer = setInterval(() => {
    if (!isAsking) void look();
  }, everyMs);
  return { stop: () => clearInterval(timer) };
}

/** How many jobs of a group may be running at once, in all processes together; null where that is not limited. */
export function groupConcurrencyOf(
  group: string | null,
  { groupConcurrency, groupConcurrencies }: Pick<JobHandler, 'groupConcurrency' | 'groupConcurrencies'>,
): number | null {
  return group === null ? null : (groupConcurrencies?.get(group) ?? groupConcurrency ?? null);
}

/**
 * Whether a job that was claimed is one too many of its group. Two claims at the same moment do not see each other, so every
 * job counts those of its group once more, one after another, and the transaction in which it counts puts it back.
 */
export async function exceedsGroupConcurrency(
  tx: Queryable,
  queue: string,
  group: string,
  limit: number,
): Promise<boolean> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`reelform group ${queue} ${group}`]);
  // A statement of its own: it sees what was committed before the lock was free.
  const [row] = await tx.query<{ running: number }>(
    `select count(*) as running from ${JOB_SCHEMA}.job where name = $1 and group_id = $2 and state = 'active'`,
    [queue, group],
  );
  return row!.running > limit;
}
