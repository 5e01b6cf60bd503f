import { isRecord } from '../../json.ts';
import type { TenantId } from '../../session/ports.ts';
import { type NewToken, SCOPES, type Scope, type TokenStore } from '../ports.ts';

/** What can be done with tokens by whoever runs the service. */
export type TokenAdmin = Pick<TokenStore, 'create' | 'list' | 'revoke'>;

const TENANT = /^[a-z0-9](?:[a-z0-9_-]{0,62})$/;
const MAX_NAME = 100;

/** A value as the request for a token, or all that is wrong with it. */
export function readNewToken(value: unknown): { readonly token: NewToken } | { readonly problems: readonly string[] } {
  const { tenant, name, scopes, expiresAt } = isRecord(value) ? value : {};
  const problems: string[] = [];
  if (typeof tenant !== 'string' || !TENANT.test(tenant)) {
    problems.push('A tenant is named with 1 to 63 lower-case letters, digits, - and _');
  }
  if (typeof name !== 'string' || name.length > MAX_NAME || /[\x00-\x1f\x7f-\x9f]/.test(name)) {
    problems.push(`The name of a token has at most ${MAX_NAME} characters, on one line`);
  }
  if (!Array.isArray(scopes) || scopes.length === 0 || !scopes.every(isScope)) {
    problems.push(`The scopes are ${SCOPES.join(', ')}`);
  }
  if (expiresAt !== null && (typeof expiresAt !== 'string' || Number.isNaN(Date.parse(expiresAt)))) {
    problems.push('The end of a token is a time, or there is none');
  }
  if (problems.length > 0) return { problems };
  const token = { tenant: tenant as TenantId, name: name as string, scopes: [...new Set(scopes as Scope[])] };
  return { token: { ...token, expiresAt: expiresAt === null ? null : new Date(expiresAt as string).toISOString() } };
}

function isScope(value: unknown): value is Scope {
  return SCOPES.some((scope) => scope === value);
}
