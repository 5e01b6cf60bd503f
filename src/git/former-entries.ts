import type { Fingerprint } from '../lock/lock.ts';
import { parseLock } from '../lock/parse-lock.ts';
import type { FormerEntry } from '../plan/observations.ts';
import { runLockLog, TIME_MS } from './lock-log.ts';
import { tryGit } from './run-git.ts';

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
