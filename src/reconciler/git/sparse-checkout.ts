import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { runGit, tryGit } from './run-git.ts';

/**
 * Returns the files below a folder that git has and leaves out of the work tree on purpose, as `git sparse-checkout`
 * does. They are not removed.
 *
 * @param root absolute; returned paths are relative to it, with `/`
 * @param folder below the root; `''` for all
 * @throws ReelformError `git_failed` for a sparse checkout that git cannot read
 */
export async function leftOutFiles(root: string, folder: string): Promise<string[]> {
  const args = ['ls-files', '-t', '-z', '--', folder === '' ? '.' : `:(literal)${folder}`];
  const listed = isSparse(root) ? await runGit(root, args) : await tryGit(root, args);
  const skipped = (listed ?? '').split('\0').flatMap((line) => (line.startsWith('S ') ? [line.slice(2)] : []));
  // Git reads a file that exists, even if the index marks it as skipped.
  return skipped.filter((path) => !existsSync(join(root, path)));
}

/** Returns true if patterns for a sparse checkout exist, which may be turned off. Starts no process. */
export function isSparse(root: string): boolean {
  for (let folder = root; ; folder = dirname(folder)) {
    const git = join(folder, '.git');
    if (existsSync(git)) return existsSync(join(gitFolder(git), 'info/sparse-checkout'));
    if (folder === dirname(folder)) return false;
  }
}

/** Resolves a `.git` file, which linked worktrees and submodules have instead of the folder. */
function gitFolder(git: string): string {
  try {
    const path = /^gitdir: (.+)$/m.exec(readFileSync(git, 'utf8'))?.[1];
    return path === undefined ? git : resolve(dirname(git), path);
  } catch {
    return git;
  }
}
