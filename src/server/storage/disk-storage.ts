import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { nullIfMissing } from '../../file-system-error.ts';
import { replaceFile } from '../../replace-file.ts';
import { type DiskSpace, watchDiskSpace } from '../data-folder.ts';
import type { ObjectStorage } from '../ports.ts';

/** Below the directory: what is being written, and what is being removed. No key begins with a dot. */
const UNFINISHED = '.unfinished';
/** How long something is being written at most. */
const UNFINISHED_MS = 3_600_000;
const KEY = /^[\w-][\w.-]*(\/[\w-][\w.-]*)*$/;
const PREFIX = /^([\w-][\w.-]*\/)+$/;

/**
 * Objects as files below a directory. A reader, or a crash at any moment, finds all of the old or all of the new, and what
 * was put outlives a power cut; what is removed goes at once. Several processes may share the directory. What a crash left
 * unfinished is removed an hour later, by the first process that writes.
 *
 * @param directory absolute; made when it is needed
 * @throws ServiceError 503 `unavailable` where there is no room for what is written
 */
export function createDiskStorage(
  directory: string,
  room: Pick<DiskSpace, 'guard'> = watchDiskSpace(directory),
): ObjectStorage {
  const unfinished = join(directory, UNFINISHED);
  let opened: Promise<void> | undefined;
  /** A path that nobody else has, in the folder for it. */
  const temporaryPath = async (): Promise<string> => {
    opened ??= prepare(unfinished);
    // A full disk may refuse the folder today, and have room for it tomorrow.
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
      // Moved first, so that nobody sees a part of it.
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
  if (!KEY.test(key)) throw new Error(`Internal error: ${JSON.stringify(key)} is no key of an object`);
  return join(directory, key);
}

function folderOf(directory: string, prefix: string): string {
  if (!PREFIX.test(prefix)) throw new Error(`Internal error: ${JSON.stringify(prefix)} is no prefix of objects`);
  return join(directory, prefix);
}

/** Makes the folder for unfinished files, and removes from it what nobody is at work with any more. */
async function prepare(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder)) {
    const found = await nullIfMissing(stat(join(folder, name)));
    if (found === null || found.mtimeMs > Date.now() - UNFINISHED_MS) continue;
    await rm(join(folder, name), { recursive: true, force: true });
  }
}
