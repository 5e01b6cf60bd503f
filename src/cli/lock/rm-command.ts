import { EXIT, ReelformError } from '../../diagnostic.ts';
import type { Lock } from '../../lock/lock.ts';
import { findRoot } from '../../project/repository-layout.ts';
import { forgottenText } from '../../report/terminal/lock-text.ts';
import { directoryOf } from '../diagnose.ts';
import type { GlobalOptions } from '../global-options.ts';
import { type Io, wantsColor } from '../io.ts';
import { openDesired } from '../plan/open-desired.ts';
import { changeLock } from './change-lock.ts';
import { entryOf } from './open-lock.ts';
import { withRunLock } from './with-run-lock.ts';

/** `reelform rm ID…`: the lockfile forgets videos, all of those named or none. The videos themselves stay where they are. */
export async function rmCommand(ids: readonly string[], options: GlobalOptions, io: Io): Promise<number> {
  const root = findRoot(directoryOf(options, io));
  return withRunLock(root, io, async () => {
    if ((await changeLock(root, (lock) => without(lock, ids), options, io)) === null) return EXIT.error;
    const wanted = new Set<string>((await openDesired(root)).desired.map(({ id }) => id));
    const color = wantsColor(io.stdout, io.env, options.color);
    io.stdout.write(forgottenText([...new Set(ids)], { color, wanted }));
    return EXIT.ok;
  });
}

/** @throws ReelformError `unknown_video`, `protected_video` */
function without(lock: Lock, ids: readonly string[]): Lock {
  const videos = new Map(lock.videos);
  for (const id of ids) {
    if (entryOf(lock, id).protect === true) {
      throw new ReelformError('protected_video', `The video ${JSON.stringify(id)} is protected`, {
        hint: 'To give it up, apply once with `protect: false` in its definition',
        exitCode: EXIT.refused,
      });
    }
    videos.delete(id);
  }
  return { ...lock, videos };
}
