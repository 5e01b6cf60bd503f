import { type Change, type Plan, rendersNew } from './plan.ts';

/** What applying a plan takes. */
export interface Estimate {
  /** Videos that are created or updated. Restored ones are counted in `restores` alone. */
  readonly renders: number;
  /** Null when the length of one of them is not known. */
  readonly seconds_of_video: number | null;
  /** Absent where reelform.yaml has no prices, or nothing is rendered. */
  readonly cost?: Cost;
  /** Local files to render again on this machine, which no service is paid for; absent where that is none. */
  readonly restores?: Restores;
}

export interface Restores {
  readonly videos: number;
  /** Null when the length of one of them is not known. */
  readonly seconds_of_video: number | null;
}

export interface Cost {
  /** Null when the length of a video is not known, and is paid for. */
  readonly amount: number | null;
  /** By ISO 4217. */
  readonly currency: string;
}

/** What applying the plan renders, and what that costs. Seconds are rounded to milliseconds, amounts to a millionth. */
export function estimatePlan(plan: Plan): Estimate {
  const rendered = plan.changes.filter(rendersNew);
  const restored = plan.changes.filter(({ action }) => action === 'restore');
  const seconds = secondsOf(rendered);
  const estimate = {
    renders: rendered.length,
    seconds_of_video: round(seconds),
    ...(restored.length > 0 && {
      restores: { videos: restored.length, seconds_of_video: round(secondsOf(restored)) },
    }),
  };
  if (plan.prices === undefined || rendered.length === 0) return estimate;
  const { currency, perRender, perSecond } = plan.prices;
  const amount = seconds === null && perSecond > 0 ? null : rendered.length * perRender + (seconds ?? 0) * perSecond;
  return { ...estimate, cost: { amount: amount && Math.round(amount * 1e6) / 1e6, currency } };
}

function secondsOf(changes: readonly Change[]): number | null {
  return changes.reduce<number | null>((sum, { desired }) => {
    const duration = desired?.durationSeconds ?? null;
    return sum === null || duration === null ? null : sum + duration;
  }, 0);
}

function round(seconds: number | null): number | null {
  return seconds && Math.round(seconds * 1000) / 1000;
}
