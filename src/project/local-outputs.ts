import { createHash } from 'node:crypto';
import { createReadStream, statSync } from 'node:fs';
import { readdir, rm, rmdir } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { type Lock, type LockEntry, OUTPUT_ENDINGS, OUTPUTS_FOLDER, type Rendering } from '../lock/lock.ts';
import { readOutputRecords } from './output-records.ts';

/** What of an entry says where its files are, and what they are like. */
export type OutputFiles = Pick<Rendering, 'video_url' | 'thumbnails' | 'bytes' | 'sha256'>;

/** The local files of a lock: ids of entries, and what the files look like now. */
export interface LocalOutputs {
  /** A file of the video is not there. */
  readonly missing: ReadonlySet<string>;
  /** All files of the video are there, and this one, by its path, is empty or has another size than the recorded one. */
  readonly damaged: ReadonlyMap<string, string>;
  /** Size of each file, in bytes, by repository-relative path; -1 for the files of a video that is missing or damaged. */
  readonly sizes: ReadonlyMap<string, number>;
}

/**
 * Compares the local files of a lock with the sizes that were recorded when they were written. EDGE. Reads no file. What a
 * remote service keeps is taken to be there.
 *
 * A size is right when the lockfile records it, or when this machine wrote the file with it. Where neither is known, as in
 * entries of earlier versions, any size but 0 is.
 *
 * @param root the repository's folder
 */
export function observeOutputs(root: string, lock: Lock): LocalOutputs {
  const missing = new Set<string>();
  const damaged = new Map<string, string>();
  const sizes = new Map<string, number>();
  const look = createLook(root);
  for (const [id, entry] of lock.videos) {
    const seen = look(entry);
    if (seen === null) missing.add(id);
    else if (typeof seen === 'string') damaged.set(id, seen);
    else for (const [path, size] of seen) sizes.set(path, size);
  }
  // Afterwards: several entries may name one file.
  for (const id of [...missing, ...damaged.keys()])
    for (const path of localOutputs(lock.videos.get(id)!)) sizes.set(path, -1);
  return { missing, damaged, sizes };
}

/** Makes a check whether all files of a rendering are on this machine with their sizes, as in `observeOutputs`. EDGE. */
export function createOutputCheck(root: string): (rendering: OutputFiles) => boolean {
  const look = createLook(root);
  return (rendering) => Array.isArray(look(rendering));
}

/**
 * Finds the videos whose local file is not the one that was written, by its digest. EDGE. Reads every local video file
 * whose digest is known, so it takes a while; plans compare sizes alone.
 *
 * @param isAsked by id
 * @returns ids of entries whose files are there with their sizes
 */
export async function findSwappedOutputs(
  root: string,
  lock: Lock,
  isAsked: (id: string) => boolean = () => true,
): Promise<Set<string>> {
  const look = createLook(root);
  const records = readOutputRecords(root);
  const swapped = new Set<string>();
  for (const [id, entry] of lock.videos) {
    if (!isAsked(id) || !isLocal(entry.video_url) || !Array.isArray(look(entry))) continue;
    const known: (string | null | undefined)[] = [entry.sha256, records.get(entry.video_url)?.sha256];
    if (known.every((digest) => digest === undefined)) continue;
    if (!known.includes(await digestOf(join(root, entry.video_url)))) swapped.add(id);
  }
  return swapped;
}

/**
 * Leaves out what can be had elsewhere: a local file that is missing is not missed where the video was delivered, and no
 * plan restores it.
 */
export function notDelivered(missing: ReadonlySet<string>, lock: Lock): Set<string> {
  return new Set([...missing].filter((id) => lock.videos.get(id)?.deliveries === undefined));
}

/** The files of a rendering with their sizes; null where one is missing, else the path of one that is damaged. */
type Look = (rendering: OutputFiles) => readonly (readonly [path: string, size: number])[] | string | null;

function createLook(root: string): Look {
  // Read when a size is not the one that the lockfile has: for most lockfiles never.
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

/** The repository-relative paths of a video and its stills, where they are files and not URLs. */
export function localOutputs({ video_url, thumbnails }: Pick<Rendering, 'video_url' | 'thumbnails'>): string[] {
  return [video_url, ...thumbnails].filter(isLocal);
}

function isLocal(url: LockEntry['video_url']): boolean {
  return !/^[a-z][a-z0-9+.-]*:/i.test(url);
}

/** Null when it is no file: whatever is in the way, the video cannot be had. */
function sizeOf(path: string): number | null {
  try {
    const stats = statSync(path);
    return stats.isFile() ? stats.size : null;
  } catch {
    return null;
  }
}

/** Null when it cannot be read. */
async function digestOf(path: string): Promise<string | null> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  } catch {
    return null;
  }
  return hash.digest('hex');
}

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
