import { lacksVideo } from '../../contract/render-service.ts';
import { isSignedUrl } from '../../contract/urls.ts';
import { EXIT, ReelformError } from '../../kernel/diagnostic.ts';
import { didYouMean } from '../../kernel/hints.ts';
import { mappingDifferences } from '../../reconciler/apply/mapping-differences.ts';
import { renderingOf } from '../../reconciler/apply/watch-session.ts';
import { parseVideoId, videoIdHint } from '../../reconciler/definition/video.ts';
import type { Lock, LockRendering } from '../../reconciler/lock/lock.ts';
import type { DesiredVideo } from '../../reconciler/plan/desired-video.ts';
import { editLock, lockEdits } from '../../reconciler/plan/lock-edits.ts';
import { create } from '../../reconciler/plan/plan-videos.ts';
import { findRoot } from '../../reconciler/project/repository-layout.ts';
import { forgottenText, importedText, movedText } from '../../report/terminal/lock-text.ts';
import { differencesText } from '../../report/terminal/resolve-text.ts';
import { leftOutHint } from '../../report/wording/left-out-words.ts';
import { type GlobalOptions, workingDirectory } from '../global-options.ts';
import type { Io } from '../io.ts';
import { printDiagnostics, stdoutStyle } from '../output.ts';
import { withProcesses } from '../render/command-pool.ts';
import { fetchSession, openRemoteService } from '../service/open-remote-service.ts';
import { type DesiredState, loadDesiredState } from '../state/load-desired-state.ts';
import { lockEntry, updateLock, withRunLock } from '../state/open-lock.ts';

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
    throw new ReelformError('invalid_id', `${JSON.stringify(to)} is not a valid video id`, { hint: videoIdHint(to) });
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
    io.stdout.write(forgottenText([...new Set(ids)], { ...stdoutStyle(options, io), wanted }));
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

/**
 * `reelform import ID --session S`: records the result of a session at the service as the rendering of a video, if it
 * matches the definition. Renders nothing.
 */
export async function importCommand(
  id: string,
  options: GlobalOptions & { readonly session: string },
  io: Io,
): Promise<number> {
  const root = findRoot(workingDirectory(options, io));
  return withRunLock(root, io, async () => {
    // The lengths of scenes are compared too, and recorded.
    const repository = await withProcesses(io, (processes) =>
      loadDesiredState(root, { cache: false, openPool: () => processes.open() }),
    );
    const video = repository.desired.find((video) => video.id === id);
    if (video === undefined) {
      // An error in a definition may be the reason that the video is missing.
      printDiagnostics(repository.diagnostics, repository.source, options, io);
      const ids = repository.desired.map((video) => video.id);
      const condition = leftOutHint([...repository.leftOut, ...repository.waiting].find((video) => video.id === id));
      const hint = condition ?? didYouMean(id, ids) ?? 'Write a definition with the content of the session first';
      throw new ReelformError('unknown_video', `No definition creates the video ${JSON.stringify(id)}`, { hint });
    }
    const rendering = await readRendering(video, options.session, repository, io);
    const edits = lockEdits({ ...create(video), destinations: [] }, rendering);
    if ((await updateLock(root, (lock) => editLock(lock, [edits]), options, io)) === null) return EXIT.error;
    io.stdout.write(
      importedText(id, rendering, { ...stdoutStyle(options, io), isSigned: isSignedUrl(rendering.video_url) }),
    );
    return EXIT.ok;
  });
}

/**
 * @throws ReelformError `config_invalid`, `session_gone`, `session_failed`, `session_without_video`, `session_differs`
 */
async function readRendering(
  video: DesiredVideo,
  id: string,
  { config }: DesiredState,
  io: Io,
): Promise<LockRendering> {
  if (config.service === 'embedded') {
    throw new ReelformError('config_invalid', 'With "service: embedded", sessions end with the run', {
      hint: `Render it: reelform apply --target ${video.id}`,
    });
  }
  const service = openRemoteService({ config }, io);
  const session = await fetchSession(service, id);
  const rendering = renderingOf(session);
  if (lacksVideo(session)) {
    throw new ReelformError('session_without_video', `The session ${id} is rendered, but has no video_url yet`, {
      hint: 'Import it again in a moment',
    });
  }
  if (rendering === null) {
    throw new ReelformError('session_failed', `The session ${id} has no video; its status is ${session.status}`, {
      hint: 'Import a finished session. A running session can be imported when it has finished',
    });
  }
  const differences = mappingDifferences(video, session);
  if (differences.length === 0) return rendering;
  const message = `The session ${id} has a different content: ${differencesText(differences)}`;
  const hint = `Change ${video.path} to match the session, or render the video: reelform apply --target ${video.id}`;
  throw new ReelformError('session_differs', message, { hint });
}
