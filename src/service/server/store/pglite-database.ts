import { chmod, mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { PGlite, type Transaction, types } from '@electric-sql/pglite';
import { fromPglite } from 'pg-boss';
import { ReelformError } from '../../../kernel/diagnostic.ts';
import { nullIfMissing } from '../../../kernel/file-system-error.ts';
import { acquireProcessLock } from '../../../kernel/process-lock.ts';
import { diskOutage } from '../data-folder.ts';
import type { Log } from '../log.ts';
import { type Database, rejectNul } from './database.ts';

/** Set per query instead of globally, because pg-boss expects dates from the same connection. */
const PARSERS = {
  [types.INT8]: Number,
  [types.TIMESTAMPTZ]: (text: string): string => new Date(text).toISOString(),
};

/**
 * Its default of 128 MB of buffers is cleared on each start, which takes two thirds of the time until the database is open.
 * The tables of a service are small, and the system caches their files.
 */
const START = { startParams: [...PGlite.defaultStartParams, '-c', 'shared_buffers=16MB'] };

/**
 * Opens PostgreSQL inside this process, in `database/` of the data folder. It runs on the caller's thread. PGlite has
 * no lock of its own, and two processes on one folder would lose rows, hence the lock file.
 *
 * @see Database
 */
export async function openPglite(directory: string, log: Log): Promise<Database> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const unlock = await acquireProcessLock(join(directory, 'database.lock'), (holder) => {
    return new ReelformError('data_in_use', `The data folder ${directory} is in use by ${holder}`, {
      hint: 'Stop that process or choose another data folder. Several processes can share a PostgreSQL database',
    });
  });
  try {
    const pglite = await open(directory);
    log.info({ database: 'pglite', directory }, `the database is PGlite in ${directory}`);
    return asDatabase(pglite, unlock);
  } catch (error) {
    await unlock();
    throw error;
  }
}

/**
 * Creates the database in a temporary folder and renames it, so that a killed process leaves no incomplete `database/`.
 */
async function open(directory: string): Promise<PGlite> {
  const home = join(directory, 'database');
  try {
    if ((await nullIfMissing(stat(home))) === null) {
      const half = join(directory, 'database.new');
      await rm(half, { recursive: true, force: true });
      await (await PGlite.create(half, START)).close();
      await chmod(half, 0o700);
      await rename(half, home);
    }
    return await PGlite.create(home, START);
  } catch (error) {
    throw new ReelformError('database_unavailable', `The database in ${home} cannot be opened`, {
      hint: 'Check the free space and the permissions of the folder. It may also have been written by another version of PGlite',
      cause: error,
    });
  }
}

function asDatabase(pglite: PGlite, unlock: () => Promise<void>): Database {
  const run = async <T>(on: PGlite | Transaction, text: string, values: readonly unknown[]): Promise<T[]> => {
    rejectNul(values);
    try {
      return (await on.query<T>(text, [...values], { parsers: PARSERS })).rows;
    } catch (error) {
      throw diskOutage(error) ?? error;
    }
  };
  return {
    kind: 'pglite',
    jobs: { db: fromPglite(pglite), backend: 'pglite' },
    query: (text, values = []) => run(pglite, text, values),
    transaction: (work) => pglite.transaction((tx) => work({ query: (text, values = []) => run(tx, text, values) })),
    async close() {
      if (!pglite.closed) await pglite.close();
      await unlock();
    },
  };
}
