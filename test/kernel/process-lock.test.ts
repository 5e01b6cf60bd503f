import { existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { acquireProcessLock } from '../../src/kernel/process-lock.ts';
import { CAN_UNSHARE, startChild, UNSHARE } from '../support/child-program.ts';
import { makeFolder } from '../support/repository.ts';

const HOLDER = join(import.meta.dirname, '../support/hold-lock.ts');
/** Above every possible process id of Linux and macOS. */
const NOBODY = 2 ** 22 + 1;

const acquire = (path: string) => acquireProcessLock(path, (holder) => new Error(`held by ${holder}`));
const newPath = (): string => join(makeFolder({}), '.reelform/apply.pid');

/** Backdates a lock file, as if its owner had stopped renewing it. */
function age(path: string, ms: number): void {
  const past = (Date.now() - ms) / 1000;
  utimesSync(path, past, past);
}

/** Writes the lock file of an owner that is gone, with some fields changed. */
async function writeLock(path: string, change: object): Promise<void> {
  const release = await acquire(path);
  const owner = JSON.parse(readFileSync(path, 'utf8')) as object;
  await release();
  writeFileSync(path, JSON.stringify({ ...owner, ...change }));
}

describe('acquireProcessLock()', () => {
  it('excludes other acquisitions, in the same process too, until it is released', async () => {
    const path = newPath();
    const release = await acquire(path);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ pid: process.pid, host: hostname() });
    await expect(acquire(path)).rejects.toThrow(`held by process ${process.pid}`);
    await release();
    await release();
    expect(readdirSync(join(path, '..'))).toEqual([]);
    await (await acquire(path))();
  });

  it('excludes others while its process runs or is suspended, until that process ends', async () => {
    const path = newPath();
    const child = await startChild(HOLDER, [path]);
    await child.line('held');
    const refused = `held by process ${child.pid}`;
    await expect(acquire(path)).rejects.toThrow(refused);
    process.kill(child.pid, 'SIGSTOP');
    age(path, 3_600_000);
    if (existsSync('/proc/self')) await expect(acquire(path)).rejects.toThrow(refused);
    await child.kill();
    age(path, 3_600_000);
    await (await acquire(path))();
  });

  it('takes over from an owner whose process id was reused', async () => {
    const path = newPath();
    await writeLock(path, { identity: 'started at another time' });
    age(path, 60_000);
    await (await acquire(path))();
  });

  it.each([
    ['on another host', { host: 'elsewhere' }, 'process 7 on elsewhere'],
    ['in another container', { pids: 'b007 pid:[1]' }, 'process 7 in another container'],
    ['on a host of this name without /proc', { pids: null }, 'process 7 in another container'],
  ])('respects an owner %s while it renews its lock file', async (_, change, holder) => {
    if (!existsSync('/proc/self')) return;
    const path = newPath();
    await writeLock(path, { pid: 7, ...change });
    age(path, 20_000);
    await expect(acquire(path)).rejects.toThrow(`held by ${holder}`);
    age(path, 31_000);
    await (await acquire(path))();
  });

  it('respects an owner recorded by an earlier version while its process exists', async () => {
    const path = join(makeFolder({ 'apply.pid': `${process.ppid} other\n` }), 'apply.pid');
    await expect(acquire(path)).rejects.toThrow(`held by process ${process.ppid}`);
    for (const text of [`${NOBODY}`, `${NOBODY} old\n`]) {
      writeFileSync(path, text);
      await (await acquire(path))();
    }
  });

  it.each(['', 'nonsense', '0 x', '-1 x', '{"pid":0}', '{"pid":"7"}'])(
    'takes over a lock with the content %j',
    async (text) => {
      const path = join(makeFolder({ 'apply.pid': text }), 'apply.pid');
      await acquire(path);
      expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ pid: process.pid });
    },
  );

  it('admits exactly one of many, with or without a stale lock', async () => {
    for (let round = 0; round < 40; round++) {
      const path = join(makeFolder(round % 2 === 0 ? {} : { 'apply.pid': `${NOBODY} old` }), 'apply.pid');
      const tries = await Promise.allSettled(Array.from({ length: 6 }, () => acquire(path)));
      const held = tries.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
      expect(held).toHaveLength(1);
      expect(readdirSync(join(path, '..'))).toEqual(['apply.pid']);
      await held[0]!();
    }
  });

  it('does not release a lock that another process has taken over', async () => {
    const path = newPath();
    const release = await acquire(path);
    writeFileSync(path, 'other');
    await release();
    expect(readFileSync(path, 'utf8')).toBe('other');
  });

  it('removes old leftovers of killed acquisitions, but no recent files', async () => {
    const path = newPath();
    await (await acquire(path))();
    const [old, young] = ['0', '1'].map((digit) => {
      return join(path, '..', `.unfinished-${digit}0000000-0000-4000-8000-000000000000`);
    }) as [string, string];
    for (const file of [old, young]) writeFileSync(file, '');
    age(old, 3_600_000);
    await (await acquire(path))();
    expect([existsSync(old), existsSync(young)]).toEqual([false, true]);
  });

  it.runIf(CAN_UNSHARE)('excludes a process in another container while the owner lives', async () => {
    const path = newPath();
    const first = await startChild(HOLDER, [path], UNSHARE);
    await first.line('held');
    await expect(acquire(path)).rejects.toThrow('held by process 1 in another container');
    const second = await startChild(HOLDER, [path], UNSHARE);
    expect(await second.ended).toMatchObject({ stderr: expect.stringContaining('held by process 1 in another') });
    age(path, 60_000);
    // A renewal shows that the owner is alive.
    while (Date.now() - statSync(path).mtimeMs > 50_000) await new Promise((resolve) => setTimeout(resolve, 100));
    await expect(acquire(path)).rejects.toThrow('held by process 1 in another container');
    await first.kill();
    age(path, 31_000);
    await (await acquire(path))();
  });
});
