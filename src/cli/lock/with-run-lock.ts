import { join } from 'node:path';
import { ReelformError } from '../../diagnostic.ts';
import { OUTPUTS_FOLDER } from '../../lock/lock.ts';
import { acquireProcessLock } from '../../process-lock.ts';
import { sweepUnfinished } from '../../replace-file.ts';
import type { Io } from '../io.ts';

/** Unfinished files of earlier versions, in `.reelform/`. */
const FORMER_NAMES = /^(apply\.pid\.|plan-|stamp-)[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Does something that no apply may be at work beside.
 *
 * @param root absolute
 * @throws ReelformError `already_running`, and whatever it threw
 */
export async function withRunLock<T>(root: string, io: Io, work: () => Promise<T>): Promise<T> {
  const folder = join(root, '.reelform');
  const release = await acquireProcessLock(join(folder, 'apply.pid'), alreadyRunning);
  try {
    await Promise.all([
      sweepUnfinished(root, io.now()),
      sweepUnfinished(folder, io.now(), { names: FORMER_NAMES }),
      sweepUnfinished(join(root, 'schemas'), io.now()),
      sweepUnfinished(join(root, OUTPUTS_FOLDER), io.now(), { recursive: true }),
    ]);
    return await work();
  } finally {
    await release();
  }
}

function alreadyRunning(holder: string): ReelformError {
  return new ReelformError('already_running', `Another apply is running in this repository: ${holder}`, {
    hint: 'Wait for it to end, or stop it. If it was killed, run the command again in 30 seconds',
  });
}
