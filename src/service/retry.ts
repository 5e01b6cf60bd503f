/** What came of one request. */
export type Outcome =
  /** No whole answer: nobody listened, the connection was cut, or it took too long. */
  | { readonly kind: 'silence' }
  | {
      readonly kind: 'answer';
      readonly status: number;
      /** The header, as it came. */
      readonly retryAfter: string | null;
      /** Of the problem details. */
      readonly code: string | null;
    };

/**
 * Whether a request may be sent again: `safe` reads or is idempotent by its content; `watch` reads what is under way there,
 * which goes on whether anybody looks or not; `keyed` carries an Idempotency-Key that the service is known to keep; `once`
 * could be done twice.
 */
export type Repeatability = 'safe' | 'watch' | 'keyed' | 'once';

/** Requests beyond the first. */
const MAX_RETRIES = 4;
/** A service that is restarted is back within a minute, and its sessions with it. */
const MAX_WATCH_RETRIES = 9;
const FIRST_DELAY_MS = 500;
/** Unless the service asks for more. */
const MAX_BACKOFF_MS = 10_000;
const MAX_DELAY_MS = 30_000;

/** Answers after which the same request can have another one: too many requests, and what stands before a service. */
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/**
 * How long to wait before the same request is sent again; null when it is not.
 *
 * @param retries that there were before
 * @param nowMs since the epoch, for a Retry-After that is a date
 * @param jitter 0..1
 */
export function retryDelayMs(
  outcome: Outcome,
  repeatability: Repeatability,
  { retries, nowMs, jitter }: { readonly retries: number; readonly nowMs: number; readonly jitter: number },
): number | null {
  if (retries >= (repeatability === 'watch' ? MAX_WATCH_RETRIES : MAX_RETRIES) || repeatability === 'once') return null;
  if (!passes(outcome, repeatability)) return null;
  const backoffMs = Math.min(MAX_BACKOFF_MS, FIRST_DELAY_MS * 2 ** retries) * (0.5 + jitter / 2);
  const askedMs = outcome.kind === 'answer' ? retryAfterMs(outcome.retryAfter, nowMs) : null;
  return Math.min(MAX_DELAY_MS, Math.max(askedMs ?? 0, backoffMs));
}

function passes(outcome: Outcome, repeatability: Exclude<Repeatability, 'once'>): boolean {
  if (outcome.kind === 'silence' || PASSING.has(outcome.status)) return true;
  // The first request with the key is still at work: its answer will be this one's too.
  if (repeatability === 'keyed') return outcome.code === 'idempotency_in_progress';
  return outcome.status === 500;
}

/**
 * The header in milliseconds from now; null when there is none that can be read.
 *
 * @see RFC 9110, section 10.2.3
 */
export function retryAfterMs(header: string | null, nowMs: number): number | null {
  if (header === null) return null;
  const text = header.trim();
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const date = /^[A-Za-z]{3},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs);
}
