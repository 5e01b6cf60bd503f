import type { JobWithMetadata, PgBoss, WorkOptions } from 'pg-boss';
import type { JobHandler } from './job-handlers.ts';
import type { Seat } from './lane.ts';

export type Job = JobWithMetadata<{ id: string }>;

/** Poll and renew: for pg-boss itself. The doorbell and the lease are ours. */
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
function groupLimits({ groupPlaces = UNLIMITED, placesOfGroups, lane }: JobHandler): {
  readonly options: Pick<WorkOptions, 'groupConcurrency'>;
  arm(): void;
} {
  const own = Object.fromEntries(placesOfGroups ?? []);
  if (!lane.isLimited && groupPlaces === UNLIMITED && Object.keys(own).length === 0) {
    return { options: {}, arm: () => undefined };
  }
  let isArmed = false;
  const full = (): string[] => (isArmed ? lane.fullOwners() : []);
  const groupConcurrency = {
    default: groupPlaces,
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
