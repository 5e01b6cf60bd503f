import { createColors } from 'picocolors';
import { present } from '../../kernel/defined.ts';
import { parseRecord } from '../../kernel/json.ts';
import { tableLines } from '../wording/cell-width.ts';
import { escapeControls } from '../wording/display-text.ts';

/** Properties of a started server. */
interface ServeFacts {
  readonly url: string;
  /** URL of the separate metrics port; null if there is none. */
  readonly metricsUrl: string | null;
  readonly settings: {
    readonly databaseUrl: string | null;
    readonly dataDirectory: string;
    /** URL of a bucket; null if files are in the data folder. */
    readonly storage: string | null;
    readonly host: string;
    readonly publicUrl: string | null;
  };
  readonly templates: readonly { readonly name: string }[];
  readonly hasTokens: boolean;
  /** Default data folder: commands need a flag for any other. */
  readonly usualDataDirectory: string;
}

/** Reports the addresses of a started server, and how to create a token. */
export function serveText({ url, metricsUrl, settings, templates, hasTokens, usualDataDirectory }: ServeFacts): string {
  const { databaseUrl, dataDirectory, storage, host, publicUrl } = settings;
  const names = templates.map(({ name }) => name).join(', ');
  const lines = present([
    `Reelform is listening at ${publicUrl ?? url}`,
    `  the API      ${url}/docs`,
    `  database     ${databaseUrl === null ? 'PGlite, in the data folder' : describeDatabase(databaseUrl)}`,
    metricsUrl !== null && `  metrics      ${metricsUrl}/metrics`,
    storage !== null && `  storage      ${escapeControls(storage)}`,
    `  data folder  ${escapeControls(dataDirectory)}`,
    templates.length > 0 && `  templates    ${names}, of reelform.yaml`,
  ]);
  if (publicUrl === null && /^(?:0\.0\.0\.0|::)$/.test(host)) {
    lines.push('Clients on other machines need --public-url, because URLs of finished videos start with it.');
  }
  if (!hasTokens) {
    const where = databaseUrl === null ? '' : ' with the same settings';
    const isUsual = databaseUrl !== null || dataDirectory === usualDataDirectory;
    const flag = isUsual ? '' : ` --data ${quoted(escapeControls(dataDirectory))}`;
    lines.push(
      `There are no tokens yet. Create one in another terminal${where}:`,
      `  export REELFORM_TOKEN=$(reelform token create${flag})`,
    );
  }
  return lines.map((line) => `${line}\n`).join('');
}

/** Quotes a shell argument. */
function quoted(text: string): string {
  return /^[\w./@:+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Names the PostgreSQL database of a connection string, without credentials and options. */
function describeDatabase(url: string): string {
  const { host, pathname } = new URL(url);
  return escapeControls(`PostgreSQL, ${pathname.slice(1) || 'the default database'} at ${host || 'localhost'}`);
}

/** Properties of a started worker. */
interface WorkerFacts {
  readonly id: string;
  /** Null if it does not listen. */
  readonly url: string | null;
  readonly publicUrl: string;
  readonly settings: {
    readonly databaseUrl: string | null;
    readonly dataDirectory: string;
    /** URL of a bucket; null if files are in the data folder. */
    readonly storage: string | null;
    readonly concurrency: number;
  };
}

/** Reports what a started worker serves. */
export function workerText({ id, url, publicUrl, settings }: WorkerFacts): string {
  const { databaseUrl, dataDirectory, storage, concurrency } = settings;
  const lines = present([
    `Worker ${id} renders for ${escapeControls(publicUrl)}`,
    `  concurrency  ${concurrency === 1 ? '1 video' : `${concurrency} videos`}`,
    databaseUrl !== null && `  database     ${describeDatabase(databaseUrl)}`,
    storage !== null && `  storage      ${escapeControls(storage)}`,
    `  data folder  ${escapeControls(dataDirectory)}`,
    url !== null && `  health       ${url}/readyz`,
  ]);
  return lines.map((line) => `${line}\n`).join('');
}

const HIDDEN: ReadonlySet<string> = new Set(['time', 'level', 'msg']);

/** Formats a JSON log entry as time, level, message and `name=value` fields. */
export function logLine(json: string, options: { readonly color: boolean }): string {
  const entry = parseRecord(json);
  if (entry === null) return json;
  const { dim, red, yellow, green } = createColors(options.color);
  const level = String(entry.level ?? 'info');
  const paint = level === 'error' || level === 'fatal' ? red : level === 'warn' ? yellow : green;
  const time = typeof entry.time === 'string' ? entry.time.slice(11, 23) : '';
  const fields = Object.entries(entry)
    .filter(([name]) => !HIDDEN.has(name))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const words = escapeControls(String(entry.msg ?? ''));
  const rest = fields.length === 0 ? '' : `  ${dim(escapeControls(fields.join(' ')))}`;
  return `${dim(time)} ${paint(level.padEnd(5))} ${words}${rest}\n`;
}

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

/** Returns tokens as `--json` prints them. @param now milliseconds since the epoch */
export function tokenRows(tokens: readonly TokenFacts[], now: number) {
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
export function tokensText(rows: ReturnType<typeof tokenRows>): string {
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
