/** How the waits between tries grow. */
export interface Backoff {
  readonly firstMs: number;
  readonly maxMs: number;
  /** Ratio of each wait to the wait before it; 2 when absent. */
  readonly factor?: number;
  /** Share of each wait that is random, 0..1; 0.5 when absent. */
  readonly randomShare?: number;
}

/**
 * Returns how long to wait before the next try, in milliseconds. The wait grows with each try and is partly random, so that
 * clients that failed together do not retry together.
 *
 * @param tries number of tries before this wait, counted from 0
 * @param jitter 0..1; 1 waits the whole time
 */
export function backoffMs(
  tries: number,
  { firstMs, maxMs, factor = 2, randomShare = 0.5 }: Backoff,
  jitter = 1,
): number {
  return Math.min(maxMs, firstMs * factor ** tries) * (1 - randomShare * (1 - jitter));
}

/**
 * Returns the time, made randomly shorter or longer.
 *
 * @param share the largest change, 0..1
 * @param random 0..1
 */
export function spreadMs(milliseconds: number, share: number, random: number): number {
  return milliseconds * (1 + share * (2 * random - 1));
}
