import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '../temporary-folder.ts';
import { runGit } from './run-git.ts';

/** The files of a commit in a temporary folder. */
export interface CommitFiles {
  /** Absolute path that corresponds to `root` in the repository. */
  readonly root: string;
  remove(): Promise<void>;
}

/** Enough for a repository with much footage on a slow disk. */
const TIMEOUT_MS = 10 * 60_000;

/** Age at which a folder that was left behind is deleted. */
const STALE_MS = 24 * 3_600_000;

/**
 * Writes the files of a commit below a folder to a temporary folder. Runs filters such as those of Git LFS, but no
 * hooks. Does not change the work tree, the index or a branch of the repository.
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
    // Run in a folder, it writes only the files below it.
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
