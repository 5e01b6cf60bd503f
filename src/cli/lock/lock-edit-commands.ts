import { parseVideoId, VIDEO_ID_HINT } from '../../definition/video.ts';
import { EXIT, ReelformError } from '../../diagnostic.ts';
import type { Lock } from '../../lock/lock.ts';
import { findRoot } from '../../project/repository-layout.ts';
import { forgottenText, movedText } from '../../report/terminal/lock-text.ts';
import { type GlobalOptions, workingDirectory } from '../global-options.ts';
import { type Io, wantsColor } from '../io.ts';
import { stdoutStyle } from '../output.ts';
import { loadDesiredState } from '../plan/load-desired-state.ts';
import { lockEntry, updateLock, withRunLock } from './open-lock.ts';

/** `reelform mv FROM TO`: changes the id of a video in the lockfile. Its files and its rendering stay the same. */
export async function mvCommand(from: string, to: string, options: GlobalOptions, io: Io): Promise<number> {
  const root = findRoot(workingDirectory(options, io));
  return withRunLock(root, io, async () => {
    const lock = await updateLock(root, (present) => moved(present, from, to), options, io);
    if (lock === null) return EXIT.error;
    const ids = new Set<string>((await loadDesiredState(root)).desired.map(({ id }) => id));
    io.stdout.write(
      movedText(from, to, { ...stdoutStyle(options, io), isWanted: ids.has(to), wasWanted: ids.has(from) }),
    );
    return EXIT.ok;
  });
}

/** @throws ReelformError `unknown_video`, `invalid_id`, `duplicate_id` */
function moved(lock: Lock, from: string, to: string): Lock {
  const entry = lockEntry(lock, from);
  if (parseVideoId(to) === null) {
    throw new ReelformError('invalid_id', `${JSON.stringify(to)} is not a valid video id`, { hint: VIDEO_ID_HINT });
  }
  const videos = new Map(lock.videos);
  videos.delete(from);
  const taken = from === to ? from : [...videos.keys()].find((id) => id.toLowerCase() === to.toLowerCase());
  if (taken !== undefined) {
    throw new ReelformError('duplicate_id', `The lockfile already has a video ${JSON.stringify(taken)}`, {
      hint: `Choose another id, or remove that video: reelform rm ${taken}`,
    });
  }
  return { ...lock, videos: videos.set(to, entry) };
}

/** `reelform rm ID…`: removes videos from the lockfile, all of them or none. The files are kept. */
export async function rmCommand(ids: readonly string[], options: GlobalOptions, io: Io): Promise<number> {
  const root = findRoot(workingDirectory(options, io));
  return withRunLock(root, io, async () => {
    if ((await updateLock(root, (lock) => without(lock, ids), options, io)) === null) return EXIT.error;
    const wanted = new Set<string>((await loadDesiredState(root)).desired.map(({ id }) => id));
    const color = wantsColor(io.stdout, io.env, options.color);
    io.stdout.write(forgottenText([...new Set(ids)], { color, wanted }));
    return EXIT.ok;
  });
}

/** @throws ReelformError `unknown_video`, `protected_video` */
function without(lock: Lock, ids: readonly string[]): Lock {
  const videos = new Map(lock.videos);
  for (const id of ids) {
    if (lockEntry(lock, id).protect === true) {
      throw new ReelformError('protected_video', `The video ${JSON.stringify(id)} is protected`, {
        hint: 'To remove it, first apply with `protect: false` in its definition',
        exitCode: EXIT.refused,
      });
    }
    videos.delete(id);
  }
  return { ...lock, videos };
}
