import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { ReelformError } from '../diagnostic.ts';
import type { Fingerprint } from '../lock/lock.ts';
import { parseLock } from '../lock/parse-lock.ts';
import type { FormerEntry } from '../plan/plan.ts';
import { gitProcess, runGit, tryGit } from './run-git.ts';

/**
 * Entries that the lockfile once had, at the present commit or before it, with the fingerprints that are wanted; of several
 * the latest. EDGE. A bounded look, and a favour: where there is no git, not enough history or not enough time, there are
 * fewer, and never an error.
 *
 * @param options.root absolute
 * @param options.lockFile below it
 */
export async function formerEntries(options: {
  readonly root: string;
  readonly lockFile: string;
  readonly fingerprints: ReadonlySet<Fingerprint>;
  /** Ends the search; after two seconds when absent. */
  readonly signal?: AbortSignal;
}): Promise<Map<Fingerprint, FormerEntry>> {
  const { root, lockFile, fingerprints, signal = AbortSignal.timeout(TIME_MS) } = options;
  const found = new Map<Fingerprint, FormerEntry>();
  if (fingerprints.size === 0) return found;
  const wanted = new Set(fingerprints);
  await take('HEAD');
  if (wanted.size === 0) return found;
  for (const commit of await commitsBefore(root, lockFile, wanted, signal)) {
    if (wanted.size === 0 || signal.aborted) break;
    await take(commit);
  }
  return found;

  async function take(revision: string): Promise<void> {
    const text = await tryGit(root, ['cat-file', 'blob', `${revision}:./${lockFile}`], { timeoutMs: TIME_MS });
    // Most of them have none of it: their text says so before it is parsed.
    if (text === null || ![...wanted].some((fingerprint) => text.includes(fingerprint))) return;
    const lock = parseLock(text, lockFile);
    const commit = (await tryGit(root, ['rev-parse', '--verify', '--quiet', `${revision}^{commit}`]))?.trim();
    if (!lock.ok || commit === undefined) return;
    for (const [id, entry] of lock.value.videos) {
      if (wanted.delete(entry.fingerprint)) found.set(entry.fingerprint, { commit, id, entry });
    }
  }
}

/**
 * The commits, latest first, whose lockfile had one of the fingerprints for the last time: the parents of those that took
 * it out, and those that put it in where only a merge left it out.
 */
async function commitsBefore(
  root: string,
  lockFile: string,
  wanted: ReadonlySet<Fingerprint>,
  signal: AbortSignal,
): Promise<string[]> {
  const log = runLockLog(root, lockFile, 'commit %H', signal);
  // It is killed when all is found: that is no failure.
  log.catch(() => undefined);
  const commits = new Set<string>();
  const left = new Set<string>(wanted);
  let commit = '';
  try {
    for await (const line of log.iterable()) {
      if (line.startsWith('commit ')) commit = line.slice('commit '.length);
      const [, sign, fingerprint] = /^([-+])\s*"fingerprint": "([^"]+)"/.exec(line) ?? [];
      if (fingerprint === undefined || !left.delete(fingerprint)) continue;
      // Put in and never taken out by a commit of its own: a merge took the other side.
      commits.add(sign === '+' ? commit : `${commit}^`);
      if (left.size === 0) log.kill();
    }
  } catch {
    // What was found before the time was over is worth as much.
  }
  return [...commits];
}

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
