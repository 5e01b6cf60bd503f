import { type Plan, renders } from './plan.ts';

/** What applying a plan takes. */
export interface Estimate {
  readonly renders: number;
  /** Null when the length of one of them is not known. */
  readonly seconds_of_video: number | null;
  /** Absent where reelform.yaml has no prices, or nothing is rendered. */
  readonly cost?: Cost;
}

export interface Cost {
  /** Null when the length of a video is not known, and is paid for. */
  readonly amount: number | null;
  /** By ISO 4217. */
  readonly currency: string;
}

/** What applying the plan renders, and what that costs. Seconds are rounded to milliseconds, amounts to a millionth. */
export function estimatePlan(plan: Plan): Estimate {
  const rendered = plan.changes.filter(renders);
  let seconds: number | null = 0;
  for (const { desired } of rendered) {
    const duration = desired?.durationSeconds ?? null;
    seconds = seconds === null || duration === null ? null : seconds + duration;
  }
  const estimate = { renders: rendered.length, seconds_of_video: seconds && Math.round(seconds * 1000) / 1000 };
  if (plan.prices === undefined || rendered.length === 0) return estimate;
  const { currency, perRender, perSecond } = plan.prices;
  const amount = seconds === null && perSecond > 0 ? null : rendered.length * perRender + (seconds ?? 0) * perSecond;
  return { ...estimate, cost: { amount: amount && Math.round(amount * 1e6) / 1e6, currency } };
}
