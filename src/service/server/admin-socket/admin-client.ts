import { ReelformError } from '../../../kernel/diagnostic.ts';
import { type HttpOutcome, sendRequest } from '../../../kernel/http/send-request.ts';
import { isRecord } from '../../../kernel/json.ts';
import type { Log } from '../log.ts';
import { migrate } from '../migrate.ts';
import type { TokenRecord } from '../ports.ts';
import { openDatabase } from '../store/open-database.ts';
import { createTokenTable } from '../store/token-table.ts';
import type { TokenAdmin } from './new-token.ts';
import { findSocketPath } from './socket-path.ts';

/** Client of a running server on this machine, over its admin socket. */
interface AdminClient extends TokenAdmin {
  status(): Promise<Readonly<Record<string, unknown>>>;
}

const TIMEOUT_MS = 10_000;
/** Enough for a list of tens of thousands of tokens. */
const MAX_ANSWER_BYTES = 16 << 20;

/** Connection errors that mean no server is running: it was never started, or it was killed. */
const ABSENT: ReadonlySet<string> = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTSOCK']);

/**
 * Connects to the server that holds a data folder.
 *
 * @param directory absolute
 * @returns null when no server is running
 */
export async function connectAdminSocket(directory: string): Promise<AdminClient | null> {
  const socketPath = await findSocketPath(directory);
  if (socketPath === null) return null;
  const send = (method: Method, path: string, body?: unknown): Promise<HttpOutcome> =>
    sendRequest(
      {
        method,
        url: `http://localhost${path}`,
        socketPath,
        headers: {},
        totalMs: TIMEOUT_MS,
        body: body === undefined ? undefined : JSON.stringify(body),
      },
      MAX_ANSWER_BYTES,
    );
  const ask = async (...request: Parameters<typeof send>): Promise<Readonly<Record<string, unknown>>> =>
    readAnswer(await send(...request));
  const first = await send('GET', '/status');
  if (first.kind === 'unsent' && ABSENT.has(first.code)) return null;
  readAnswer(first);
  return {
    status: () => ask('GET', '/status'),
    create: async (token) =>
      (await ask('POST', '/tokens', token)) as { text: string; record: TokenRecord } & Record<string, unknown>,
    list: async () => (await ask('GET', '/tokens')).tokens as TokenRecord[],
    revoke: async (id) => (await ask('DELETE', `/tokens/${encodeURIComponent(id)}`)).revoked === true,
  };
}

type Method = 'GET' | 'POST' | 'DELETE';

/** @throws ReelformError `service_unreachable`; `settings_invalid` for a rejected request */
function readAnswer(outcome: HttpOutcome): Readonly<Record<string, unknown>> {
  if (outcome.kind !== 'answered') {
    const why = outcome.code === 'ETIMEDOUT' ? '' : ` (${outcome.code})`;
    throw new ReelformError('service_unreachable', `The server that holds the data folder does not answer${why}`);
  }
  const { status, bytes } = outcome;
  const value: unknown = JSON.parse(bytes.toString());
  if (status < 300 && isRecord(value)) return value;
  const problems = isRecord(value) && Array.isArray(value.problems) ? value.problems.join('; ') : `status ${status}`;
  throw new ReelformError('settings_invalid', `The server rejected the request: ${problems}`);
}

interface OpenTokensOptions {
  /** The data folder, absolute. */
  readonly directory: string;
  readonly databaseUrl: string | null;
  readonly log: Log;
  /** Milliseconds since the epoch. */
  now(): number;
}

/**
 * Opens token management for a service. While a server holds the data folder, requests go through its admin socket;
 * otherwise they go to the database directly. PostgreSQL allows several writers, so it is always accessed directly.
 *
 * @throws ReelformError `data_in_use` while a server starts or stops; see `openDatabase`
 */
export async function openTokenAdmin(options: OpenTokensOptions): Promise<TokenAdmin & { close(): Promise<void> }> {
  const { directory, databaseUrl, log, now } = options;
  const client = databaseUrl === null ? await connectAdminSocket(directory) : null;
  if (client !== null) return { ...client, close: async () => undefined };
  const database = await openDatabase({ url: databaseUrl, directory, log }).catch((error: unknown) => {
    if (!(error instanceof ReelformError) || error.code !== 'data_in_use') throw error;
    const hint = 'The server may be starting or stopping: try again in a moment';
    throw new ReelformError('data_in_use', error.message, { hint });
  });
  try {
    await migrate(database, log);
  } catch (error) {
    await database.close();
    throw error;
  }
  const tokens = createTokenTable({ database, now });
  return {
    create: (token) => tokens.create(token),
    list: () => tokens.list(),
    revoke: (id) => tokens.revoke(id),
    close: () => database.close(),
  };
}
