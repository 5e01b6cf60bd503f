import { isFullQueueError, ServiceError } from '../../contract/service-error.ts';
import type { RenderSession } from '../../contract/wire/render-session.ts';
import type { Exchange } from './exchange.ts';
import { bareSession, isLine, readCreated, refusalOf } from './read-answer.ts';

/**
 * Known effect of a POST of a session.
 * - created: the service has the session, even if the rest of the answer is unreadable
 * - not_created: this request certainly created none
 * - unknown: a session may exist
 */
export type PostOutcome =
  | { readonly kind: 'created'; readonly session: RenderSession }
  | { readonly kind: 'not_created'; readonly error: Error }
  | { readonly kind: 'unknown'; readonly error: Error };

/**
 * Interprets the outcome of `POST /v2/render_sessions`. When in doubt a session may exist, because repeating the
 * request could pay twice. See "When a request is repeated" in `docs/reference/files.md`.
 *
 * @param name of the request, for messages
 * @param nowMs for the times of a session of which only the id is known
 */
export function postOutcome(name: string, exchange: Exchange, nowMs: number): PostOutcome {
  if (exchange.kind === 'unsent') return { kind: 'not_created', error: exchange.error };
  if (exchange.kind === 'unanswered') return { kind: 'unknown', error: exchange.error };
  const { status, header } = exchange.kind === 'answer' ? exchange.answer : exchange.head;
  if (status < 400) {
    const { session, error } = sessionIn(name, exchange, nowMs);
    if (session !== null) return { kind: 'created', session };
    // Servers answer a POST with any redirect to the session that it created.
    const id = idIn(header('location'));
    if (id !== null) return { kind: 'created', session: bareSession(id, nowMs) };
    return { kind: status < 300 || status === 303 ? 'unknown' : 'not_created', error };
  }
  const error = exchange.kind === 'answer' ? refusalOf(name, exchange.answer) : exchange.error;
  if (status >= 500 && !isFullQueueError(error)) return { kind: 'unknown', error };
  return { kind: UNCLEAR.has(status) || isConflict(status, error) ? 'unknown' : 'not_created', error };
}

/**
 * Statuses that servers and proxies also send about a request that another server has received: 408 and 499 after a
 * time-out, 425 for a request that may have been replayed.
 */
const UNCLEAR: ReadonlySet<number> = new Set([408, 425, 499]);

/** An earlier request with the key may still be running. Without a code, a 409 can mean that too. */
function isConflict(status: number, error: Error): boolean {
  if (status !== 409) return false;
  return !(error instanceof ServiceError) || ['idempotency_in_progress', 'http_409'].includes(error.code);
}

function sessionIn(
  name: string,
  exchange: Extract<Exchange, { kind: 'answer' | 'broken' }>,
  nowMs: number,
): { readonly session: RenderSession; readonly error: null } | { readonly session: null; readonly error: Error } {
  if (exchange.kind === 'broken') return { session: null, error: exchange.error };
  if (exchange.answer.status >= 300) return { session: null, error: refusalOf(name, exchange.answer) };
  try {
    return { session: readCreated(name, exchange.answer.text, nowMs), error: null };
  } catch (error) {
    return { session: null, error: error as Error };
  }
}

/** @returns the id in a Location; its host is ignored */
function idIn(location: string | null): string | null {
  const id = /(?:^|\/)v2\/render_sessions\/([^/?#\s]{1,600})\/?(?:[?#].*)?$/s.exec(location ?? '')?.[1];
  if (id === undefined) return null;
  try {
    const decoded = decodeURIComponent(id);
    return isLine(decoded, 200) ? decoded : null;
  } catch {
    return null;
  }
}

/** Returns when the service answered, by its clock, in milliseconds since the epoch. Null if the answer has no `Date`. */
export function answeredAtMs(exchange: Exchange): number | null {
  if (exchange.kind === 'unsent' || exchange.kind === 'unanswered') return null;
  const { header } = exchange.kind === 'answer' ? exchange.answer : exchange.head;
  const dateMs = Date.parse(header('date') ?? '');
  return Number.isNaN(dateMs) ? null : dateMs;
}

/** Upper limit of a reported key lifetime, longer than any wait for an answer. */
const MAX_LIFETIME_MS = 30 * 24 * 3_600_000;

/**
 * Returns how long a service keeps an idempotency key according to a 201, or null if it does not say.
 *
 * @param key that was sent
 * @param header of the answer, by lower-case name
 * @param nowMs since the epoch, for an answer without `Date`
 */
export function keyLifetimeMs(key: string, header: (name: string) => string | null, nowMs: number): number | null {
  const echo = header('idempotency-key');
  if (echo !== null && echo.replace(/^"(.*)"$/, '$1') !== key) return null;
  const expires = Date.parse(header('idempotency-key-expires') ?? '');
  if (Number.isNaN(expires)) return null;
  // Uses the service's clock, which may differ from ours by hours.
  const date = Date.parse(header('date') ?? '');
  const lifetimeMs = expires - (Number.isNaN(date) ? nowMs : date);
  return lifetimeMs > 0 ? Math.min(lifetimeMs, MAX_LIFETIME_MS) : null;
}
