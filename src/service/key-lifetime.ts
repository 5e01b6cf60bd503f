/** For how long a service may be told that it keeps idempotency keys: longer than anybody waits for an answer. */
const MAX_LIFETIME_MS = 30 * 24 * 3_600_000;

/**
 * For how long a service keeps an idempotency key, by what it says in a 201; null: it does not say that it keeps any.
 *
 * @param key that was sent
 * @param header of the answer, by its lower-case name
 * @param nowMs since the epoch, for an answer without `Date`
 */
export function keyLifetimeMs(key: string, header: (name: string) => string | null, nowMs: number): number | null {
  const echo = header('idempotency-key');
  if (echo !== null && echo.replace(/^"(.*)"$/, '$1') !== key) return null;
  const expires = Date.parse(header('idempotency-key-expires') ?? '');
  if (Number.isNaN(expires)) return null;
  // By the service's own clock: ours may be hours away from it.
  const date = Date.parse(header('date') ?? '');
  const lifetimeMs = expires - (Number.isNaN(date) ? nowMs : date);
  return lifetimeMs > 0 ? Math.min(lifetimeMs, MAX_LIFETIME_MS) : null;
}
