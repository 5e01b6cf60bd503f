import { EXIT, ReelformError } from '../../kernel/diagnostic.ts';
import { createdTokenText, tokenRows, tokensText } from '../../report/terminal/serve-text.ts';
import { openTokenAdmin } from '../../service/server/admin-socket/admin-client.ts';
import { readNewToken, type TokenAdmin } from '../../service/server/admin-socket/new-token.ts';
import { SILENT_LOG } from '../../service/server/log.ts';
import { SCOPES } from '../../service/server/ports.ts';
import type { Io } from '../io.ts';
import { printResult } from '../output.ts';
import { openSettings, type SettingsFlags } from './server-process.ts';

interface TokenOptions extends SettingsFlags {
  readonly data?: string;
  readonly json?: boolean;
}

interface NewTokenOptions extends TokenOptions {
  readonly tenant: string;
  readonly name?: string;
  readonly scope?: readonly string[];
  /** Days. */
  readonly expires?: number;
}

const DAY_MS = 86_400_000;

/** `reelform token create`: prints the token on stdout and its description on stderr. */
export async function tokenCreateCommand(options: NewTokenOptions, io: Io): Promise<number> {
  const { tenant, name = '', scope = SCOPES, expires } = options;
  const expiresAt = expires === undefined ? null : new Date(io.now() + expires * DAY_MS).toISOString();
  const read = readNewToken({ tenant, name, scopes: scope, expiresAt });
  if ('problems' in read) throw new ReelformError('settings_invalid', read.problems.join('; '));
  return withTokens(options, io, async (tokens) => {
    const { text, record } = await tokens.create(read.token);
    const [row] = tokenRows([record], io.now());
    if (options.json !== true) io.stderr.write(createdTokenText(record, SCOPES.length));
    printResult({ format_version: '1.0', token: text, ...row }, () => `${text}\n`, options, io);
    return EXIT.ok;
  });
}

/** `reelform token list`: lists all tokens without their texts. */
export async function tokenListCommand(options: TokenOptions, io: Io): Promise<number> {
  return withTokens(options, io, async (tokens) => {
    const rows = tokenRows(await tokens.list(), io.now());
    printResult({ format_version: '1.0', tokens: rows }, () => tokensText(rows), options, io);
    return EXIT.ok;
  });
}

/** `reelform token revoke ID`: revokes a token. */
export async function tokenRevokeCommand(id: string, options: TokenOptions, io: Io): Promise<number> {
  return withTokens(options, io, async (tokens) => {
    if (!(await tokens.revoke(id))) {
      throw new ReelformError('unknown_token', `There is no token ${JSON.stringify(id)}`, {
        hint: 'Run `reelform token list` for the ids',
      });
    }
    printResult({ format_version: '1.0', id, revoked: true }, () => `Revoked ${id}.\n`, options, io);
    return EXIT.ok;
  });
}

async function withTokens(
  options: TokenOptions,
  io: Io,
  work: (tokens: TokenAdmin) => Promise<number>,
): Promise<number> {
  const flags = new Map(options.data === undefined ? [] : [['--data', [options.data]]]);
  const opened = await openSettings(options, flags, io);
  if (opened === null) return EXIT.error;
  const { dataDirectory: directory, databaseUrl } = opened.settings;
  const tokens = await openTokenAdmin({ directory, databaseUrl, log: SILENT_LOG, now: () => io.now() });
  try {
    return await work(tokens);
  } finally {
    await tokens.close();
  }
}
