import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FarmWorker } from './farm.ts';

/** A fault that starts once a given share of the sessions has ended. */
export interface Trouble {
  /** Share of the sessions that have ended, 0..1. */
  readonly at: number;
  begin(): Promise<void>;
}

export interface TroublePlan {
  readonly kills: number;
  /** Number of workers to kill right at the start. */
  readonly killsAtOnce: number;
  /** Number of running jobs whose worker is suspended. */
  readonly pausedJobs: number;
  /** Number of workers suspended at the same time. */
  readonly pausedWorkers: number;
  readonly others: readonly Trouble[];
  /** Longer than a lease plus the interval between two checks for expired leases. */
  readonly pauseMs: number;
}

/** Counts of the faults that were injected. */
export interface TroubleFigures {
  readonly kills: number;
  /** Jobs that were running in a worker when it was killed. */
  readonly killedJobs: number;
  readonly pausedJobs: number;
}

/**
 * Kills workers at random moments until all sessions have ended, suspends some past their lease, and injects the
 * planned troubles.
 */
export async function makeTrouble(
  workers: readonly FarmWorker[],
  plan: TroublePlan,
  share: () => number,
  signal: AbortSignal,
): Promise<TroubleFigures> {
  const busy = new Set<FarmWorker>();
  const figures = { kills: 0, killedJobs: 0, pausedJobs: 0 };
  const free = (): FarmWorker[] => workers.filter((worker) => !busy.has(worker));

  const kill = async (): Promise<void> => {
    for (let kill = 1; kill <= plan.kills; kill++) {
      await until(signal, () => share() >= (0.95 * (kill - plan.killsAtOnce)) / plan.kills && free().length > 0);
      await sleep(randomInt(0, 1_000));
      const victim = free()[randomInt(Math.max(1, free().length))];
      if (victim === undefined) {
        kill -= 1;
        continue;
      }
      busy.add(victim);
      figures.killedJobs += victim.atWork().length;
      figures.kills += 1;
      await victim.replace();
      busy.delete(victim);
    }
  };

  const pause = async (): Promise<void> => {
    while (figures.pausedJobs < plan.pausedJobs && share() < 0.95) {
      await until(signal, () => share() >= 0.95 || free().some((worker) => worker.atWork().length > 0));
      const sleeper = free().find((worker) => worker.atWork().length > 0);
      if (sleeper === undefined) continue;
      busy.add(sleeper);
      sleeper.pause();
      figures.pausedJobs += sleeper.atWork().length;
      await sleep(plan.pauseMs);
      sleeper.resume();
      busy.delete(sleeper);
      await sleep(randomInt(0, 1_000));
    }
  };

  const other = async ({ at, begin }: Trouble): Promise<void> => {
    await until(signal, () => share() >= at);
    await begin();
  };

  await Promise.all([kill(), ...Array.from({ length: plan.pausedWorkers }, pause), ...plan.others.map(other)]);
  return figures;
}

async function until(signal: AbortSignal, isSo: () => boolean): Promise<void> {
  while (!isSo()) await sleep(20, undefined, { signal });
}
