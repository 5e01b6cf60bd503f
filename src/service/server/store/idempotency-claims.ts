import { serviceError } from '../../../contract/service-error.ts';
import type { Claimed, IdempotencyClaim, TenantId } from '../../sessions/ports.ts';
import type { Database, Queryable } from './database.ts';

/** A lock wait exceeded `lock_timeout`. */
const LOCK_NOT_AVAILABLE = '55P03';

interface IdempotentOptions<T> {
  readonly tenant: TenantId;
  readonly claim: IdempotencyClaim | null;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Result of `work` if known beforehand, which saves a statement. */
  readonly answer?: T;
}

/** Rolls a transaction back without an error for the caller. */
class Rollback extends Error {}

/**
 * Runs `work` in one transaction with the claim on its Idempotency-Key and stores its result. The key is unique, so a
 * second request with it waits for the first: up to 5 s with PostgreSQL; without limit with PGlite, where all
 * transactions are serialized. The key stays free when `work` throws or returns null.
 *
 * @returns null when `work` does
 * @throws ServiceError 422 `idempotency_key_reused`, 409 `idempotency_in_progress`
 */
export async function runIdempotent<T extends object>(
  database: Database,
  { tenant, claim, now, answer }: IdempotentOptions<T>,
  work: (tx: Queryable) => Promise<T | null>,
): Promise<Claimed<T> | null> {
  try {
    return await database.transaction(async (tx): Promise<Claimed<T>> => {
      const earlier = claim === null ? null : await take<T>(tx, tenant, claim, now, answer ?? null);
      if (earlier !== null) return { value: earlier, isReplay: true };
      const value = await work(tx);
      if (value === null) throw new Rollback();
      if (claim !== null && answer === undefined) {
        await tx.query('update reelform.claims set answer = $3::json where tenant = $1 and key = $2', [
          tenant,
          claim.key,
          JSON.stringify(value),
        ]);
      }
      return { value, isReplay: false };
    });
  } catch (error) {
    if (error instanceof Rollback) return null;
    if ((error as { code?: unknown }).code !== LOCK_NOT_AVAILABLE) throw error;
    if (claim !== null) throw serviceError('idempotency_in_progress');
    throw serviceError('unavailable', 'Another request holds the lock of this resource for too long');
  }
}

/** Claims a key. Returns the stored result, or null when the key was free or has expired. */
async function take<T>(
  tx: Queryable,
  tenant: TenantId,
  { key, request, expiresAt }: IdempotencyClaim,
  now: number,
  answer: T | null,
): Promise<T | null> {
  const taken = await tx.query(
    `insert into reelform.claims (tenant, key, request, expires_at, answer)
      values ($1, $2, $3, $4::timestamptz, $6::json)
      on conflict (tenant, key) do update
        set request = excluded.request, answer = excluded.answer, expires_at = excluded.expires_at
        where claims.expires_at <= $5::timestamptz
      returning key`,
    [
      tenant,
      key,
      request,
      new Date(expiresAt).toISOString(),
      new Date(now).toISOString(),
      answer === null ? null : JSON.stringify(answer),
    ],
  );
  if (taken.length > 0) return null;
  const [first] = await tx.query<{ request: string; answer: T }>(
    'select request, answer from reelform.claims where tenant = $1 and key = $2',
    [tenant, key],
  );
  // The conflict has locked the row, so it exists.
  if (first === undefined) throw new Error('Internal error: a claim is missing');
  if (first.request !== request) throw serviceError('idempotency_key_reused');
  return first.answer;
}
