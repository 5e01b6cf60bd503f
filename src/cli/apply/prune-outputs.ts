import { join } from 'node:path';
import type { JournalState } from '../../reconciler/lock/journal.ts';
import { readLock } from '../../reconciler/lock/lock-file.ts';
import { findUnnamedOutputs, removeOutputs } from '../../reconciler/project/local-outputs.ts';
import { LOCK_FILE } from '../../reconciler/project/repository-layout.ts';
import { prunedFilesText } from '../../report/terminal/apply-text.ts';
import type { OpenCommit } from '../commit/open-commit.ts';
import type { Io } from '../io.ts';

/**
 * Removes outputs that neither the lockfile, the journal nor the pull request of the lockfile names. Removes nothing if
 * the lockfile cannot be read.
 *
 * @param root absolute
 */
export async function pruneOutputs(
  root: string,
  { attempts }: JournalState,
  commit: Pick<OpenCommit, 'waiting'> | null,
  io: Pick<Io, 'stderr'>,
): Promise<void> {
  const lock = await readLock(join(root, LOCK_FILE), LOCK_FILE);
  if (!lock.ok) return;
  const kept = [
    ...lock.value.videos.values(),
    ...[...attempts.values()].flatMap(({ rendering }) => rendering ?? []),
    ...[...(commit?.waiting.values() ?? [])].map(({ entry }) => entry),
  ];
  const files = await findUnnamedOutputs(root, { kept });
  const removed = await removeOutputs(
    root,
    files.map(({ path }) => path),
  );
  io.stderr.write(prunedFilesText(removed));
}
