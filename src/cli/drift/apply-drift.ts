import { recordFindings } from '../../apply/refresh-videos.ts';
import { EXIT } from '../../diagnostic.ts';
import type { ApplyOptions } from '../apply/apply-options.ts';
import { approve } from '../apply/approve.ts';
import { COMMIT_FLAGS } from '../commit/commit-options.ts';
import type { Io } from '../io.ts';
import { openLockFile } from '../lock/open-lock.ts';
import { refuseTogether } from '../refuse-together.ts';
import { showDrift } from './show-drift.ts';

/**
 * `reelform apply --refresh-only`: makes the lockfile say what is, and renders nothing. The entry of a video that is lost
 * is marked, so that the next plan renders the video; of a remote file that changed the new version is noted, so that the video
 * made from the old one counts as it is. A file that is missing on this machine alone is no matter of the lockfile.
 */
export async function applyDrift(options: ApplyOptions, io: Io): Promise<number> {
  refuseTogether('--refresh-only', options, {
    replace: '--replace',
    changedSince: '--changed-since',
    maxRenders: '--max-renders',
    policyCommand: '--policy-command',
    expectPlan: '--expect-plan',
    prune: '--prune',
    ...COMMIT_FLAGS,
  });
  const shown = await showDrift(options, io.stderr, io);
  if (shown === null) return EXIT.error;
  const { findings } = shown.refreshed;
  if (findings.length === 0) return shown.refreshed.sessions === 'nothing' ? EXIT.error : EXIT.ok;
  await approve(0, options, io);
  await openLockFile(shown.root, shown.lock).update((lock) => recordFindings(lock, findings));
  return EXIT.ok;
}
