import { tableLines } from '../wording/cell-width.ts';
import { escapeControls } from '../wording/display-text.ts';

/** A token as stored. */
interface TokenFacts {
  readonly id: string;
  readonly tenant: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  readonly lastUsedAt: string | null;
}

/** A token as `--json` prints it. */
export interface TokenRow {
  readonly id: string;
  readonly tenant: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly state: 'valid' | 'revoked' | 'expired';
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  readonly last_used_at: string | null;
}

/** @param now milliseconds since the epoch */
export function tokenRows(tokens: readonly TokenFacts[], now: number): TokenRow[] {
  return tokens.map(({ id, tenant, name, scopes, createdAt, expiresAt, revokedAt, lastUsedAt }) => ({
    id,
    tenant,
    name,
    scopes,
    state: revokedAt !== null ? 'revoked' : expiresAt !== null && Date.parse(expiresAt) <= now ? 'expired' : 'valid',
    created_at: createdAt,
    expires_at: expiresAt,
    revoked_at: revokedAt,
    last_used_at: lastUsedAt,
  }));
}

/** Formats tokens as a table. */
export function tokensText(rows: readonly TokenRow[]): string {
  if (rows.length === 0) return 'There are no tokens.\n';
  const table = [
    ['ID', 'TENANT', 'STATE', 'CREATED', 'EXPIRES', 'LAST USED', 'NAME'],
    ...rows.map((row) => [
      row.id,
      row.tenant,
      row.state,
      day(row.created_at),
      row.expires_at === null ? 'never' : day(row.expires_at),
      row.last_used_at === null ? 'never' : day(row.last_used_at),
      escapeControls(row.name),
    ]),
  ];
  return `${tableLines(table).join('\n')}\n`;
}

/** Describes a new token, without its secret text. */
export function createdTokenText({ id, tenant, scopes, expiresAt }: TokenFacts, scopeCount: number): string {
  const what = scopes.length === scopeCount ? 'all scopes' : scopes.join(', ');
  const until = expiresAt === null ? 'it does not expire' : `it expires on ${day(expiresAt)}`;
  return `Token ${id} of the tenant ${tenant}: ${what}; ${until}. The token is only shown once.\n`;
}

function day(time: string): string {
  return time.slice(0, 10);
}
