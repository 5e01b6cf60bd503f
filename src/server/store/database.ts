import type { ConstructorOptions } from 'pg-boss';
import type { Log } from '../log.ts';

/** Runs one statement. */
export interface Queryable {
  /**
   * `bigint` comes back as a number, `timestamptz` as ISO 8601 with milliseconds, `json` as a value. JSON goes in as text,
   * times as ISO 8601, both with a cast.
   *
   * @param text one statement, its values as `$1`, `$2`, …
   * @throws ServiceError 400 for a value with a NUL character, which no text of PostgreSQL can hold
   * @throws ServiceError 503 when the database cannot be reached
   */
  query<T = unknown>(text: string, values?: readonly unknown[]): Promise<T[]>;
}

/** PostgreSQL, elsewhere or inside this process. One SQL dialect for both. */
export interface Database extends Queryable {
  readonly kind: 'postgres' | 'pglite';

  /** How pg-boss reaches the same database. */
  readonly jobs: ConstructorOptions;

  /**
   * Commits what `work` did through `tx`, or nothing of it when it throws. `work` must not wait for anything else that
   * needs the database: PGlite has one connection, and the transaction holds it.
   */
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>;

  /** Waits for what is running. */
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** A PostgreSQL connection string; null: a database in the directory. */
  readonly url: string | null;
  /** The data folder, absolute. It is made if need be. */
  readonly directory: string;
  readonly log: Log;
}

/**
 * Opens the database and says in the log which one it is. EDGE.
 *
 * @throws ReelformError `database_unavailable`: it cannot be reached or used
 * @throws ReelformError `data_in_use`: another process has the database of the directory open
 */
export async function openDatabase({ url, directory, log }: DatabaseOptions): Promise<Database> {
  // Either library is loaded only where it is used: PGlite alone is 26 MB.
  if (url === null) return (await import('./pglite-database.ts')).openPglite(directory, log);
  return (await import('./postgres-database.ts')).openPostgres(url, log);
}
