import { runLockLog, TIME_MS } from './lock-log.ts';
import { tryGit } from './run-git.ts';

const FINGERPRINT = /v[1-9]\d*:[0-9a-f]{64}/g;

/** More characters than a fingerprint has. */
const LONGEST = 100;

/**
 * Every fingerprint that the lockfile has at the present commit, or had before it, as far back as `formerEntries` looks. EDGE.
 *
 * @returns null when there was not enough time
 */
export async function formerFingerprints(root: string, lockFile: string): Promise<Set<string> | null> {
  const found = new Set<string>();
  const take = (text: string): void => {
    for (const [fingerprint] of text.matchAll(FINGERPRINT)) found.add(fingerprint);
  };
  take((await tryGit(root, ['cat-file', 'blob', `HEAD:./${lockFile}`], { timeoutMs: TIME_MS })) ?? '');
  const log = runLockLog(root, lockFile, '', AbortSignal.timeout(TIME_MS));
  try {
    // Not by line: of a large lockfile there are half a million.
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
