import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { ReelformError } from '../diagnostic.ts';
import { nullIfMissing } from '../file-system-error.ts';
import type { Fingerprint } from '../lock/lock.ts';
import { parseLock } from '../lock/lock-format.ts';
import type { FormerEntry } from '../plan/plan.ts';
import { replaceFile } from '../replace-file.ts';
import { gitProcess, isShallow, tryGit } from './run-git.ts';

/**
 * Finds lock entries with the wanted fingerprints at the present commit or before it; of several the latest. Best
 * effort and bounded: without git, history or time it returns fewer entries, never an error.
 *
 * @param options.root absolute
 * @param options.lockFile path below the root
 */
export async function formerEntries(options: {
  readonly root: string;
  readonly lockFile: string;
  readonly fingerprints: ReadonlySet<Fingerprint>;
  /** Stops the search; after two seconds when absent. */
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
    // Most versions contain none of the fingerprints, and a text search is faster than parsing.
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
 * Returns the commits, latest first, that last had one of the fingerprints: parents of commits that removed it, and
 * commits that added it if only a merge removed it.
 */
async function commitsBefore(
  root: string,
  lockFile: string,
  wanted: ReadonlySet<Fingerprint>,
  signal: AbortSignal,
): Promise<string[]> {
  const log = runLockLog(root, lockFile, 'commit %H', signal);
  // Killed when everything is found, which is not an error.
  log.catch(() => undefined);
  const commits = new Set<string>();
  const left = new Set<string>(wanted);
  let commit = '';
  try {
    for await (const line of log.iterable()) {
      if (line.startsWith('commit ')) commit = line.slice('commit '.length);
      const [, sign, fingerprint] = /^([-+])\s*"fingerprint": "([^"]+)"/.exec(line) ?? [];
      if (fingerprint === undefined || !left.delete(fingerprint)) continue;
      // Added, and never removed by a commit: a merge took the other side.
      commits.add(sign === '+' ? commit : `${commit}^`);
      if (left.size === 0) log.kill();
    }
  } catch {
    // Results before the timeout are valid.
  }
  return [...commits];
}

/** Maximum number of commits searched. An older video is unlikely to be wanted again or to exist. */
const COMMITS = 200;

/** Maximum time that a plan waits for the history, in milliseconds. */
export const TIME_MS = 2_000;

/**
 * Runs `git log` over the changes of the lockfile, latest first, with both sides of merges. The caller reads its output
 * as a stream.
 *
 * @param format text before the changes of each commit, for `--format`
 */
function runLockLog(root: string, lockFile: string, format: string, signal: AbortSignal) {
  const args = ['log', '--full-history', `--max-count=${COMMITS}`, `--format=${format}`, '--patch', '--unified=0'];
  const plain = ['--text', '--no-color', '--no-ext-diff', '--no-textconv', '--no-renames'];
  return execa('git', [...args, ...plain, 'HEAD', '--', lockFile], {
    ...gitProcess(root),
    buffer: false,
    cancelSignal: signal,
  });
}

/** Reason why the history of a repository cannot be searched, and a hint. */
interface HistoryGap {
  readonly message: string;
  readonly hint: string | undefined;
}

/**
 * Returns why git does not show the whole history: the clone is shallow, git refuses the folder, or git is missing.
 * Returns null if the history is complete, and outside of a repository.
 *
 * @param root absolute
 */
export async function historyGap(root: string): Promise<HistoryGap | null> {
  if (!isInRepository(root)) return null;
  try {
    if (!(await isShallow(root))) return null;
    const hint = 'Fetch all of it: git fetch --unshallow, or "fetch-depth: 0" for actions/checkout';
    return { message: 'this clone is shallow', hint };
  } catch (error) {
    if (!(error instanceof ReelformError)) throw error;
    return { message: error.message, hint: error.hint };
  }
}

/**
 * Checks for a repository by its files, because git reports the same error for an unreadable repository as for none.
 */
function isInRepository(root: string): boolean {
  for (let folder = root; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return true;
    if (folder === dirname(folder)) return false;
  }
}

const FINGERPRINT = /v[1-9]\d*:[0-9a-f]{64}/g;
/** Longer than any fingerprint. */
const LONGEST = 100;
/** Number of characters of each fingerprint in the cache. Different prefixes prove that fingerprints differ. */
const PREFIX_LENGTH = 19;
const NO_HISTORY = 'none';

interface HistoryCacheOptions {
  /** Absolute. */
  readonly root: string;
  /** Below the root. */
  readonly lockFile: string;
  /** Path of the cache, absolute. */
  readonly file: string;
  /** Result of `historyKey`. */
  readonly key: string | null;
  readonly fingerprints: ReadonlySet<Fingerprint>;
}

/**
 * Returns a text that identifies the complete history of the current commit, as git shows it.
 *
 * @returns null when the history is incomplete, has no commit, or cannot be read; a constant outside of a repository
 */
export async function historyKey(root: string): Promise<string | null> {
  if (!isInRepository(root)) return NO_HISTORY;
  // Replacement refs change what git shows of the same commit.
  const args = ['rev-parse', '--is-shallow-repository', '--show-prefix', 'HEAD', '--glob=refs/replace/*'];
  const text = await tryGit(root, args);
  return text?.startsWith('false\n') ? JSON.stringify(text) : null;
}

/**
 * Returns true if `formerEntries` could find one of the fingerprints. Caches the fingerprints of the whole history, so
 * that later plans at the same commit do not search it again.
 */
export async function mayHaveFormer({
  root,
  lockFile,
  file,
  key,
  fingerprints,
}: HistoryCacheOptions): Promise<boolean> {
  if (key === null || key === NO_HISTORY) return key === null;
  const prefixes = (await load(file, key)) ?? (await searchAndStore(root, lockFile, file, key));
  return prefixes === null || [...fingerprints].some((one) => prefixes.has(one.slice(0, PREFIX_LENGTH)));
}

/** The file holds its own digest, the key, and the prefixes; one per line. */
async function load(file: string, key: string): Promise<ReadonlySet<string> | null> {
  const text = await nullIfMissing(readFile(file, 'utf8'));
  const at = text?.indexOf('\n') ?? -1;
  if (text === null || hash('sha256', text.slice(at + 1)) !== text.slice(0, at)) return null;
  const [about, ...prefixes] = text.slice(at + 1).split('\n');
  return about === key ? new Set(prefixes) : null;
}

/** @returns null when the search was not finished in time */
async function searchAndStore(
  root: string,
  lockFile: string,
  file: string,
  key: string,
): Promise<ReadonlySet<string> | null> {
  const found = await formerFingerprints(root, lockFile);
  if (found === null) return null;
  const prefixes = new Set([...found].map((one) => one.slice(0, PREFIX_LENGTH)));
  const content = [key, ...prefixes].join('\n');
  // Another process may have committed during the search.
  if ((await historyKey(root)) === key) {
    await replaceFile(file, `${hash('sha256', content)}\n${content}`, { isDurable: false }).catch(() => undefined);
  }
  return prefixes;
}

/**
 * Returns every fingerprint that the lockfile has at the current commit, or had before it, as far back as `formerEntries`
 * searches.
 *
 * @returns null when there was not enough time
 */
async function formerFingerprints(root: string, lockFile: string): Promise<Set<string> | null> {
  const found = new Set<string>();
  const take = (text: string): void => {
    for (const [fingerprint] of text.matchAll(FINGERPRINT)) found.add(fingerprint);
  };
  take((await tryGit(root, ['cat-file', 'blob', `HEAD:./${lockFile}`], { timeoutMs: TIME_MS })) ?? '');
  const log = runLockLog(root, lockFile, '', AbortSignal.timeout(TIME_MS));
  try {
    // Reads chunks, because the history of a large lockfile has half a million lines.
    let rest = '';
    for await (const chunk of log.stdout.setEncoding('latin1')) {
      const text = rest + String(chunk);
      take(text);
      rest = text.slice(-LONGEST);
    }
    await log;
    return found;
  } catch {
    return null;
  }
}
