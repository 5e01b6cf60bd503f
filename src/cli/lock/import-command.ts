import { mappingDifferences } from '../../apply/session-differences.ts';
import { renderingOf } from '../../apply/watch-session.ts';
import { EXIT, ReelformError } from '../../diagnostic.ts';
import { closestMatch } from '../../hints.ts';
import type { Rendering } from '../../lock/lock.ts';
import type { DesiredVideo } from '../../plan/desired-video.ts';
import { editLock, lockEdits } from '../../plan/lock-edits.ts';
import { findRoot } from '../../project/repository-layout.ts';
import { importedText } from '../../report/terminal/lock-text.ts';
import { differencesText } from '../../report/terminal/resolve-text.ts';
import { isSignedUrl } from '../../service/urls.ts';
import { directoryOf, tellDiagnostics } from '../diagnose.ts';
import type { GlobalOptions } from '../global-options.ts';
import { type Io, wantsColor } from '../io.ts';
import { readSession } from '../journal/read-session.ts';
import { type OpenDesired, openDesired } from '../plan/open-desired.ts';
import { openRemoteService } from '../service/open-remote-service.ts';
import { changeLock } from './change-lock.ts';
import { withRunLock } from './with-run-lock.ts';

/**
 * `reelform import ID --session S`: records what a session at the service has rendered as the rendering of a video, if it is
 * what the definition says. Nothing is rendered.
 */
export async function importCommand(
  id: string,
  options: GlobalOptions & { readonly session: string },
  io: Io,
): Promise<number> {
  const root = findRoot(directoryOf(options, io));
  return withRunLock(root, io, async () => {
    const repository = await openDesired(root, { cache: false });
    const video = repository.desired.find((one) => one.id === id);
    if (video === undefined) {
      // It may be missing for one of these.
      tellDiagnostics(repository.diagnostics, repository.source, options, io);
      const ids = repository.desired.map((one) => one.id);
      const meant = closestMatch(id, ids);
      const hint = 'Write it first: it has to say what the session was made from';
      throw new ReelformError('unknown_video', `No definition has the video ${JSON.stringify(id)}`, {
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
    if ((await changeLock(root, (lock) => editLock(lock, [edits]), options, io)) === null) return EXIT.error;
    const color = wantsColor(io.stdout, io.env, options.color);
    io.stdout.write(importedText(id, rendering, { color, isSigned: isSignedUrl(rendering.video_url) }));
    return EXIT.ok;
  });
}

/** @throws ReelformError `config_invalid`, `session_gone`, `session_failed`, `session_differs` */
async function readRendering(video: DesiredVideo, id: string, { config }: OpenDesired, io: Io): Promise<Rendering> {
  if (config.service === 'embedded') {
    throw new ReelformError('config_invalid', 'With "service: embedded" there are no sessions that outlive a run', {
      hint: `Render it: reelform apply --target ${video.id}`,
    });
  }
  const service = openRemoteService({ config }, io);
  const session = await readSession(service, id);
  const rendering = renderingOf(session);
  if (rendering === null) {
    throw new ReelformError('session_failed', `The session ${id} has no video: its status is ${session.status}`, {
      hint: 'Import a session that has ended with one; one that is still rendered can be imported later',
    });
  }
  const differences = mappingDifferences(video, session);
  if (differences.length === 0) return rendering;
  throw new ReelformError('session_differs', `The session ${id} is another video: ${differencesText(differences)}`, {
    hint: `Change ${video.path} to what was rendered, or render what it says: reelform apply --target ${video.id}`,
  });
}
