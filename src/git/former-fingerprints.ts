import { execa } from 'execa';
import { COMMITS, TIME_MS } from './former-entries.ts';
import { gitProcess, tryGit } from './run-git.ts';

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
  const args = ['log', '--full-history', `--max-count=${COMMITS}`, '--format=', '--patch', '--unified=0', '--text'];
  const more = ['--no-color', '--no-ext-diff', '--no-textconv', '--no-renames', 'HEAD', '--', lockFile];
  const log = execa('git', [...args, ...more], {
    ...gitProcess(root),
    buffer: false,
    cancelSignal: AbortSignal.timeout(TIME_MS),
  });
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
