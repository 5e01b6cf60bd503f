import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { nullIfMissing } from '../file-system-error.ts';
import type { Fingerprint } from '../lock/lock.ts';
import { replaceFile } from '../replace-file.ts';
import { isInRepository, runLockLog, TIME_MS } from './lock-history.ts';
import { tryGit } from './run-git.ts';

const FINGERPRINT = /v[1-9]\d*:[0-9a-f]{64}/g;
/** Longer than any fingerprint. */
const LONGEST = 100;
/** Number of characters of each fingerprint in the cache. Different prefixes prove that fingerprints differ. */
const PREFIX_LENGTH = 19;
const NO_HISTORY = 'none';

export interface HistoryCacheOptions {
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
