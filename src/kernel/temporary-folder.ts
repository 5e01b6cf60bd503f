import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** An older folder was left by a killed process. */
const STALE_MS = 3_600_000;

/** Folder and prefix → time of the last sweep, in milliseconds since the epoch. */
const sweptAt = new Map<string, number>();

/**
 * Creates a temporary folder and removes the ones that killed processes left. Synchronous, because a thread that is
 * terminated while it waits would leave the folder.
 *
 * @param prefix of the name, such as `reelform-base-`
 * @param staleMs age at which folders of this prefix are removed; an hour by default
 * @returns absolute path
 */
export function temporaryFolder(prefix: string, staleMs = STALE_MS): string {
  sweepTemporary(prefix, staleMs);
  return mkdtempSync(join(tmpdir(), prefix));
}

/**
 * Removes the temporary folders and files of a prefix that killed processes left. At most once in `staleMs`.
 *
 * @param isLeft returns whether the process that created a file has certainly ended, so that its age does not matter
 * @param parent absolute; the temporary folder by default
 */
export function sweepTemporary(
  prefix: string,
  staleMs = STALE_MS,
  isLeft: (name: string) => boolean = () => false,
  parent = tmpdir(),
): void {
  const now = Date.now();
  const swept = join(parent, prefix);
  if (now - (sweptAt.get(swept) ?? Number.NEGATIVE_INFINITY) < staleMs) return;
  sweptAt.set(swept, now);
  for (const name of readdirSync(parent)) {
    if (!name.startsWith(prefix)) continue;
    const path = join(parent, name);
    const changedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now;
    if (now - changedAt > staleMs || isLeft(name)) tryToRemove(path);
  }
}

/** Removes a folder recursively. Best effort: errors are ignored. */
export function tryToRemove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    return;
  }
}
