import type { Log } from '../telemetry/log.ts';
import type { Database } from './database.ts';

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
