import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { acquireRunLock } from '../../src/project/run-lock.ts';
import { makeFolder } from '../support/repository.ts';

describe('acquireRunLock()', () => {
  it('keeps a second process out until it is given up', async () => {
    const path = join(makeFolder({}), '.reelform/apply.pid');
    const release = await acquireRunLock(path, 100, () => true);
    expect(Number.parseInt(readFileSync(path, 'utf8'), 10)).toBe(100);
    await expect(acquireRunLock(path, 200, () => true)).rejects.toMatchObject({ code: 'already_running' });
    await release();
    expect(readdirSync(join(path, '..'))).toEqual([]);
    await (await acquireRunLock(path, 200, () => true))();
  });

  it.each(['4242', '', 'nonsense'])('takes over a lock that says %j and whose owner is gone', async (owner) => {
    const path = join(makeFolder({ 'apply.pid': owner }), 'apply.pid');
    await acquireRunLock(path, 200, () => false);
    expect(Number.parseInt(readFileSync(path, 'utf8'), 10)).toBe(200);
  });

  it.each(['', 'nonsense', '0 x', '-1 x'])('takes over a lock that says %j, which names nobody', async (owner) => {
    const path = join(makeFolder({ 'apply.pid': owner }), 'apply.pid');
    await acquireRunLock(path, 200, () => true);
    expect(Number.parseInt(readFileSync(path, 'utf8'), 10)).toBe(200);
  });

  it('lets one of many in, whether or not an old lock is there', async () => {
    for (let round = 0; round < 40; round++) {
      const path = join(makeFolder(round % 2 === 0 ? {} : { 'apply.pid': '1 old' }), 'apply.pid');
      const pids = [101, 102, 103, 104, 105, 106];
      const results = await Promise.allSettled(pids.map((pid) => acquireRunLock(path, pid, (owner) => owner > 100)));
      expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
    }
  });

  it('does not give up a lock that is somebody else by now', async () => {
    const path = join(makeFolder({}), 'apply.pid');
    const release = await acquireRunLock(path, 100, () => true);
    await acquireRunLock(path, 200, () => false);
    await release();
    expect(existsSync(path)).toBe(true);
  });
});
