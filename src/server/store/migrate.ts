import { ReelformError } from '../../diagnostic.ts';
import { installJobs } from '../queue/queues.ts';
import type { Log } from '../telemetry/log.ts';
import type { Database, Queryable } from './database.ts';
import { MIGRATIONS } from './migrations.ts';

/** Of our own choosing: whoever holds it migrates, everyone else waits. */
const LOCK = 7_232_845;

/** A step may rewrite a table; and who waits for the lock waits for the step. */
const LONG = { isLong: true };

/**
 * Brings the database to the schema of this program: its own, then that of the job queue. Several processes may do so at
 * once; each step is taken once, whole or not at all.
 *
 * @throws ReelformError `database_newer`: a newer program was here; nothing is changed
 * @throws ReelformError `database_unavailable`: the user may not make the schema
 */
export async function migrate(database: Database, log: Log): Promise<void> {
  try {
    let version = await database.transaction(prepare, LONG);
    while (version < MIGRATIONS.length) version = await database.transaction((tx) => takeNext(tx, log), LONG);
    await installJobs(database, log);
  } catch (error) {
    if ((error as { code?: unknown }).code !== '42501') throw error;
    throw new ReelformError('database_unavailable', 'The user may not make or change the schema of the service', {
      hint: 'Let it: grant create on database … to …',
    });
  }
}

async function prepare(tx: Queryable): Promise<number> {
  await lock(tx);
  const [found] = await tx.query<{ there: boolean }>(`select to_regclass('reelform.migrations') is not null as there`);
  if (found?.there !== true) {
    await tx.query('create schema if not exists reelform');
    await tx.query(`create table reelform.migrations (
      version integer primary key,
      name text not null,
      applied_at timestamptz not null default now()
    )`);
  }
  return readVersion(tx);
}

async function takeNext(tx: Queryable, log: Log): Promise<number> {
  await lock(tx);
  const version = (await readVersion(tx)) + 1;
  const migration = MIGRATIONS[version - 1];
  // Another process was here first.
  if (migration === undefined) return version - 1;
  for (const statement of migration.statements) await tx.query(statement);
  await tx.query('insert into reelform.migrations (version, name) values ($1, $2)', [version, migration.name]);
  log.info({ version, migration: migration.name }, `the database is now at version ${version}`);
  return version;
}

async function lock(tx: Queryable): Promise<void> {
  // Another process may be at a long step.
  await tx.query('set local lock_timeout = 0');
  await tx.query('set local statement_timeout = 0');
  await tx.query('select pg_advisory_xact_lock($1)', [LOCK]);
}

async function readVersion(tx: Queryable): Promise<number> {
  const [row] = await tx.query<{ version: number }>(
    'select coalesce(max(version), 0) as version from reelform.migrations',
  );
  const version = row?.version ?? 0;
  if (version > MIGRATIONS.length) {
    throw new ReelformError(
      'database_newer',
      `The database is at version ${version}, and this program knows ${MIGRATIONS.length}`,
      { hint: 'Update reelform; go back only with a copy of the database from before' },
    );
  }
  return version;
}
