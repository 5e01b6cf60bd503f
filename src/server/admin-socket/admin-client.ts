import { request as httpRequest } from 'node:http';
import { ReelformError } from '../../diagnostic.ts';
import { isRecord } from '../../json.ts';
import type { TokenRecord } from '../ports.ts';
import { migrate } from '../store/migrate.ts';
import { openDatabase } from '../store/open-database.ts';
import { createTokenTable } from '../store/token-table.ts';
import type { Log } from '../telemetry/log.ts';
import { findSocketPath, type TokenAdmin } from './admin-server.ts';

/** Client of a running server on this machine, over its admin socket. */
interface AdminClient extends TokenAdmin {
  status(): Promise<Readonly<Record<string, unknown>>>;
}

const TIMEOUT_MS = 10_000;

/** Connection errors that mean no server is running: it was never started, or it was killed. */
const ABSENT: ReadonlySet<unknown> = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTSOCK']);

/**
 * Connects to the server that holds a data folder.
 *
 * @param directory absolute
 * @returns null when no server is running
 */
export async function connectAdminSocket(directory: string): Promise<AdminClient | null> {
  const socketPath = await findSocketPath(directory);
  if (socketPath === null) return null;
  const ask = async (method: string, path: string, body?: unknown): Promise<Readonly<Record<string, unknown>>> => {
    const { status, value } = await exchange(socketPath, method, path, body);
    if (status < 300 && isRecord(value)) return value;
    const problems = isRecord(value) && Array.isArray(value.problems) ? value.problems.join('; ') : `status ${status}`;
    throw new ReelformError('settings_invalid', `The server rejected the request: ${problems}`);
  };
  const client: AdminClient = {
    status: () => ask('GET', '/status'),
    create: async (token) =>
      (await ask('POST', '/tokens', token)) as { text: string; record: TokenRecord } & Record<string, unknown>,
    list: async () => (await ask('GET', '/tokens')).tokens as TokenRecord[],
    revoke: async (id) => (await ask('DELETE', `/tokens/${encodeURIComponent(id)}`)).revoked === true,
  };
  try {
    await client.status();
    return client;
  } catch (error) {
    if (ABSENT.has((error as NodeJS.ErrnoException).code)) return null;
    throw error;
  }
}

function exchange(
  socketPath: string,
  method: string,
  path: string,
  body: unknown,
): Promise<{ status: number; value: unknown }> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ socketPath, method, path, agent: false, timeout: TIMEOUT_MS }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () => {
        try {
          resolve({ status: response.statusCode ?? 0, value: JSON.parse(Buffer.concat(chunks).toString()) });
        } catch (error) {
          reject(error);
        }
      });
    });
    request.once('error', reject);
    request.once('timeout', () => {
      request.destroy(
        new ReelformError('service_unreachable', 'The server that holds the data folder does not answer'),
      );
    });
    request.end(body === undefined ? undefined : JSON.stringify(body));
  });
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
