import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ReelformError } from '../diagnostic.ts';

/**
 * Keeps a second apply out of a repository. EDGE. The file holds the owner's process id; one whose owner is gone is taken
 * over.
 *
 * @param isAlive whether a process of this machine exists
 * @returns gives the lock up
 * @throws ReelformError `already_running`
 */
export async function acquireRunLock(
  path: string,
  pid: number,
  isAlive: (pid: number) => boolean,
): Promise<() => Promise<void>> {
  await mkdir(dirname(path), { recursive: true });
  for (;;) {
    try {
      const file = await open(path, 'wx');
      await file.writeFile(String(pid));
      await file.close();
      return () => rm(path, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const owner = Number(await readFile(path, 'utf8').catch(() => ''));
    if (owner > 0 && owner !== pid && isAlive(owner)) {
      throw new ReelformError('already_running', `Another apply is at work in this repository, process ${owner}`, {
        hint: 'Wait for it to end, or stop it',
      });
    }
    await rm(path, { force: true });
  }
}
