import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { lockDirectory } from '../../../src/server/store/directory-lock.ts';
import { startChild } from '../../support/child-program.ts';
import { SILENT } from '../../support/databases.ts';

const HOLDER = join(import.meta.dirname, 'hold-directory.ts');

describe('lockDirectory()', () => {
  let directory: string;
  let path: string;
  const lock = () => lockDirectory(directory, SILENT);
  /** As if nobody had touched the file since. */
  const age = async (ms: number): Promise<void> => {
    const past = new Date(Date.now() - ms);
    await utimes(path, past, past);
  };

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'reelform-data-'));
    path = join(directory, 'database.lock');
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
  });

  it('keeps a folder, in the same process too, until it is given up', async () => {
    const unlock = await lock();
    await expect(lock()).rejects.toMatchObject({ code: 'data_in_use' });
    await unlock();
    await unlock();
    expect(existsSync(path)).toBe(false);
    await (await lock())();
  });

  it('refuses a folder that another process holds, running or stopped, until that is dead', async () => {
    const child = await startChild(HOLDER, [directory]);
    await child.line('held');
    const refused = { code: 'data_in_use', message: expect.stringContaining(`process ${child.pid}`) };
    await expect(lock()).rejects.toMatchObject(refused);
    process.kill(child.pid, 'SIGSTOP');
    await age(3_600_000);
    await expect(lock()).rejects.toMatchObject(refused);
    await child.kill();
    await (await lock())();
  });

  it('takes over from a process whose id another has now', async () => {
    const unlock = await lock();
    const owner = JSON.parse(await readFile(path, 'utf8')) as object;
    await unlock();
    await writeFile(path, JSON.stringify({ ...owner, identity: 'started at another time' }));
    await (await lock())();
  });

  it('believes an owner on another machine for as long as it touches its file', async () => {
    await writeFile(path, JSON.stringify({ pid: 1, identity: 'x', host: 'elsewhere', mark: 'm' }));
    await expect(lock()).rejects.toMatchObject({
      code: 'data_in_use',
      message: expect.stringContaining('on elsewhere'),
    });
    await age(60_000);
    await (await lock())();
  });

  it('lets one of several that start at once in', async () => {
    const tries = await Promise.allSettled(Array.from({ length: 4 }, lock));
    const held = tries.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    expect(held).toHaveLength(1);
    await held[0]!();
  });
});
