import { isRecord } from '../../../kernel/json.ts';
import type { TenantId } from '../../sessions/ports.ts';
import { type NewToken, SCOPES, type Scope } from '../ports.ts';
import type { TokenStore } from '../store/token-table.ts';

/** Token management for the operator. */
export type TokenAdmin = Pick<TokenStore, 'create' | 'list' | 'revoke'>;

const TENANT = /^[a-z0-9](?:[a-z0-9_-]{0,62})$/;
const MAX_NAME = 100;

/** Validates a request for a new token. Returns the token or all problems. */
export function readNewToken(value: unknown): { readonly token: NewToken } | { readonly problems: readonly string[] } {
  const { tenant, name, scopes, expiresAt } = isRecord(value) ? value : {};
  const problems: string[] = [];
  if (typeof tenant !== 'string' || !TENANT.test(tenant)) {
    problems.push('The name of a tenant must have 1 to 63 lower-case letters, digits, - and _');
  }
  if (typeof name !== 'string' || name.length > MAX_NAME || /[\x00-\x1f\x7f-\x9f]/.test(name)) {
    problems.push(`The name of a token must be a single line of at most ${MAX_NAME} characters`);
  }
  const unknown = Array.isArray(scopes) ? scopes.filter((scope) => !isScope(scope)) : [];
  if (!Array.isArray(scopes) || scopes.length === 0 || unknown.length > 0) {
    const missing = unknown.map((scope) => `There is no scope ${JSON.stringify(scope)}. `);
    problems.push(`${missing.join('')}The scopes are ${SCOPES.join(', ')}`);
  }
  if (expiresAt !== null && (typeof expiresAt !== 'string' || Number.isNaN(Date.parse(expiresAt)))) {
    problems.push('The expiry of a token must be a time or null');
  }
  if (problems.length > 0) return { problems };
  const token = { tenant: tenant as TenantId, name: name as string, scopes: [...new Set(scopes as Scope[])] };
  return { token: { ...token, expiresAt: expiresAt === null ? null : new Date(expiresAt as string).toISOString() } };
}

function isScope(value: unknown): value is Scope {
  return SCOPES.some((scope) => scope === value);
}
