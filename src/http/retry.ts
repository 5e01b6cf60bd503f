/**
 * Whether a request may be sent again: `safe` reads or is idempotent by its content; `keyed` carries an Idempotency-Key
 * that the service is known to keep; `once` could be done twice, and is repeated only when it certainly was not done.
 */
export type Repeatability = 'safe' | 'keyed' | 'once';

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
