import { join } from 'node:path';
import { OUTPUTS_FOLDER } from '../../lock/output-path.ts';
import { acquireRunLock } from '../../project/run-lock.ts';
import { sweepUnfinished } from '../../project/sweep-unfinished.ts';
import type { Io } from '../io.ts';

/**
 * Does something that no apply may be at work beside.
 *
 * @param root absolute
 * @throws ReelformError `already_running`, and whatever it threw
 */
export async function withRunLock<T>(root: string, io: Io, work: () => Promise<T>): Promise<T> {
  const release = await acquireRunLock(join(root, '.reelform', 'apply.pid'), io.pid, io.isAlive);
  try {
    // Nobody else writes here now: what is unfinished and old was left by one that was killed.
    await sweepUnfinished(root, io.now(), { recursive: false });
    await sweepUnfinished(join(root, OUTPUTS_FOLDER), io.now(), { recursive: true });
    return await work();
  } finally {
    await release();
  }
}
