import { execa } from 'execa';
import { gitProcess } from './run-git.ts';

/** How far back it is looked: beyond, a video is as likely gone as it is to be wanted again. */
const COMMITS = 200;

/** Milliseconds that a plan waits for what git remembers. */
export const TIME_MS = 2_000;

/**
 * Runs `git log` over the changes of the lockfile, latest first, both sides of merges among them. EDGE. What it writes is
 * read from it as it comes.
 *
 * @param format of what stands before the changes of each commit, for `--format`
 */
export function runLockLog(root: string, lockFile: string, format: string, signal: AbortSignal) {
  const args = ['log', '--full-history', `--max-count=${COMMITS}`, `--format=${format}`, '--patch', '--unified=0'];
  const plain = ['--text', '--no-color', '--no-ext-diff', '--no-textconv', '--no-renames'];
  return execa('git', [...args, ...plain, 'HEAD', '--', lockFile], {
    ...gitProcess(root),
    buffer: false,
    cancelSignal: signal,
  });
}
