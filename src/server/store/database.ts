import type { ConstructorOptions } from 'pg-boss';
import { serviceError } from '../../service/service-error.ts';

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
   *
   * @param options.isLong a statement may take as long as it takes
   */
  transaction<T>(work: (tx: Queryable) => Promise<T>, options?: { readonly isLong?: boolean }): Promise<T>;

  /** Waits for what is running. */
  close(): Promise<void>;
}

/**
 * Lets through what PostgreSQL can hold. An id out of a URL may carry a NUL, which its protocol would cut or refuse with
 * an error that says nothing to the client.
 *
 * @throws ServiceError 400
 */
export function rejectNul(values: readonly unknown[]): void {
  if (values.some((value) => typeof value === 'string' && value.includes('\0'))) {
    throw serviceError('bad_request', 'A text of the request holds a NUL character');
  }
}
