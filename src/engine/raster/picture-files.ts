import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder, tryToRemove } from '../../temporary-folder.ts';

/** By their names in one folder. */
export type PictureFiles = readonly (readonly [name: string, bytes: Uint8Array])[];

/**
 * Writes pictures into a folder of their own while an animation is loaded: the rasteriser maps them into memory, which is
 * several times quicker than reading them out of the animation's text, and what was mapped stays readable when the files
 * are gone. EDGE.
 *
 * @param load gets the folder
 */
export function withPictureFiles<Result>(files: PictureFiles, load: (folder: string) => Result): Result {
  const folder = temporaryFolder('reelform-pictures-');
  try {
    for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes);
    return load(folder);
  } finally {
    // Where a mapped file may not be removed, it is stale later.
    tryToRemove(folder);
  }
}
