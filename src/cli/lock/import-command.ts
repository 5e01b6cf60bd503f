import { mappingDifferences } from '../../apply/session-differences.ts';
import { renderingOf } from '../../apply/watch-session.ts';
import { EXIT, ReelformError } from '../../diagnostic.ts';
import { closestMatch } from '../../hints.ts';
import type { LockRendering } from '../../lock/lock.ts';
import type { DesiredVideo } from '../../plan/desired-video.ts';
import { editLock, lockEdits } from '../../plan/lock-edits.ts';
import { findRoot } from '../../project/repository-layout.ts';
import { importedText } from '../../report/terminal/lock-text.ts';
import { differencesText } from '../../report/terminal/resolve-text.ts';
import { isSignedUrl } from '../../service/urls.ts';
import { type GlobalOptions, workingDirectory } from '../global-options.ts';
import type { Io } from '../io.ts';
import { printDiagnostics, stdoutStyle } from '../output.ts';
import { type DesiredState, loadDesiredState } from '../plan/load-desired-state.ts';
import { fetchSession, openRemoteService } from '../service/open-remote-service.ts';
import { updateLock, withRunLock } from './open-lock.ts';

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
    const repository = await loadDesiredState(root, { cache: false });
    const video = repository.desired.find((video) => video.id === id);
    if (video === undefined) {
      // An error in a definition may be the reason that the video is missing.
      printDiagnostics(repository.diagnostics, repository.source, options, io);
      const ids = repository.desired.map((video) => video.id);
      const meant = closestMatch(id, ids);
      const hint = 'Write a definition with the content of the session first';
      throw new ReelformError('unknown_video', `No definition creates the video ${JSON.stringify(id)}`, {
        hint: meant === null ? hint : `Did you mean ${meant}?`,
      });
    }
    const rendering = await readRendering(video, options.session, repository, io);
    const edits = lockEdits(
      {
        action: 'create',
        id: video.id,
        previousId: null,
        reason: 'new',
        inputs: [],
        fields: [],
        destinations: [],
        desired: video,
        before: null,
      },
      rendering,
    );
    if ((await updateLock(root, (lock) => editLock(lock, [edits]), options, io)) === null) return EXIT.error;
    io.stdout.write(
      importedText(id, rendering, { ...stdoutStyle(options, io), isSigned: isSignedUrl(rendering.video_url) }),
    );
    return EXIT.ok;
  });
}

/** @throws ReelformError `config_invalid`, `session_gone`, `session_failed`, `session_differs` */
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
  if (rendering === null) {
    throw new ReelformError('session_failed', `The session ${id} has no video; its status is ${session.status}`, {
      hint: 'Import a finished session. A running session can be imported when it has finished',
    });
  }
  const differences = mappingDifferences(video, session);
  if (differences.length === 0) return rendering;
  throw new ReelformError(
    'session_differs',
    `The session ${id} has a different content: ${differencesText(differences)}`,
    {
      hint: `Change ${video.path} to match the session, or render the video: reelform apply --target ${video.id}`,
    },
  );
}
