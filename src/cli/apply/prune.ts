import { join } from 'node:path';
import type { JournalState } from '../../lock/journal.ts';
import { readLock } from '../../lock/lock-file.ts';
import { pruneOutputs } from '../../project/local-outputs.ts';
import { LOCK_FILE } from '../../project/repository-layout.ts';
import { prunedFilesText } from '../../report/terminal/apply-text.ts';
import type { OpenCommit } from '../commit/open-commit.ts';
import type { Io } from '../io.ts';

/**
 * Removes outputs that are needed no more: those that neither the lockfile, the journal nor the pull request for the lockfile
 * names. Removes nothing when the lockfile cannot be read.
 *
 * @param root absolute
 */
export async function prune(
  root: string,
  { attempts }: JournalState,
  commit: Pick<OpenCommit, 'waiting'> | null,
  io: Pick<Io, 'stderr'>,
): Promise<void> {
  const lock = await readLock(join(root, LOCK_FILE), LOCK_FILE);
  if (!lock.ok) return;
  const removed = await pruneOutputs(root, [
    ...lock.value.videos.values(),
    ...[...attempts.values()].flatMap(({ rendering }) => rendering ?? []),
    ...[...(commit?.waiting.values() ?? [])].map(({ entry }) => entry),
  ]);
  io.stderr.write(prunedFilesText(removed));
}
