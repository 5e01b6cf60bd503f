import type { JobWithMetadata, PgBoss, WorkOptions } from 'pg-boss';
import type { Queryable } from '../store/database.ts';
import type { Seat } from './lane.ts';
import { JOB_SCHEMA, type JobHandler } from './queues.ts';

export type Job = JobWithMetadata<{ id: string }>;

/** Disables the polling and heartbeats of pg-boss, which the poller and the lease replace. */
const SELDOM_SECONDS = 86_400;
/** Default when only some groups are limited. */
const UNLIMITED = 1_000_000;

interface ClaimOptions {
  readonly boss: PgBoss;
  /** Queue name in pg-boss. */
  readonly queue: string;
  readonly handler: JobHandler;
  /** Runs a claimed job; a rejection leads to another attempt. */
  run(job: Job, seat: Seat): Promise<void>;
}

/** A pg-boss worker, which runs one job at a time. */
interface Claimer {
  id: Promise<string>;
  /** A dismissed worker finishes its current or next job and then stops. */
  isDismissed: boolean;
}

export type JobClaims = ReturnType<typeof claimJobs>;

/**
 * Claims the jobs of one queue for this process while the lane has room. At most one worker of this process queries the
 * database at a time, so that each claim takes the previous claims into account, and a job of another process does not wake
 * all workers.
 */
export function claimJobs({ boss, queue, handler, run }: ClaimOptions) {
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
        // This worker queries again as soon as the end of this job is recorded, because that may unblock jobs of its
        // group.
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
    /** Checks whether a job can be claimed. */
    wake: adjust,
    stop(): void {
      isStopped = true;
    },
  };
}

/**
 * Builds the group limits for pg-boss, which excludes owners that already hold their share. Returns no limits if there
 * are none, which is faster. pg-boss reads the limits at each claim, but refuses to start with a limit of 0.
 */
function groupLimits({ groupConcurrency: limit = UNLIMITED, groupConcurrencies, lane }: JobHandler): {
  readonly options: Pick<WorkOptions, 'groupConcurrency'>;
  arm(): void;
} {
  const ownerLimits = Object.fromEntries(groupConcurrencies ?? []);
  if (!lane.isLimited && limit === UNLIMITED && Object.keys(ownerLimits).length === 0) {
    return { options: {}, arm: () => undefined };
  }
  let isArmed = false;
  const full = (): string[] => (isArmed ? lane.fullOwners() : []);
  const groupConcurrency = {
    default: limit,
    get tiers() {
      return { ...ownerLimits, ...Object.fromEntries(full().map((owner) => [owner, 0])) };
    },
  };
  return {
    options: { groupConcurrency },
    arm() {
      isArmed = true;
    },
  };
}

/** Returns how many jobs of a group may run at once in all processes, or null without a limit. */
export function groupConcurrencyOf(
  group: string | null,
  { groupConcurrency, groupConcurrencies }: Pick<JobHandler, 'groupConcurrency' | 'groupConcurrencies'>,
): number | null {
  return group === null ? null : (groupConcurrencies?.get(group) ?? groupConcurrency ?? null);
}

/**
 * Checks whether a claimed job exceeds the limit of its group. Concurrent claims do not see each other, so each job
 * counts the running jobs of its group again under a lock, and returns itself to the queue in the same transaction.
 */
export async function exceedsGroupConcurrency(
  tx: Queryable,
  queue: string,
  group: string,
  limit: number,
): Promise<boolean> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`reelform group ${queue} ${group}`]);
  // A separate statement sees everything that was committed before the lock was acquired.
  const [row] = await tx.query<{ running: number }>(
    `select count(*) as running from ${JOB_SCHEMA}.job where name = $1 and group_id = $2 and state = 'active'`,
    [queue, group],
  );
  return row!.running > limit;
}

/** Abort reason when the job belongs to another worker, or may do so. */
export class LeaseLost extends Error {
  constructor() {
    super('The job no longer belongs to this worker');
    this.name = 'LeaseLost';
  }
}

interface LeaseOptions {
  /** Renews the lease. @returns false when the job no longer belongs to this worker */
  renew(): Promise<boolean>;
  readonly everyMs: number;
  /** Time after the start of a renewal during which no other worker can take the job. */
  readonly lifetimeMs: number;
  /** Called at most once. */
  onLost(reason: LeaseLost): void;
}

/**
 * Renews the lease of a job until it is released. If the database cannot be reached, the lease counts as lost on
 * expiry, because another worker may hold it. A process that was suspended for longer first tries a renewal.
 */
export function keepLease({ renew, everyMs, lifetimeMs, onLost }: LeaseOptions): { release(): void } {
  let renewedAt = performance.now();
  let isAsking = false;
  let hasFailed = false;
  const lose = (): void => {
    clearInterval(timer);
    onLost(new LeaseLost());
  };
  const ask = async (): Promise<void> => {
    const askedAt = performance.now();
    isAsking = true;
    try {
      if (await renew()) renewedAt = askedAt;
      else lose();
      hasFailed = false;
    } catch {
      hasFailed = true;
    } finally {
      isAsking = false;
    }
  };
  const timer = setInterval(() => {
    // Processes pending I/O first, so that a received response is not mistaken for a missing response.
    setImmediate(() => {
      if ((isAsking || hasFailed) && performance.now() - renewedAt > lifetimeMs) lose();
      else if (!isAsking) void ask();
    });
  }, everyMs);
  return { release: () => clearInterval(timer) };
}
