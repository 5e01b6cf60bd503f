import { EXIT } from '../../kernel/diagnostic.ts';
import { recordFindings } from '../../reconciler/apply/refresh-videos.ts';
import { COMMIT_FLAGS } from '../commit/commit-options.ts';
import { rejectConflictingOptions } from '../global-options.ts';
import type { Io } from '../io.ts';
import { printDrift } from '../plan/drift/drift-command.ts';
import { openLockFile } from '../state/open-lock.ts';
import { approve } from './apply-checks.ts';
import type { ApplyOptions } from './apply-options.ts';

/**
 * `reelform apply --refresh-only`: updates the lockfile without rendering. Marks the entries of lost videos, so that
 * the next plan renders them, and records the new version of changed remote files, so that videos made from the old
 * version count as unchanged. Replaces expired URLs by those of the session. Files that are missing on this machine only are not recorded.
 */
export async function applyDrift(options: ApplyOptions, io: Io): Promise<number> {
  rejectConflictingOptions('--refresh-only', options, {
    replace: '--replace',
    changedSince: '--changed-since',
    maxRenders: '--max-renders',
    policyCommand: '--policy-command',
    expectPlan: '--expect-plan',
    allowUnsearched: '--allow-unsearched',
    prune: '--prune',
    ...COMMIT_FLAGS,
  });
  const shown = await printDrift(options, io.stderr, io);
  if (shown === null) return EXIT.error;
  const { findings } = shown.refreshed;
  if (findings.length === 0) return shown.refreshed.sessions === 'nothing' ? EXIT.error : EXIT.ok;
  await approve(null, options, io);
  await openLockFile(shown.root, shown.lock).update((lock) => recordFindings(lock, findings));
  return EXIT.ok;
}
