import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isMissing } from './file-system-error.ts';

/** What the names of unfinished files begin with. */
export const UNFINISHED = '.unfinished-';
const UNFINISHED_NAME = /^\.unfinished-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** A file that is being written changes all the time: one this old was left behind by a process that was killed. */
const LEFT_MS = 600_000;

export interface ReplaceFileOptions {
  /** Whether file and name are on the disk, and not only on their way there, when this returns. */
  readonly isDurable: boolean;
  /** Where it is written until it is whole: a path of its own, on the same disk. Unless told, beside the file. */
  readonly unfinished?: string;
}

/** All of it, or what gives it piece by piece, from its beginning each time: what that throws leaves the old file. */
export type FileData = string | Uint8Array | (() => AsyncIterable<Uint8Array>);

/** Folders may be removed while they are written to; so often they are made again. */
const ATTEMPTS = 5;

/**
 * Writes a file so that a reader, or a crash at any moment, finds all of the old or all of the new, also beside another
 * process that writes the same one. EDGE. Missing folders are made.
 *
 * @param path absolute
 */
export async function replaceFile(
  path: string,
  data: FileData,
  { isDurable, unfinished = unfinishedPath(dirname(path)) }: ReplaceFileOptions,
): Promise<void> {
  const folder = dirname(path);
  if (dirname(unfinished) === folder) await sweepOnce(folder);
  for (let attempt = 1; ; attempt++) {
    const firstMade = await mkdir(folder, { recursive: true });
    try {
      await write(unfinished, data, isDurable);
      await rename(unfinished, path);
    } catch (error) {
      if (attempt < ATTEMPTS && isMissing(error)) continue;
      await rm(unfinished, { force: true }).catch(() => undefined);
      throw error;
    }
    // Names stand in folders: that of the file, and those of the folders that were made for it.
    if (isDurable) await syncFolders(folder, firstMade === undefined ? folder : dirname(firstMade));
    return;
  }
}

/** A path for a file that is moved away once it is whole. */
export function unfinishedPath(folder: string, uuid: string = randomUUID()): string {
  return join(folder, `${UNFINISHED}${uuid}`);
}

/**
 * Removes the unfinished files that killed processes left in a folder. EDGE. Best effort: a file that cannot be removed
 * stays. A writer that is suspended for longer than ten minutes writes its file again.
 *
 * @param folder absolute
 * @param nowMs milliseconds since the epoch
 * @param options.recursive whether folders below are swept too
 * @param options.names of the files; unless given, those that `unfinishedPath` makes
 */
export async function sweepUnfinished(
  folder: string,
  nowMs: number,
  { recursive = false, names = UNFINISHED_NAME }: { readonly recursive?: boolean; readonly names?: RegExp } = {},
): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true, recursive }).catch(() => [])) {
    if (!entry.isFile() || !names.test(entry.name)) continue;
    const path = join(entry.parentPath, entry.name);
    const found = await stat(path).catch(() => null);
    if (found !== null && nowMs - found.mtimeMs > LEFT_MS) await rm(path, { force: true }).catch(() => undefined);
  }
}

const swept = new Set<string>();

/** Folders that this process writes to are swept before the first file. */
async function sweepOnce(folder: string): Promise<void> {
  if (swept.has(folder)) return;
  swept.add(folder);
  await sweepUnfinished(folder, Date.now());
}

async function write(path: string, data: FileData, isDurable: boolean): Promise<void> {
  const file = await open(path, 'w');
  try {
    await writeFile(file, typeof data === 'function' ? data() : data);
    if (isDurable) await file.sync();
  } finally {
    await file.close();
  }
}

/** Not every system can open a folder; one that was removed since needs nothing. */
async function syncFolders(from: string, to: string): Promise<void> {
  for (let folder = from; ; folder = dirname(folder)) {
    const handle = await open(folder, 'r').catch(() => null);
    try {
      await handle?.sync();
    } catch (error) {
      if (!['EISDIR', 'EPERM', 'EINVAL'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    } finally {
      await handle?.close();
    }
    if (folder === to) return;
  }
}
