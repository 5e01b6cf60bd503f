import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What is older was left behind by a process that was killed. */
const STALE_MS = 3_600_000;

/** By their beginning, when leftovers were looked for last: milliseconds since the epoch. */
const lookedAt = new Map<string, number>();

/**
 * Makes a folder for a short while, and removes those that processes have left behind that were killed. EDGE. In one go: a
 * thread that is ended from outside while it waits would leave it.
 *
 * @param prefix how its name begins, such as `reelform-base-`
 * @param staleMs what is older is nobody's; an hour when absent
 * @returns its path, absolute
 */
export function temporaryFolder(prefix: string, staleMs = STALE_MS): string {
  const now = Date.now();
  if (now - (lookedAt.get(prefix) ?? Number.NEGATIVE_INFINITY) >= staleMs) {
    lookedAt.set(prefix, now);
    for (const name of readdirSync(tmpdir())) {
      if (!name.startsWith(prefix)) continue;
      const folder = join(tmpdir(), name);
      const changedAt = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? now;
      // Another's may not be removed; that is for the other to do.
      if (now - changedAt > staleMs) tryToRemove(folder);
    }
  }
  return mkdtempSync(join(tmpdir(), prefix));
}

/** Removes a folder with all that is in it, as far as that can be done now. EDGE. */
export function tryToRemove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    return;
  }
}
