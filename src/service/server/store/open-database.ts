import type { Log } from '../log.ts';
import type { Database } from './database.ts';

interface DatabaseOptions {
  /** PostgreSQL connection string; null for a database in the directory. */
  readonly url: string | null;
  /** Data folder, absolute. Created if missing. */
  readonly directory: string;
  readonly log: Log;
}

/**
 * Opens the database and logs its kind.
 *
 * @throws ReelformError `database_unavailable`: it cannot be reached or used
 * @throws ReelformError `data_in_use`: another process holds the database of the directory
 */
export async function openDatabase({ url, directory, log }: DatabaseOptions): Promise<Database> {
  // Loads only the required library: PGlite alone has 26 MB.
  if (url === null) return (await import('./pglite-database.ts')).openPglite(directory, log);
  return (await import('./postgres-database.ts')).openPostgres(url, log);
}
