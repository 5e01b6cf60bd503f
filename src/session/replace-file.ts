import { randomBytes } from 'node:crypto';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** What the names of unfinished files begin with. */
export const UNFINISHED = '.unfinished-';

/**
 * Writes a file whole or not at all, also beside another process that writes the same one. EDGE.
 *
 * @param isDurable whether it is on the disk, and not only on its way there, when this returns
 */
export async function replaceFile(path: string, bytes: Uint8Array | string, isDurable: boolean): Promise<void> {
  const folder = dirname(path);
  await mkdir(folder, { recursive: true });
  const unfinished = join(folder, `${UNFINISHED}${randomBytes(8).toString('hex')}`);
  try {
    const file = await open(unfinished, 'wx');
    try {
      await file.writeFile(bytes);
      if (isDurable) await file.sync();
    } finally {
      await file.close();
    }
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  if (isDurable) await syncFolder(folder);
}

/** The name is part of the folder. Not every system can open one. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r').catch(() => null);
  await handle?.sync().catch(() => {});
  await handle?.close();
}
