import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FarmWorker } from './farm.ts';

/** Trouble that begins when so much of the work is done. */
export interface Trouble {
  /** 0..1 of the sessions that have ended. */
  readonly at: number;
  begin(): Promise<void>;
}

export interface TroublePlan {
  readonly kills: number;
  /** How many of them come right at the beginning. */
  readonly killsAtOnce: number;
  /** Jobs that are at work when their worker is stopped. */
  readonly pausedJobs: number;
  /** Workers at once. */
  readonly pausedWorkers: number;
  readonly others: readonly Trouble[];
  /** Longer than a lease, and the time between two looks for lapsed ones. */
  readonly pauseMs: number;
}

/** What there was. */
export interface TroubleFigures {
  readonly kills: number;
  /** Jobs that were at work in a worker when it was killed. */
  readonly killedJobs: number;
  readonly pausedJobs: number;
}

/** Kills workers, at random moments until everything is done, stops some past their lease, and what else is planned. */
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
