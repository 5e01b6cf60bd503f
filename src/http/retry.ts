/**
 * Whether a request may be sent again: `safe` reads or is idempotent by its content; `keyed` carries an Idempotency-Key
 * that the service is known to keep; `once` could be done twice, and is repeated only when it certainly was not done.
 */
export type Repeatability = 'safe' | 'keyed' | 'once';

/** Milliseconds. */
export interface Backoff {
  readonly firstMs: number;
  readonly maxMs: number;
  /** How much longer each wait is than the one before; 2 when absent. */
  readonly factor?: number;
}

/**
 * Returns how long to wait before the next try: ever longer, and spread by chance over the upper half of that time, so
 * that clients that failed together do not come back together.
 *
 * @param tries that there were before this wait, counted from 0
 * @param jitter 0..1; 1 waits the whole time
 */
export function backoffMs(tries: number, { firstMs, maxMs, factor = 2 }: Backoff, jitter = 1): number {
  return Math.min(maxMs, firstMs * factor ** tries) * (0.5 + jitter / 2);
}

/**
 * Returns the time spread by chance around itself.
 *
 * @param share how much earlier or later, 0..1
 * @param random 0..1
 */
export function spreadMs(milliseconds: number, share: number, random: number): number {
  return milliseconds * (1 + share * (2 * random - 1));
}

/**
 * Parses a Retry-After: seconds, or a date.
 *
 * @returns milliseconds from now, not below 0; null when it is neither
 * @see RFC 9110, section 10.2.3
 */
export function retryAfterMs(header: string | null | undefined, nowMs: number): number | null {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const date = /^[A-Za-z]{3},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs);
}
