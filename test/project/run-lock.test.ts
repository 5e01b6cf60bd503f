import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { acquireRunLock } from '../../src/project/run-lock.ts';
import { makeFolder } from '../support/repository.ts';

describe('acquireRunLock()', () => {
  it('keeps a second process out until it is given up', async () => {
    const path = join(makeFolder({}), '.reelform/apply.pid');
    const release = await acquireRunLock(path, 100, () => true);
    expect(readFileSync(path, 'utf8')).toBe('100');
    await expect(acquireRunLock(path, 200, () => true)).rejects.toMatchObject({ code: 'already_running' });
    await release();
    expect(existsSync(path)).toBe(false);
    await (await acquireRunLock(path, 200, () => true))();
  });

  it.each(['4242', '', 'nonsense'])('takes over a lock that says %j and whose owner is gone', async (owner) => {
    const path = join(makeFolder({ 'apply.pid': owner }), 'apply.pid');
    await acquireRunLock(path, 200, () => false);
    expect(readFileSync(path, 'utf8')).toBe('200');
  });
});
