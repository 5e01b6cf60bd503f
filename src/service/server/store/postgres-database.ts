import pg from 'pg';
import type { ConstructorOptions } from 'pg-boss';
import { isOutage, serviceError } from '../../../contract/service-error.ts';
import { ReelformError } from '../../../kernel/diagnostic.ts';
import { diskOutage } from '../data-folder.ts';
import type { Log } from '../log.ts';
import { type Database, rejectNul } from './database.ts';

/** Minimum version for pg-boss. */
const OLDEST_VERSION = 13;
const OPEN_MS = 10_000;

/** Timeouts in milliseconds for connections, locks and statements, so that requests never hang. */
const PATIENCE = {
  connectionTimeoutMillis: 30_000,
  lock_timeout: 5_000,
  statement_timeout: 30_000,
  idle_in_transaction_session_timeout: 60_000,
};

/**
 * A broken network is silent: without a timeout, a statement would wait for 15 minutes until TCP gives up. Longer than
 * PostgreSQL's own `statement_timeout`.
 */
const ANSWER_MS = 35_000;
/** The job queue runs short statements, and leases depend on them. */
const JOB_ANSWER_MS = 10_000;

const BIGINT = 20;
const TIMESTAMPTZ = 1184;

/** Reasons why a server cannot be used, by error code. The original message could quote the connection string. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'unknown host',
  EAI_AGAIN: 'the host name could not be resolved',
  '28P01': 'wrong user or password',
  '28000': 'the user is not allowed to connect',
  '3D000': 'the database does not exist',
  '42501': 'the user may not use the database',
  '53300': 'it has no free connections',
};

/** Codes of failed or refused connections, server shutdowns and timeouts. */
const UNREACHABLE = /^(?:ECONN\w+|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|E(?:HOST|NET)UNREACH|08...|57014|57P0.|53300)$/;

/** @see Database */
export async function openPostgres(url: string, log: Log): Promise<Database> {
  const target = readTarget(url);
  const pool = new pg.Pool({
    connectionString: url,
    application_name: 'reelform',
    max: 10,
    keepAlive: true,
    ...PATIENCE,
    types: { getTypeParser: (oid, format) => parserOf(oid) ?? pg.types.getTypeParser(oid, format) },
  });
  // The pool replaces a broken idle connection; without a listener the event would end the process.
  pool.on('error', (error) => log.warn({ code: codeOf(error) }, 'lost a connection to PostgreSQL'));
  try {
    await checkServer(url, target.name);
  } catch (error) {
    await pool.end();
    throw error;
  }
  log.info({ database: 'postgres', ...target.shown }, `the database is PostgreSQL, ${target.name}`);

  return {
    kind: 'postgres',
    jobs: {
      connectionString: url,
      application_name: 'reelform-jobs',
      max: 4,
      keepAlive: true,
      query_timeout: JOB_ANSWER_MS,
      connectionTimeoutMillis: OPEN_MS,
    } as ConstructorOptions,
    query: (text, values = []) => run(pool, text, values, ANSWER_MS),
    async transaction(work, { isLong = false } = {}) {
      const answerMs = isLong ? 0 : ANSWER_MS;
      const client = await pool.connect().catch(rethrow);
      let broken: Error | undefined;
      const onError = (error: Error): void => {
        broken = error;
      };
      client.on('error', onError);
      const ask = async <R>(text: string, values: readonly unknown[] = []): Promise<R[]> => {
        try {
          return await run<R>(client, text, values, answerMs);
        } catch (error) {
          if (isOutage(error)) onError(error as Error);
          throw error;
        }
      };
      try {
        await ask('begin');
        const result = await work({ query: ask });
        await ask('commit');
        return result;
      } catch (error) {
        // A dead connection cannot roll back; closing it ends the transaction.
        if (broken === undefined) await client.query('rollback').catch(onError);
        throw error;
      } finally {
        client.off('error', onError);
        client.release(broken);
      }
    },
    close: () => pool.end(),
  };
}

async function run<T>(
  on: pg.Pool | pg.PoolClient,
  text: string,
  values: readonly unknown[],
  answerMs: number,
): Promise<T[]> {
  rejectNul(values);
  const query = { text, values: [...values], query_timeout: answerMs };
  const { rows } = await on.query(query as pg.QueryConfig).catch(rethrow);
  return rows as T[];
}

/** Converts connection problems into 503, which clients may retry. */
function rethrow(error: unknown): never {
  if (isUnreachable(error)) throw serviceError('unavailable', 'The database cannot be reached');
  throw diskOutage(error) ?? error;
}

function isUnreachable(error: unknown): boolean {
  const code = codeOf(error);
  if (code !== null && UNREACHABLE.test(code)) return true;
  return (
    error instanceof Error &&
    /^(?:Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client has encountered a connection error)/.test(
      error.message,
    )
  );
}

async function checkServer(connectionString: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: OPEN_MS, query_timeout: OPEN_MS });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query(
      `select current_setting('server_version_num')::int / 10000 as version, current_setting('server_encoding') as encoding`,
    );
    const { version, encoding } = rows[0] as { version: number; encoding: string };
    if (version < OLDEST_VERSION) {
      throw unavailable(name, `its version is ${version}, but ${OLDEST_VERSION} or later is required`);
    }
    if (encoding !== 'UTF8') throw unavailable(name, `its encoding is ${encoding}, but UTF8 is required`);
  } catch (error) {
    if (error instanceof ReelformError) throw error;
    throw unavailable(name, REASONS[codeOf(error) ?? ''] ?? 'it does not answer');
  } finally {
    // Not awaited: an unresponsive server would delay it.
    void client.end().catch(() => {});
  }
}

/** Returns the parts of a connection string that may be logged. */
function readTarget(url: string): { name: string; shown: { host: string; port: number; name: string } } {
  let client: pg.Client;
  try {
    client = new pg.Client({ connectionString: url });
  } catch {
    // The parser's error contains the whole string.
    throw new ReelformError('database_unavailable', 'The connection string of the database is not valid', {
      hint: 'Write it as postgres://user:password@host:5432/name, special characters percent-encoded',
    });
  }
  const shown = { host: client.host, port: client.port, name: client.database ?? '' };
  return { name: `${shown.name} at ${shown.host}:${shown.port}`, shown };
}

function unavailable(name: string, reason: string): ReelformError {
  return new ReelformError('database_unavailable', `The PostgreSQL database ${name} cannot be used: ${reason}`, {
    hint: 'Check the connection string and that the server is running',
  });
}

function codeOf(error: unknown): string | null {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : null;
}

function parserOf(oid: number): ((text: string) => unknown) | null {
  if (oid === BIGINT) return Number;
  if (oid === TIMESTAMPTZ) {
    const parse = pg.types.getTypeParser(TIMESTAMPTZ) as (text: string) => Date;
    return (text) => parse(text).toISOString();
  }
  return null;
}
