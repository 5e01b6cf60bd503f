import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { nullIfMissing } from '../../file-system-error.ts';
import { replaceFile } from '../../replace-file.ts';
import { type DiskSpace, watchDiskSpace } from '../data-folder.ts';
import type { ObjectStorage } from '../ports.ts';

/** Subfolder for objects that are being written or removed. Keys never start with a dot. */
const UNFINISHED = '.unfinished';
/** Maximum time for writing an object. */
const UNFINISHED_MS = 3_600_000;
const KEY = /^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/;
const PREFIX = /^([\w-][\w.-]*\/)+$/;

/**
 * Stores objects as files below a directory, which several processes may share. Writes are atomic and survive a power
 * failure; a removed prefix disappears at once. The first write of a process removes unfinished files that are older
 * than an hour.
 *
 * @param directory absolute; created when needed
 * @throws ServiceError 503 `unavailable` when the disk is full
 */
export function createDiskStorage(
  directory: string,
  room: Pick<DiskSpace, 'guard'> = watchDiskSpace(directory),
): ObjectStorage {
  const unfinished = join(directory, UNFINISHED);
  let opened: Promise<void> | undefined;
  /** Returns a unique path in the folder for unfinished files. */
  const temporaryPath = async (): Promise<string> => {
    opened ??= prepare(unfinished);
    // Creating the folder may fail on a full disk and succeed later.
    opened.catch(() => {
      opened = undefined;
    });
    await opened;
    return join(unfinished, randomUUID());
  };

  return {
    async put(key, bytes) {
      const path = pathOf(directory, key);
      const write = async (): Promise<void> =>
        replaceFile(path, bytes, { isDurable: true, unfinished: await temporaryPath() });
      await room.guard(write, bytes.length);
    },
    async stat(key) {
      const found = await nullIfMissing(stat(pathOf(directory, key)));
      return found?.isFile() ? { size: found.size } : null;
    },
    read: (key) => nullIfMissing(readFile(pathOf(directory, key))),
    stream(key, range) {
      if (range === undefined) return createReadStream(pathOf(directory, key));
      if (range.end <= range.start) return Readable.from([]);
      return createReadStream(pathOf(directory, key), { start: range.start, end: range.end - 1 });
    },
    async remove(prefix) {
      const removed = await temporaryPath();
      // Renames first, so that readers never see a partly removed folder.
      if ((await nullIfMissing(rename(folderOf(directory, prefix), removed).then(() => true))) === null) return;
      await rm(removed, { recursive: true, force: true });
    },
    async list(prefix) {
      const folder = folderOf(directory, prefix);
      const names = ((await nullIfMissing(readdir(folder))) ?? []).sort();
      const entries = await Promise.all(
        names.map(async (name) => {
          const found = await nullIfMissing(stat(join(folder, name)));
          return found === null ? [] : [{ name, modifiedAt: found.mtimeMs }];
        }),
      );
      return entries.flat();
    },
  };
}

function pathOf(directory: string, key: string): string {
  if (!KEY.test(key)) throw new Error(`Internal error: ${JSON.stringify(key)} is not an object key`);
  return join(directory, key);
}

function folderOf(directory: string, prefix: string): string {
  if (!PREFIX.test(prefix)) throw new Error(`Internal error: ${JSON.stringify(prefix)} is not an object prefix`);
  return join(directory, prefix);
}

/** Creates the folder for unfinished files and removes abandoned ones. */
async function prepare(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder)) {
    const found = await nullIfMissing(stat(join(folder, name)));
    if (found === null || found.mtimeMs > Date.now() - UNFINISHED_MS) continue;
    await rm(join(folder, name), { recursive: true, force: true });
  }
}
