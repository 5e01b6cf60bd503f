import { readdir, rm, rmdir } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { OUTPUT_ENDINGS, OUTPUTS_FOLDER, type Rendering } from '../lock/lock.ts';
import { localOutputs } from './observe-outputs.ts';

/** A file that an apply wrote: `<id>-<8 digits of the fingerprint>`, the name of a still, an ending. */
const OUTPUT = new RegExp(`-[0-9a-f]{8}(?:\\.(?:${OUTPUT_ENDINGS.join('|')})|\\.[\\w-]+\\.jpg)$`);

/** What `reelform render` wrote, to look at. */
const LOOKS = `${OUTPUTS_FOLDER}/looks/`;

/**
 * Removes finished videos and stills of earlier applies from `renders/`. EDGE. A file stays when `kept` names it, when its name is
 * not one that an apply gives, or when it cannot be removed.
 *
 * @param root the repository's folder, absolute
 * @returns how many files were removed
 */
export async function pruneOutputs(
  root: string,
  kept: Iterable<Pick<Rendering, 'video_url' | 'thumbnails'>>,
): Promise<number> {
  const names = new Set([...kept].flatMap(localOutputs));
  const entries = await readdir(join(root, OUTPUTS_FOLDER), { withFileTypes: true, recursive: true }).catch(() => []);
  let removed = 0;
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    const name = relative(root, path).split(sep).join('/');
    if (!entry.isFile() || !OUTPUT.test(name) || name.startsWith(LOOKS) || names.has(name)) continue;
    const isGone = await rm(path).then(
      () => true,
      () => false,
    );
    if (!isGone) continue;
    removed += 1;
    if (entry.parentPath !== join(root, OUTPUTS_FOLDER)) await removeEmpty(join(root, OUTPUTS_FOLDER), dirname(path));
  }
  return removed;
}

/** Removes a folder and those above it, below `top`, as far as they are empty. */
async function removeEmpty(top: string, folder: string): Promise<void> {
  for (let one = folder; one !== top; one = dirname(one)) {
    try {
      await rmdir(one);
    } catch {
      return;
    }
  }
}
