import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '../temporary-folder.ts';
import { runGit } from './run-git.ts';

/** The files of a commit, in a folder of their own. */
export interface CommitFiles {
  /** Absolute: what in it is where `root` is in the repository. */
  readonly root: string;
  remove(): Promise<void>;
}

/** Of a repository with much footage, from a disk that is slow. */
const TIMEOUT_MS = 10 * 60_000;

/** Nobody looks at one for a day. */
const STALE_MS = 24 * 3_600_000;

/**
 * Writes the files below a folder as a commit has them, to a temporary folder. EDGE. Filters such as those of Git LFS do their
 * work, hooks do not; neither the work tree nor the index nor a branch of the repository is touched.
 *
 * @param root absolute; a folder of the repository
 * @throws ReelformError `git_failed`
 */
export async function checkoutCommit(root: string, commit: string): Promise<CommitFiles> {
  const folder = temporaryFolder('reelform-base-', STALE_MS);
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const files = join(folder, 'files');
  const env = { GIT_INDEX_FILE: join(folder, 'index') };
  try {
    const below = (await runGit(root, ['rev-parse', '--show-prefix'])).trimEnd();
    await runGit(root, ['-c', 'core.hooksPath=/dev/null', 'read-tree', commit], { env });
    // In a folder it writes what is below that folder alone.
    await runGit(root, ['checkout-index', '--all', '--force', '--quiet', `--prefix=${files}/`], {
      env,
      timeoutMs: TIMEOUT_MS,
    });
    return { root: join(files, below), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
