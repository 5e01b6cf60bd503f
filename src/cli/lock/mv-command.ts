import { parseVideoId, VIDEO_ID_HINT } from '../../definition/video.ts';
import { EXIT, ReelformError } from '../../diagnostic.ts';
import type { Lock } from '../../lock/lock.ts';
import { findRoot } from '../../project/repository-layout.ts';
import { movedText } from '../../report/terminal/lock-text.ts';
import { directoryOf } from '../diagnose.ts';
import type { GlobalOptions } from '../global-options.ts';
import { type Io, wantsColor } from '../io.ts';
import { openDesired } from '../plan/open-desired.ts';
import { changeLock } from './change-lock.ts';
import { entryOf } from './open-lock.ts';
import { withRunLock } from './with-run-lock.ts';

/** `reelform mv FROM TO`: the lockfile knows a video by another id. Its files and its rendering stay as they are. */
export async function mvCommand(from: string, to: string, options: GlobalOptions, io: Io): Promise<number> {
  const root = findRoot(directoryOf(options, io));
  return withRunLock(root, io, async () => {
    const lock = await changeLock(root, (present) => moved(present, from, to), options, io);
    if (lock === null) return EXIT.error;
    const ids = new Set<string>((await openDesired(root)).desired.map(({ id }) => id));
    const color = wantsColor(io.stdout, io.env, options.color);
    io.stdout.write(movedText(from, to, { color, isWanted: ids.has(to), wasWanted: ids.has(from) }));
    return EXIT.ok;
  });
}

/** @throws ReelformError `unknown_video`, `invalid_id`, `duplicate_id` */
function moved(lock: Lock, from: string, to: string): Lock {
  const entry = entryOf(lock, from);
  if (parseVideoId(to) === null) {
    throw new ReelformError('invalid_id', `${JSON.stringify(to)} is no id of a video`, { hint: VIDEO_ID_HINT });
  }
  const videos = new Map(lock.videos);
  videos.delete(from);
  const taken = from === to ? from : [...videos.keys()].find((id) => id.toLowerCase() === to.toLowerCase());
  if (taken !== undefined) {
    throw new ReelformError('duplicate_id', `The lockfile has a video ${JSON.stringify(taken)} already`, {
      hint: `Choose another id, or forget that one: reelform rm ${taken}`,
    });
  }
  return { ...lock, videos: videos.set(to, entry) };
}
