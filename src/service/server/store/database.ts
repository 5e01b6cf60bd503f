import type { ConstructorOptions } from 'pg-boss';
import { serviceError } from '../../../contract/service-error.ts';

/** Runs a single statement. */
export interface Queryable {
  /**
   * Runs a statement. `bigint` is returned as a number, `timestamptz` as ISO 8601 with milliseconds, `json` as a value.
   * JSON is passed as text and times as ISO 8601, both with a cast.
   *
   * @param text one statement with the values `$1`, `$2`, …
   * @throws ServiceError 400 for a NUL character, which PostgreSQL cannot store
   * @throws ServiceError 503 when the database cannot be reached
   */
  query<T = unknown>(text: string, values?: readonly unknown[]): Promise<T[]>;
}

/** PostgreSQL on a server or inside this process, with the same SQL dialect. */
export interface Database extends Queryable {
  readonly kind: 'postgres' | 'pglite';

  /** Connection options for pg-boss. */
  readonly jobs: ConstructorOptions;

  /**
   * Commits the statements that `work` runs through `tx`, or rolls them back when it throws. `work` must not wait for
   * any other use of the database: PGlite has a single connection, which the transaction holds.
   *
   * @param options.isLong disables the statement timeout
   */
  transaction<T>(work: (tx: Queryable) => Promise<T>, options?: { readonly isLong?: boolean }): Promise<T>;

  /** Waits for running statements. */
  close(): Promise<void>;
}

/**
 * Rejects NUL characters, which ids in URLs may contain. PostgreSQL would truncate the value or return an obscure
 * error.
 *
 * @throws ServiceError 400
 */
export function rejectNul(values: readonly unknown[]): void {
  if (values.some((value) => typeof value === 'string' && value.includes('\0'))) {
    throw serviceError('bad_request', 'A string of the request contains a NUL character');
  }
}

/** Ports that all tables of a database use. */
export interface StoreContext {
  readonly database: Database;
  /** Milliseconds since the epoch. */
  now(): number;
}
