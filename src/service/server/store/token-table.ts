import { randomBytes } from 'node:crypto';
import { type Sha256, sha256 } from '../../../kernel/digest.ts';
import type { TenantId } from '../../sessions/ports.ts';
import type { IssuedToken, NewToken, Principal, Scope, TokenRecord } from '../ports.ts';
import type { StoreContext } from './database.ts';

/** Lifetime of a cached token: other processes notice a revocation after this time. */
const CACHE_MS = 10_000;
const CACHE_SIZE = 10_000;
/** Minimum interval between updates of `last_used_at`, because a write per request would be too expensive. */
const USE_MS = 60_000;

/** The columns of a stored token that authentication reads. */
interface Row {
  readonly id: string;
  readonly tenant: TenantId;
  readonly scopes: Scope[];
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
  readonly parent_id: string | null;
  readonly session_id: string | null;
}

/** The columns of a `TokenRecord`. */
const RECORD = `id, tenant, name, scopes, created_at as "createdAt", expires_at as "expiresAt",
  revoked_at as "revokedAt", last_used_at as "lastUsedAt"`;

export type TokenStore = ReturnType<typeof createTokenTable>;

/**
 * Stores tokens in the database by their SHA-256. With 256 random bits, a slow hash would add nothing, and a lookup by
 * digest leaks nothing through its timing. A revocation takes effect at once in this process and within 10 s in
 * other processes.
 */
export function createTokenTable({ database, now }: StoreContext) {
  /** Until a time in milliseconds since the epoch. */
  const cache = new Map<Sha256, { readonly principal: Principal; readonly until: number }>();
  const iso = (): string => new Date(now()).toISOString();

  return {
    /** @returns the token's text (`rf_…`, 256 bits), which cannot be retrieved again */
    async create({ tenant, name, scopes, expiresAt }: NewToken) {
      const { text, id } = newToken();
      const [record] = await database.query<TokenRecord>(
        `insert into reelform.tokens (id, digest, tenant, name, scopes, created_at, expires_at)
          values ($1, $2, $3, $4, $5::text[], $6::timestamptz, $7::timestamptz) returning ${RECORD}`,
        [id, sha256(text), tenant, name, [...scopes], iso(), expiresAt],
      );
      return { text, record: record! };
    },

    /**
     * Issues a token that expires no later than the token `clientId` and stops working once that token is revoked.
     *
     * @returns null when that token has been revoked or has expired
     */
    async issue({ clientId, scopes, expiresAt, sessionId }: IssuedToken) {
      const { text, id } = newToken();
      const [row] = await database.query<{ expires_at: string }>(
        `insert into reelform.tokens (id, digest, tenant, name, scopes, created_at, expires_at, parent_id, session_id)
          select $1, $2, tenant, '', $3::text[], $4::timestamptz, least($5::timestamptz, expires_at), id, $6
            from reelform.tokens
            where id = $7 and revoked_at is null and (expires_at is null or expires_at > $4::timestamptz)
          returning expires_at`,
        [id, sha256(text), [...scopes], iso(), expiresAt, sessionId, clientId],
      );
      return row === undefined ? null : { text, expiresAt: row.expires_at };
    },

    /** Returns tokens that the operator created, oldest first, including revoked ones. */
    list: () =>
      database.query<TokenRecord>(
        `select ${RECORD} from reelform.tokens where parent_id is null order by created_at, id`,
      ),

    /** @returns false when there is no such token */
    async revoke(id: string): Promise<boolean> {
      const [row] = await database.query<{ id: string }>(
        'update reelform.tokens set revoked_at = coalesce(revoked_at, $2::timestamptz) where id = $1 returning id',
        [id, iso()],
      );
      if (row === undefined) return false;
      for (const [digest, { principal }] of cache) {
        if (principal.tokenId === id || principal.clientId === id) cache.delete(digest);
      }
      return true;
    },

    /** @returns null for a token that is unknown, revoked or expired */
    async authenticate(text: string): Promise<Principal | null> {
      const digest = sha256(text);
      const known = cache.get(digest);
      if (known !== undefined && known.until > now()) return known.principal;
      cache.delete(digest);
      const [row] = await database.query<Row>(
        `select t.* from reelform.tokens t left join reelform.tokens p on p.id = t.parent_id
          where t.digest = $1 and t.revoked_at is null and p.revoked_at is null
            and (t.expires_at is null or t.expires_at > $2::timestamptz)`,
        [digest, iso()],
      );
      if (row === undefined) return null;
      if (row.last_used_at === null || Date.parse(row.last_used_at) <= now() - USE_MS) {
        await database.query('update reelform.tokens set last_used_at = $2::timestamptz where id = $1', [
          row.id,
          iso(),
        ]);
      }
      const principal: Principal = {
        tokenId: row.id,
        clientId: row.parent_id ?? row.id,
        sessionId: row.session_id,
        tenant: row.tenant,
        scopes: new Set(row.scopes),
      };
      const until = now() + CACHE_MS;
      if (cache.size >= CACHE_SIZE) cache.clear();
      cache.set(digest, {
        principal,
        until: row.expires_at === null ? until : Math.min(until, Date.parse(row.expires_at)),
      });
      return principal;
    },
  };
}

function newToken(): { readonly text: string; readonly id: string } {
  return {
    text: `rf_${randomBytes(32).toString('base64url')}`,
    id: `tok_${randomBytes(12).toString('base64url')}`,
  };
}
