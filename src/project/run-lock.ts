import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { ReelformError } from '../diagnostic.ts';
import { ifThere } from '../if-there.ts';

/** A takeover lasts milliseconds; a guard this old was left behind by a crash. */
const GUARD_MS = 10_000;

/**
 * Keeps a second apply out of a repository. EDGE. The file holds the owner's process id and a name of this run; it appears
 * whole or not at all. One whose owner is gone is taken over, by one of those that try.
 *
 * @param path absolute
 * @param isAlive whether a process of this machine exists
 * @returns gives the lock up, if it is still this run's
 * @throws ReelformError `already_running`
 */
export async function acquireRunLock(
  path: string,
  pid: number,
  isAlive: (pid: number) => boolean,
): Promise<() => Promise<void>> {
  const mark = `${pid} ${randomUUID()}\n`;
  const own = `${path}.${randomUUID()}`;
  await mkdir(dirname(path), { recursive: true });
  try {
    await writeFile(own, mark, { flag: 'wx' });
    // A link is made whole, and by one process alone.
    while (!(await succeeds(link(own, path), 'EEXIST'))) {
      const stale = await readOwner(path);
      if (stale === null) continue;
      // A power cut leaves an empty file: 0 would ask for this process's own group.
      if (stale.pid > 0 && stale.pid !== pid && isAlive(stale.pid)) throw alreadyRunning(path, stale.pid);
      if (await takeOver(path, own, stale.text)) break;
    }
  } finally {
    await rm(own, { force: true });
  }
  return async () => {
    if ((await readOwner(path))?.text === mark) await rm(path, { force: true });
  };
}

/** Puts our file in place of the stale one. Only who holds the guard may, so nobody replaces what another just put there. */
async function takeOver(path: string, own: string, stale: string): Promise<boolean> {
  const guard = `${path}.guard`;
  if (!(await succeeds(writeFile(guard, '', { flag: 'wx' }), 'EEXIST'))) {
    const ageMs = await stat(guard).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    );
    if (ageMs > GUARD_MS) await rm(guard, { force: true });
    else await setTimeout(5);
    return false;
  }
  try {
    if ((await readOwner(path))?.text !== stale) return false;
    await rename(own, path);
    return true;
  } finally {
    await rm(guard, { force: true });
  }
}

async function readOwner(path: string): Promise<{ pid: number; text: string } | null> {
  const text = await ifThere(readFile(path, 'utf8'));
  return text === null ? null : { pid: Number.parseInt(text, 10) || 0, text };
}

/** Whether it was done; `false` when it failed with this code. */
async function succeeds(action: Promise<void>, code: string): Promise<boolean> {
  try {
    await action;
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === code) return false;
    throw error;
  }
}

function alreadyRunning(path: string, owner: number): ReelformError {
  return new ReelformError('already_running', `Another apply is at work in this repository, process ${owner}`, {
    hint: `Wait for it to end, or stop it. If that process is something else, remove ${path}`,
  });
}
