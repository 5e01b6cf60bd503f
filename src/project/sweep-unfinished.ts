import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ifThere } from '../if-there.ts';
import { UNFINISHED } from '../replace-file.ts';

/** A write takes moments: a file this old was left behind by a crash. */
const LEFT_MS = 60_000;

/**
 * Removes files that were being written when a process was killed. EDGE. What cannot be looked at stays.
 *
 * @param folder absolute
 * @param options.recursive whether folders below are swept too
 */
export async function sweepUnfinished(
  folder: string,
  nowMs: number,
  { recursive }: { readonly recursive: boolean },
): Promise<void> {
  const names = await readdir(folder, { withFileTypes: true, recursive }).catch(() => []);
  for (const entry of names) {
    if (!entry.isFile() || !entry.name.startsWith(UNFINISHED)) continue;
    const path = join(entry.parentPath, entry.name);
    const found = await ifThere(stat(path));
    if (found !== null && nowMs - found.mtimeMs > LEFT_MS) await rm(path, { force: true }).catch(() => undefined);
  }
}
