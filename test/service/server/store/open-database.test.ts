import { existsSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Log } from '../../../../src/service/server/log.ts';
import { openDatabase } from '../../../../src/service/server/store/open-database.ts';
import { startChild } from '../../../support/child-program.ts';
import { describeOnDatabases, pgliteDatabases, SILENT } from '../../../support/databases.ts';

const HOLDER = join(import.meta.dirname, 'hold-database.ts');

async function makeFolder(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'reelform-data-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

function listen(server: Server): Promise<number> {
  onTestFinished(() => void server.close());
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port));
  });
}

function recorder(): { log: Log; said: unknown[] } {
  const said: unknown[] = [];
  const say = (...line: unknown[]): void => void said.push(line);
  return { log: { debug: say, info: say, warn: say, error: say }, said };
}

describe('openDatabase() with a data folder', () => {
  const open = (directory: string) => openDatabase({ url: null, directory, log: SILENT });

  it('creates the database, recreates it after an interrupted creation, and logs which it uses', async () => {
    const directory = join(await makeFolder(), 'deep/data');
    await mkdir(join(directory, 'database.new'), { recursive: true });
    await writeFile(join(directory, 'database.new/PG_VERSION'), '18\n');
    const { log, said } = recorder();
    const database = await openDatabase({ url: null, directory, log });
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
    await database.close();
    expect(said).toEqual([[{ database: 'pglite', directory }, `the database is PGlite in ${directory}`]]);
    expect(existsSync(join(directory, 'database.lock'))).toBe(false);
    expect(statSync(join(directory, 'database')).mode & 0o777).toBe(0o700);
  });

  it('keeps committed data after a kill', async () => {
    const { directory } = await pgliteDatabases.address();
    const first = await open(directory);
    await first.query(`insert into reelform.secrets values ('a', 'b')`);
    await first.close();
    const child = await startChild(HOLDER, [directory]);
    await child.line('open');
    await child.kill();
    const second = await open(directory);
    expect(await second.query('select value from reelform.secrets')).toEqual([{ value: 'b' }]);
    await second.close();
  });

  it('rejects a directory in use and opens it once it is closed', async () => {
    const { directory } = await pgliteDatabases.address();
    const database = await open(directory);
    await expect(open(directory)).rejects.toMatchObject({ code: 'data_in_use' });
    await database.close();
    await database.close();
    await (await open(directory)).close();
  });

  it('reports database_unavailable for a directory with other content', async () => {
    const directory = await makeFolder();
    await mkdir(join(directory, 'database'));
    await writeFile(join(directory, 'database/PG_VERSION'), 'nonsense');
    await expect(open(directory)).rejects.toMatchObject({ code: 'database_unavailable' });
    expect(existsSync(join(directory, 'database.lock'))).toBe(false);
  });
});

describe('openDatabase() with a connection string', () => {
  const SECRET = 'hunter%2F2-secret';
  const refusal = async (url: string): Promise<{ code: string; shown: string }> => {
    const { log, said } = recorder();
    const error: unknown = await openDatabase({ url, directory: '', log }).then(
      () => null,
      (error: unknown) => error,
    );
    return { code: (error as { code: string }).code, shown: inspect([error, said], { depth: 10, showHidden: true }) };
  };

  it('reports database_unavailable without the password', async () => {
    const closed = createServer();
    const port = await listen(closed);
    await new Promise((resolve) => closed.close(resolve));
    const rude = await listen(createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')));
    for (const url of [
      `postgres://user:${SECRET}@127.0.0.1:${port}/db`,
      `postgres://user:${SECRET}@127.0.0.1:${rude}/db`,
      `postgres://user:${SECRET}@127.0.0.1:99999/db`,
      `postgres://user:${SECRET}%zz@[/db`,
      `postgres://user:${SECRET}@127.0.0.1:${port}/db?sslmode=verify-full&sslrootcert=/nowhere`,
    ]) {
      const { code, shown } = await refusal(url);
      expect(code).toBe('database_unavailable');
      expect(shown).not.toContain('hunter');
    }
  });
});

describeOnDatabases('an unreachable database', (databases, kind) => {
  it.skipIf(kind === 'pglite')('is identified by its host and never by its password', async () => {
    const { url } = await databases.address();
    const { log, said } = recorder();
    const database = await openDatabase({ url, directory: '', log });
    await database.close();
    expect(JSON.stringify(said)).toContain('127.0.0.1');
    expect(JSON.stringify(said)).not.toContain('only-for-tests');
    for (const wrong of [url!.replace('only-for-tests', 'other-secret'), url!.replace(/\/test_\d+$/, '/nowhere')]) {
      await expect(openDatabase({ url: wrong, directory: '', log })).rejects.toMatchObject({
        code: 'database_unavailable',
        message: expect.not.stringMatching(/other-secret|only-for-tests/),
      });
    }
  });

  it.skipIf(kind === 'pglite')('causes 503 while connections are cut and then recovers', async () => {
    const { database, url } = await databases.open();
    const other = await openDatabase({ url, directory: '', log: SILENT });
    const cut = database.transaction(async (tx) => {
      await other.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`);
      await tx.query('select 1');
    });
    await expect(cut).rejects.toMatchObject({ status: 503, code: 'unavailable' });
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
    await other.close();
  });
});
