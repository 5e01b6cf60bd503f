import { type Backoff, backoffMs } from '../backoff.ts';
import { type Repeatability, retryAfterMs } from '../http/retry.ts';
import { type HttpRequest, type ResponseHead, sendRequest } from '../http/send-request.ts';

/** `headers` include the token. */
export type ForgeRequest = Pick<HttpRequest, 'method' | 'url' | 'headers' | 'body' | 'idleMs'>;

export interface ForgeAnswer extends ResponseHead {
  readonly text: string;
}

/** Result of one request. `unanswered`: it may have been processed. */
export type Sent =
  | { readonly kind: 'answer'; readonly answer: ForgeAnswer }
  | { readonly kind: 'unsent' | 'unanswered'; readonly code: string }
  | { readonly kind: 'too_large' };

/** Maximum size of an unpacked answer: a hundred comments of 64 KiB take 7 MiB, or more with escapes. */
const MAX_ANSWER_BYTES = 48 << 20;

/** Sends one request without retries or redirects. */
export async function sendOnce(request: ForgeRequest): Promise<Sent> {
  const sent = await sendRequest({ idleMs: 30_000, totalMs: 60_000, ...request }, MAX_ANSWER_BYTES);
  if (sent.kind === 'answered') {
    const { status, headers, bytes } = sent;
    return { kind: 'answer', answer: { status, headers, text: bytes.toString() } };
  }
  if (sent.kind !== 'broken') return sent;
  return sent.code === 'too_large' ? { kind: 'too_large' } : { kind: 'unanswered', code: sent.code };
}

/** Maximum number of repeated requests. */
const MAX_RETRIES = 4;
/** Longest rate limit that is awaited: the time of a CI job costs more than a missing comment. */
const LONGEST_WAIT_MS = 75_000;
/** GitHub's advice for secondary rate limits without a stated duration. */
const SECONDARY_MS = 60_000;
const BACKOFF: Backoff = { firstMs: 1000, maxMs: 8000 };

/**
 * Returns the time before the same request is repeated, in milliseconds; null to stop.
 *
 * @param retries number of earlier repetitions
 * @param now milliseconds since the epoch
 * @param jitter 0..1
 */
export function retryWaitMs(
  sent: Sent,
  repeatability: Repeatability,
  { retries, now, jitter }: { readonly retries: number; readonly now: number; readonly jitter: number },
): number | null {
  if (retries >= MAX_RETRIES || sent.kind === 'too_large') return null;
  const backoff = backoffMs(retries, BACKOFF, jitter);
  // A silent server is asked only twice, because each request takes the whole timeout.
  if (isSilent(sent) && retries > 0) return null;
  if (sent.kind !== 'answer') return sent.kind === 'unsent' || repeatability === 'safe' ? backoff : null;
  const limit = limitMs(sent.answer, now);
  if (limit !== null) return limit > LONGEST_WAIT_MS ? null : Math.max(limit, backoff);
  return repeatability === 'safe' && isPassing(sent.answer.status) ? backoff : null;
}

function isSilent(sent: Sent): boolean {
  return sent.kind === 'unanswered' && sent.code === 'ETIMEDOUT';
}

/** Returns true for statuses that may be temporary. */
export function isPassing(status: number): boolean {
  return status >= 500 && status !== 501;
}

/**
 * Returns the remaining time of a rate limit in milliseconds; null when there is none.
 *
 * @see https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api#exceeding-the-rate-limit
 */
export function limitMs({ status, headers, text }: ForgeAnswer, now: number): number | null {
  const isSpent = headers['x-ratelimit-remaining'] === '0';
  const isSecondary = status === 403 && /secondary rate limit|abuse detection/i.test(text);
  const isLimited =
    status === 429 ||
    isSecondary ||
    (status === 403 && (isSpent || headers['retry-after'] !== undefined)) ||
    (status === 200 && isSpent && text.includes('"RATE_LIMITED"'));
  if (!isLimited) return null;
  const after = retryAfterMs(headers['retry-after'], now);
  if (after !== null) return after;
  // GitLab's name has no X.
  const reset = Number(headers['x-ratelimit-reset'] ?? headers['ratelimit-reset'] ?? Number.NaN);
  if ((isSpent || status === 429) && Number.isFinite(reset)) return Math.max(0, reset * 1000 - now);
  return SECONDARY_MS;
}
