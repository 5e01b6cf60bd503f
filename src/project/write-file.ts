import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ReelformError } from '../diagnostic.ts';

/**
 * Writes a file so that a reader, or a crash at any moment, finds either all of the old or all of the new; once it has
 * returned, the new outlives a power cut. Missing folders are made. A crash can leave a `.<uuid>.tmp` beside it.
 *
 * @param path absolute
 * @throws ReelformError `write_failed`
 */
export async function writeFileAtomic(path: string, data: string | Uint8Array): Promise<void> {
  const folder = dirname(path);
  const temporary = join(folder, `.${randomUUID()}.tmp`);
  try {
    await mkdir(folder, { recursive: true });
    await writeDurably(temporary, data);
    await rename(temporary, path);
    await syncFolder(folder);
  } catch (cause) {
    await rm(temporary, { force: true }).catch(() => undefined);
    const hint = 'Check the space on the disk and the rights of the folder';
    throw new ReelformError('write_failed', `${path} could not be written: ${(cause as Error).message}`, {
      hint,
      cause,
    });
  }
}

async function writeDurably(path: string, data: string | Uint8Array): Promise<void> {
  await withFile(path, 'wx', async (file) => {
    await file.writeFile(data);
    await file.sync();
  });
}

/** Makes the new name itself durable; Windows has no such thing for folders. */
async function syncFolder(folder: string): Promise<void> {
  try {
    await withFile(folder, 'r', (file) => file.sync());
  } catch (error) {
    if (!['EISDIR', 'EPERM', 'EINVAL'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}

async function withFile(path: string, flags: string, use: (file: FileHandle) => Promise<void>): Promise<void> {
  const file = await open(path, flags);
  try {
    await use(file);
  } finally {
    await file.close();
  }
}
