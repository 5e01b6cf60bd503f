import { spreadMs } from '../../http/retry.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/**
 * Milliseconds before each try, counted from the one before: about three days in all.
 *
 * @see Standard Webhooks 1.0, "Deliverability and reliability"
 */
export const RETRY_DELAYS_MS: readonly number[] = [
  0,
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

/** So much earlier or later, as a share: what failed together is not tried again together. */
const JITTER = 0.1;
/** Whatever a receiver asks for. */
const LONGEST_MS = 24 * HOUR;

export interface FailedTry {
  /** The place in the schedule of the try that failed: 0 for the first. */
  readonly step: number;
  /** What the receiver asked for with 429 or 503: milliseconds from now. */
  readonly retryAfterMs: number | null;
}

/**
 * How long to wait after a try that failed. A receiver can ask for more, up to a day, and never for less.
 *
 * @param random 0..1
 * @returns whole milliseconds; null after the last try
 */
export function nextDelayMs({ step, retryAfterMs }: FailedTry, random: number): number | null {
  const planned = RETRY_DELAYS_MS[step + 1];
  if (planned === undefined) return null;
  const jittered = spreadMs(planned, JITTER, random);
  const asked = Math.min(retryAfterMs ?? 0, LONGEST_MS);
  return Math.round(Math.max(jittered, asked));
}
