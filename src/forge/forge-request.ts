import { type Backoff, backoffMs } from '../backoff.ts';
import { type Repeatability, retryAfterMs } from '../http/retry.ts';
import { type HttpRequest, type ResponseHead, sendRequest } from '../http/send-request.ts';

/** `headers` with the token. */
export type ForgeRequest = Pick<HttpRequest, 'method' | 'url' | 'headers' | 'body' | 'idleMs'>;

export interface ForgeAnswer extends ResponseHead {
  readonly text: string;
}

/** What became of one request. `unanswered`: it may have been done. */
export type Sent =
  | { readonly kind: 'answer'; readonly answer: ForgeAnswer }
  | { readonly kind: 'unsent' | 'unanswered'; readonly code: string }
  | { readonly kind: 'too_large' };

/** No answer is larger, unpacked: a hundred comments of 64 KiB each are 7 MiB, and may be written in escapes. */
const MAX_ANSWER_BYTES = 48 << 20;

/** Sends one request, once, and follows no redirect. */
export async function sendOnce(request: ForgeRequest): Promise<Sent> {
  const sent = await sendRequest({ idleMs: 30_000, totalMs: 60_000, ...request }, MAX_ANSWER_BYTES);
  if (sent.kind === 'answered') {
    const { status, headers, bytes } = sent;
    return { kind: 'answer', answer: { status, headers, text: bytes.toString() } };
  }
  if (sent.kind !== 'broken') return sent;
  return sent.code === 'too_large' ? { kind: 'too_large' } : { kind: 'unanswered', code: sent.code };
}

/** Requests beyond the first. */
const MAX_RETRIES = 4;
/** A limit that ends later is not waited for: the job costs more than the comment is worth. */
const LONGEST_WAIT_MS = 75_000;
/** What is asked of those who met a secondary limit that does not say how long it lasts. */
const SECONDARY_MS = 60_000;
const BACKOFF: Backoff = { firstMs: 1000, maxMs: 8000 };

/**
 * Milliseconds until the same request is sent again; null when it is not.
 *
 * @param retries that there were before
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
  // One that stays silent is asked twice: each time takes as long as the time-out.
  if (isSilent(sent) && retries > 0) return null;
  if (sent.kind !== 'answer') return sent.kind === 'unsent' || repeatability === 'safe' ? backoff : null;
  const limit = limitMs(sent.answer, now);
  if (limit !== null) return limit > LONGEST_WAIT_MS ? null : Math.max(limit, backoff);
  return repeatability === 'safe' && isPassing(sent.answer.status) ? backoff : null;
}

function isSilent(sent: Sent): boolean {
  return sent.kind === 'unanswered' && sent.code === 'ETIMEDOUT';
}

/** Whether an answer says that the same request can have another one later. */
export function isPassing(status: number): boolean {
  return status >= 500 && status !== 501;
}

/**
 * How long a rate limit lasts from now on; null where none was met.
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
  // GitLab names it without the X.
  const reset = Number(headers['x-ratelimit-reset'] ?? headers['ratelimit-reset'] ?? Number.NaN);
  if ((isSpent || status === 429) && Number.isFinite(reset)) return Math.max(0, reset * 1000 - now);
  return SECONDARY_MS;
}
