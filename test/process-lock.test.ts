import { existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { acquireProcessLock } from '../src/process-lock.ts';
import { CAN_UNSHARE, startChild, UNSHARE } from './support/child-program.ts';
import { makeFolder } from './support/repository.ts';

const HOLDER = join(import.meta.dirname, 'support/hold-lock.ts');
/** Above every process id of Linux and macOS. */
const NOBODY = 2 ** 22 + 1;

const acquire = (path: string) => acquireProcessLock(path, (holder) => new Error(`held by ${holder}`));
const newPath = (): string => join(makeFolder({}), '.reelform/apply.pid');

/** As if the owner had not touched its lock since. */
function age(path: string, ms: number): void {
  const past = (Date.now() - ms) / 1000;
  utimesSync(path, past, past);
}

/** A lock file with these fields changed, once its owner has gone. */
async function writeLock(path: string, change: object): Promise<void> {
  const release = await acquire(path);
  const owner = JSON.parse(readFileSync(path, 'utf8')) as object;
  await release();
  writeFileSync(path, JSON.stringify({ ...owner, ...change }));
}

describe('acquireProcessLock()', () => {
  it('keeps others out, in the same process too, until it is released', async () => {
    const path = newPath();
    const release = await acquire(path);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ pid: process.pid, host: hostname() });
    await expect(acquire(path)).rejects.toThrow(`held by process ${process.pid}`);
    await release();
    await release();
    expect(readdirSync(join(path, '..'))).toEqual([]);
    await (await acquire(path))();
  });

  it('keeps others out while its process is running or suspended, until that is dead', async () => {
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

  it('takes over from a process whose id another one has now', async () => {
    const path = newPath();
    await writeLock(path, { identity: 'started at another time' });
    age(path, 60_000);
    await (await acquire(path))();
  });

  it.each([
    ['on another host', { host: 'elsewhere' }, 'process 7 on elsewhere'],
    ['in another container', { pids: 'b007 pid:[1]' }, 'process 7 in another container'],
    ['on a host of this name without /proc', { pids: null }, 'process 7 in another container'],
  ])('believes an owner %s for as long as it touches its file', async (_, change, holder) => {
    if (!existsSync('/proc/self')) return;
    const path = newPath();
    await writeLock(path, { pid: 7, ...change });
    age(path, 20_000);
    await expect(acquire(path)).rejects.toThrow(`held by ${holder}`);
    age(path, 31_000);
    await (await acquire(path))();
  });

  it('believes an owner that an earlier version wrote while its process exists', async () => {
    const path = join(makeFolder({ 'apply.pid': `${process.ppid} other\n` }), 'apply.pid');
    await expect(acquire(path)).rejects.toThrow(`held by process ${process.ppid}`);
    for (const text of [`${NOBODY}`, `${NOBODY} old\n`]) {
      writeFileSync(path, text);
      await (await acquire(path))();
    }
  });

  it.each(['', 'nonsense', '0 x', '-1 x', '{"pid":0}', '{"pid":"7"}'])(
    'takes over a lock that says %j',
    async (text) => {
      const path = join(makeFolder({ 'apply.pid': text }), 'apply.pid');
      await acquire(path);
      expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ pid: process.pid });
    },
  );

  it('lets one of many in, whether or not an old lock is there', async () => {
    for (let round = 0; round < 40; round++) {
      const path = join(makeFolder(round % 2 === 0 ? {} : { 'apply.pid': `${NOBODY} old` }), 'apply.pid');
      const tries = await Promise.allSettled(Array.from({ length: 6 }, () => acquire(path)));
      const held = tries.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
      expect(held).toHaveLength(1);
      expect(readdirSync(join(path, '..'))).toEqual(['apply.pid']);
      await held[0]!();
    }
  });

  it('does not release a lock that is of another process by now', async () => {
    const path = newPath();
    const release = await acquire(path);
    writeFileSync(path, 'other');
    await release();
    expect(readFileSync(path, 'utf8')).toBe('other');
  });

  it('removes what a killed acquisition left in the folder, and nothing new', async () => {
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

  it.runIf(CAN_UNSHARE)('keeps a process in another container out, for as long as the owner lives', async () => {
    const path = newPath();
    const first = await startChild(HOLDER, [path], UNSHARE);
    await first.line('held');
    await expect(acquire(path)).rejects.toThrow('held by process 1 in another container');
    const second = await startChild(HOLDER, [path], UNSHARE);
    expect(await second.ended).toMatchObject({ stderr: expect.stringContaining('held by process 1 in another') });
    age(path, 60_000);
    // The heartbeat shows that it is alive.
    while (Date.now() - statSync(path).mtimeMs > 50_000) await new Promise((resolve) => setTimeout(resolve, 100));
    await expect(acquire(path)).rejects.toThrow('held by process 1 in another container');
    await first.kill();
    age(path, 31_000);
    await (await acquire(path))();
  });
});
