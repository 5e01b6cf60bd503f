import { join } from 'node:path';
import { acquireRunLock } from '../project/run-lock.ts';
import type { Io } from './io.ts';

/**
 * Does something that no apply may be at work beside.
 *
 * @param root absolute
 * @throws ReelformError `already_running`, and whatever it threw
 */
export async function withRunLock<T>(root: string, io: Io, work: () => Promise<T>): Promise<T> {
  const release = await acquireRunLock(join(root, '.reelform', 'apply.pid'), io.pid, io.isAlive);
  try {
    return await work();
  } finally {
    await release();
  }
}
