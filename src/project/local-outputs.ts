import { createHash } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { readdir, rm, rmdir } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { type Lock, type LockEntry, type LockRendering, OUTPUT_ENDINGS, OUTPUTS_FOLDER } from '../lock/lock.ts';
import { readOutputRecords } from './output-records.ts';

/** Files of a lock entry, with the recorded size and digest of the video. */
export type OutputFiles = Pick<LockRendering, 'video_url' | 'thumbnails' | 'bytes' | 'sha256'>;

/** State of the local files of a lock. */
export interface LocalOutputs {
  /** Ids of entries with a missing file. */
  readonly missing: ReadonlySet<string>;
  /** Ids of entries whose files all exist → path of one that is empty or has not the recorded size. */
  readonly damaged: ReadonlyMap<string, string>;
  /** Repository-relative path → size in bytes; -1 for the files of missing or damaged videos. */
  readonly sizes: ReadonlyMap<string, number>;
}

/**
 * Compares the local files of a lock with the recorded sizes, without reading them. Assumes that URLs exist.
 *
 * The expected size is the one in the lockfile, or the one that this machine has written. If neither is known, as in entries
 * of earlier versions, any size but 0 is accepted.
 *
 * @param root the repository's folder
 */
export function observeOutputs(root: string, lock: Lock): LocalOutputs {
  const missing = new Set<string>();
  const damaged = new Map<string, string>();
  const sizes = new Map<string, number>();
  const inspect = createInspection(root);
  for (const [id, entry] of lock.videos) {
    const seen = inspect(entry);
    if (seen === null) missing.add(id);
    else if (typeof seen === 'string') damaged.set(id, seen);
    else for (const [path, size] of seen) sizes.set(path, size);
  }
  // After the loop, because several entries may name one file.
  for (const id of [...missing, ...damaged.keys()])
    for (const path of localOutputs(lock.videos.get(id)!)) sizes.set(path, -1);
  return { missing, damaged, sizes };
}

/** Creates a check whether all files of a rendering exist with their sizes, as in `observeOutputs`. */
export function createOutputCheck(root: string): (rendering: OutputFiles) => boolean {
  const inspect = createInspection(root);
  return (rendering) => Array.isArray(inspect(rendering));
}

/**
 * Finds the videos whose local file was replaced, by its digest. Reads every local video with a known digest, which takes
 * long; plans compare only sizes.
 *
 * @param isAsked selects ids
 * @returns ids of entries whose files are there with their sizes
 */
export async function findSwappedOutputs(
  root: string,
  lock: Lock,
  isAsked: (id: string) => boolean = () => true,
): Promise<Set<string>> {
  const inspect = createInspection(root);
  const records = readOutputRecords(root);
  const swapped = new Set<string>();
  for (const [id, entry] of lock.videos) {
    if (!isAsked(id) || !isLocal(entry.video_url) || !Array.isArray(inspect(entry))) continue;
    const known: (string | null | undefined)[] = [entry.sha256, records.get(entry.video_url)?.sha256];
    if (known.every((digest) => digest === undefined)) continue;
    if (!known.includes(await digestOf(join(root, entry.video_url)))) swapped.add(id);
  }
  return swapped;
}

/**
 * Removes delivered videos from the missing ones, because they exist elsewhere. No plan restores them.
 */
export function notDelivered(missing: ReadonlySet<string>, lock: Lock): Set<string> {
  return new Set([...missing].filter((id) => lock.videos.get(id)?.deliveries === undefined));
}

/** Returns the files of a rendering with their sizes; null if one is missing, or the path of one that is damaged. */
type Inspect = (rendering: OutputFiles) => readonly (readonly [path: string, size: number])[] | string | null;

function createInspection(root: string): Inspect {
  // Read only if a size differs from the lockfile, which is rare.
  let records: ReturnType<typeof readOutputRecords> | null = null;
  const isRightSize = (path: string, size: number, expected: number | undefined): boolean => {
    if (size === 0 || size === expected) return size !== 0;
    records ??= readOutputRecords(root);
    const written = records.get(path)?.bytes;
    return written === undefined ? expected === undefined : size === written;
  };
  return (rendering) => {
    const paths = localOutputs(rendering);
    const seen = paths.map((path) => [path, sizeOf(join(root, path))] as const);
    if (!seen.every((one): one is readonly [string, number] => one[1] !== null)) return null;
    const damaged = seen.find(
      ([path, size]) => !(path === rendering.video_url ? isRightSize(path, size, rendering.bytes) : size > 0),
    );
    return damaged === undefined ? seen : damaged[0];
  };
}

/** Returns the repository-relative paths of a video and its stills, without URLs. */
export function localOutputs({ video_url, thumbnails }: Pick<LockRendering, 'video_url' | 'thumbnails'>): string[] {
  return [video_url, ...thumbnails].filter(isLocal);
}

function isLocal(url: LockEntry['video_url']): boolean {
  return !/^[a-z][a-z0-9+.-]*:/i.test(url);
}

/** Returns the size of a regular file; null if there is none or it cannot be accessed. */
function sizeOf(path: string): number | null {
  try {
    const stats = statSync(path);
    return stats.isFile() ? stats.size : null;
  } catch {
    return null;
  }
}

/** Returns null if the file cannot be read. */
async function digestOf(path: string): Promise<string | null> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  } catch {
    return null;
  }
  return hash.digest('hex');
}

/** Name of a file that `apply` writes: `<id>-<8 digits of the fingerprint>`, the name of a still, an extension. */
const OUTPUT = new RegExp(`-[0-9a-f]{8}(?:\\.(?:${OUTPUT_ENDINGS.join('|')})|\\.[\\w-]+\\.jpg)$`);

/** Previews written by `reelform render`. */
const LOOKS = `${OUTPUTS_FOLDER}/looks/`;

/**
 * Removes videos and stills of earlier applies from `renders/`. Keeps the files in `kept`, files with other names, and files
 * that cannot be removed.
 *
 * @param root the repository's folder, absolute
 * @returns the number of removed files
 */
export async function pruneOutputs(
  root: string,
  kept: Iterable<Pick<LockRendering, 'video_url' | 'thumbnails'>>,
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

/** Removes a folder and its parents below `top` if they are empty. */
async function removeEmpty(top: string, folder: string): Promise<void> {
  for (let one = folder; one !== top; one = dirname(one)) {
    try {
      await rmdir(one);
    } catch {
      return;
    }
  }
}
