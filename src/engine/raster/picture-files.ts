import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const FOLDER = 'reelform-pictures-';
/** What is older was left behind by a process that was killed. */
const STALE_MS = 3_600_000;

/** By their names in one folder. */
export type PictureFiles = readonly (readonly [name: string, bytes: Uint8Array])[];

let lookedAt = Number.NEGATIVE_INFINITY;

/**
 * Writes pictures into a folder of their own while an animation is loaded: the rasteriser maps them into memory, which is
 * several times quicker than reading them out of the animation's text, and what was mapped stays readable when the files
 * are gone. EDGE.
 *
 * @param load gets the folder
 */
export function withPictureFiles<Result>(files: PictureFiles, load: (folder: string) => Result): Result {
  removeStale(Date.now());
  // In one go: a thread that is ended from outside while it waits would leave them behind.
  const folder = mkdtempSync(join(tmpdir(), FOLDER));
  try {
    for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes);
    return load(folder);
  } finally {
    // Where a mapped file may not be removed, it is stale later.
    tryToRemove(folder);
  }
}

/** Folders of processes that were killed while they loaded; looked for once in a while. */
function removeStale(now: number): void {
  if (now - lookedAt < STALE_MS) return;
  lookedAt = now;
  for (const name of readdirSync(tmpdir())) {
    if (!name.startsWith(FOLDER)) continue;
    const folder = join(tmpdir(), name);
    const changedAt = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? now;
    // Another's may not be removed; that is for the other to do.
    if (now - changedAt > STALE_MS) tryToRemove(folder);
  }
}

function tryToRemove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    return;
  }
}
