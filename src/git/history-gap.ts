import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ReelformError } from '../diagnostic.ts';
import { runGit } from './run-git.ts';

/** Why the history of a repository cannot be searched, and what to do about it. */
export interface HistoryGap {
  readonly message: string;
  readonly hint: string | undefined;
}

/**
 * Returns why git does not show the whole history: the clone is shallow, git refuses the folder, or there is no git. EDGE. Null
 * when it does, and outside of a repository, which has no history.
 *
 * @param root absolute
 */
export async function historyGap(root: string): Promise<HistoryGap | null> {
  if (!isInRepository(root)) return null;
  try {
    const isShallow = (await runGit(root, ['rev-parse', '--is-shallow-repository'])).trim() === 'true';
    if (!isShallow) return null;
    const hint = 'Fetch all of it: git fetch --unshallow, or "fetch-depth: 0" for actions/checkout';
    return { message: 'this clone is shallow', hint };
  } catch (error) {
    if (!(error instanceof ReelformError)) throw error;
    return { message: error.message, hint: error.hint };
  }
}

/** Whether a folder is in a repository. EDGE. Git gives one error for no repository and for one that it cannot read. */
export function isInRepository(root: string): boolean {
  for (let folder = root; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return true;
    if (folder === dirname(folder)) return false;
  }
}
