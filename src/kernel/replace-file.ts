import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isMissing } from './file-system-error.ts';

/** Prefix of the names of unfinished files. */
export const UNFINISHED = '.unfinished-';
const UNFINISHED_NAME = /^\.unfinished-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Age at which an unfinished file was left by a killed process. A file that is being written changes continuously. */
const LEFT_MS = 600_000;

interface ReplaceFileOptions {
  /** Whether to sync the file and its folders to the disk before returning. */
  readonly isDurable: boolean;
  /** Temporary path, unique and on the same disk; by default beside the file. */
  readonly unfinished?: string;
}

/** Content of a file, or a function that streams it from the beginning on each call. If that throws, the old file stays. */
export type FileData = string | Uint8Array | (() => AsyncIterable<Uint8Array>);

/** Number of attempts when the folder is removed during the write. */
const ATTEMPTS = 5;

/**
 * Replaces a file atomically: a reader, or a crash at any moment, finds either the old or the new content, even while other
 * processes write the same file. Creates missing folders.
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
    // The names of the file and of the created folders are stored in their parent folders.
    if (isDurable) await syncFolders(folder, firstMade === undefined ? folder : dirname(firstMade));
    return;
  }
}

/** Opens an unfinished file in a folder, which is created if it is missing. `finishFile` or its caller removes the file. */
export async function openUnfinished(folder: string): Promise<{ readonly path: string; readonly file: FileHandle }> {
  await sweepOnce(folder);
  await mkdir(folder, { recursive: true });
  const path = unfinishedPath(folder);
  return { path, file: await open(path, 'wx') };
}

/** Moves a complete file to its path in the same folder, as `replaceFile` does. */
export async function finishFile(unfinished: string, path: string, isDurable: boolean): Promise<void> {
  await rename(unfinished, path);
  if (isDurable) await syncFolders(dirname(path), dirname(path));
}

/** Returns a path for a file that is renamed once it is complete. */
export function unfinishedPath(folder: string, uuid: string = randomUUID()): string {
  return join(folder, `${UNFINISHED}${uuid}`);
}

/**
 * Removes the unfinished files that killed processes left in a folder. Best effort: errors are ignored. A writer that is
 * suspended for longer than ten minutes loses its file and writes it again.
 *
 * @param folder absolute
 * @param nowMs milliseconds since the epoch
 * @param options.recursive whether to include subfolders
 * @param options.names pattern of the file names, by default those of `unfinishedPath`
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

/** Sweeps a folder before this process writes its first file there. */
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

/** Syncs a folder and its parents up to `to`. Skips folders that were removed or that the system cannot open. */
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
