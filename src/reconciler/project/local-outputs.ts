import { createHash } from 'node:crypto';
import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs';
import { appendFile, mkdir, readdir, readFile, rm, rmdir } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { SIDECAR_FORMATS } from '../../contract/captions/write-captions.ts';
import { byCodeUnit, type Sha256, sha256 } from '../../kernel/digest.ts';
import { type LfsPointer, MAX_POINTER_BYTES, parseLfsPointer } from '../../kernel/file-kind.ts';
import { nullIfMissing } from '../../kernel/file-system-error.ts';
import { parseRecord } from '../../kernel/json.ts';
import { replaceFile } from '../../kernel/replace-file.ts';
import {
  type Lock,
  type LockCaptionFile,
  type LockEntry,
  type LockRendering,
  OUTPUT_ENDINGS,
  OUTPUTS_FOLDER,
} from '../lock/lock.ts';

/** Files of a lock entry, with the recorded size and digest of the video. */
type RenderedFiles = Pick<LockRendering, 'video_url' | 'thumbnails' | 'bytes' | 'sha256' | 'outputs'>;

/** State of the local files of a lock. */
export interface LocalOutputs {
  /** Ids of entries with a missing file. */
  readonly missing: ReadonlySet<string>;
  /** Ids of entries whose files all exist → path of a file that is empty or does not have the recorded size. */
  readonly damaged: ReadonlyMap<string, string>;
  /** Ids of entries with a file of captions that is missing or changed on this machine. */
  readonly missingCaptions: ReadonlySet<string>;
  /** Repository-relative path → size in bytes; -1 for the files of missing or damaged videos. */
  readonly sizes: ReadonlyMap<string, number>;
}

/**
 * Compares the local files of a lock with the recorded sizes, without reading them, and captions, which are short, with their
 * digests. Assumes that URLs exist.
 *
 * The expected size is that in the lockfile, or that of the file that this machine has written. If neither is known, as in entries
 * of earlier versions, any size but 0 is accepted.
 *
 * @param root the repository's folder
 */
export function observeOutputs(root: string, lock: Lock): LocalOutputs {
  const missing = new Set<string>();
  const damaged = new Map<string, string>();
  const sizes = new Map<string, number>();
  const missingCaptions = new Set<string>();
  const inspect = createInspection(root);
  for (const [id, entry] of lock.videos) {
    const seen = inspect(entry);
    if (seen === null) missing.add(id);
    else if (typeof seen === 'string') damaged.set(id, seen);
    else for (const [path, size] of seen) sizes.set(path, size);
    for (const { path, sha256: digest } of localCaptions(root, entry)) {
      const isThere = digestIfThere(resolve(root, path)) === digest;
      sizes.set(path, isThere ? sizeOf(resolve(root, path))! : -1);
      if (!isThere) missingCaptions.add(id);
    }
  }
  // After the loop, because several entries may name one file.
  for (const id of [...missing, ...damaged.keys()])
    for (const path of localOutputs(lock.videos.get(id)!)) sizes.set(path, -1);
  return { missing, damaged, missingCaptions, sizes };
}

/** Creates a check whether all files of a rendering exist with their sizes, as in `observeOutputs`. */
export function createOutputCheck(root: string): (rendering: RenderedFiles) => boolean {
  const inspect = createInspection(root);
  return (rendering) => Array.isArray(inspect(rendering));
}

/**
 * Finds the videos whose local file was replaced, by its digest. Reads every local video with a known digest, which takes
 * long; plans compare only sizes.
 *
 * @param isAsked selects ids
 * @returns ids of entries whose files are there with their sizes → path of the first replaced file
 */
export async function findSwappedOutputs(
  root: string,
  lock: Lock,
  isAsked: (id: string) => boolean = () => true,
): Promise<Map<string, string>> {
  const inspect = createInspection(root);
  const records = readOutputRecords(root);
  const swapped = new Map<string, string>();
  for (const [id, entry] of lock.videos) {
    if (!isAsked(id) || !isLocal(entry.video_url) || !Array.isArray(inspect(entry))) continue;
    for (const { video_url: url, sha256 } of [entry, ...(entry.outputs ?? [])]) {
      const known: (string | null | undefined)[] = [sha256, records.get(url)?.sha256];
      if (known.every((digest) => digest === undefined)) continue;
      if (!swapped.has(id) && !known.includes(await digestOf(join(root, url)))) swapped.set(id, url);
    }
  }
  return swapped;
}

/**
 * Removes delivered videos from the missing videos, because they exist elsewhere. No plan restores them.
 */
export function notDelivered(missing: ReadonlySet<string>, lock: Lock): Set<string> {
  return new Set([...missing].filter((id) => lock.videos.get(id)?.deliveries === undefined));
}

/** Returns the files of a rendering with their sizes; null if a file is missing, or the path of a damaged file. */
type Inspect = (rendering: RenderedFiles) => readonly (readonly [path: string, size: number])[] | string | null;

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
    if (!seen.every((file): file is readonly [string, number] => file[1] !== null)) return null;
    const videos = new Map([rendering, ...(rendering.outputs ?? [])].map((video) => [video.video_url, video.bytes]));
    const damaged = seen.find(
      ([path, size]) => !(videos.has(path) ? isRightSize(path, size, videos.get(path)) : size > 0),
    );
    return damaged === undefined ? seen : damaged[0];
  };
}

/** Returns the repository-relative paths of the files of a video and its stills, without URLs. */
function localOutputs({ video_url, thumbnails, outputs = [] }: Omit<NamedOutputFiles, 'caption_files'>): string[] {
  return [video_url, ...outputs.map((output) => output.video_url), ...thumbnails].filter(isLocal);
}

type CaptionsHere = Pick<LockCaptionFile, 'path' | 'sha256'>;

/**
 * Returns the files with captions that must be on this machine: those beside a video that is nowhere else, because another may have been
 * rendered on another machine, and delivered ones, if their folder is here.
 */
function localCaptions(root: string, { video_url, deliveries, caption_files = [] }: LockEntry): CaptionsHere[] {
  const delivered = (deliveries ?? []).flatMap(({ to, sha256: digest }): CaptionsHere[] => {
    const path = to.replace(/^file:(?:\/\/(?=\/))?/, '');
    const isHere = to.startsWith('file:') && existsSync(dirname(resolve(root, path)));
    return digest === undefined || !isHere ? [] : [{ path, sha256: digest }];
  });
  return isLocal(video_url) && deliveries === undefined ? [...caption_files] : delivered;
}

/** @returns null for a missing file */
function digestIfThere(path: string): Sha256 | null {
  return sizeOf(path) === null ? null : sha256(readFileSync(path));
}

type NamedOutputFiles = Pick<LockRendering, 'video_url' | 'thumbnails' | 'outputs'> & Pick<LockEntry, 'caption_files'>;

function isLocal(url: LockEntry['video_url']): boolean {
  return !/^[a-z][a-z0-9+.-]*:/i.test(url);
}

/**
 * Returns the size of a regular file; null if there is none or it cannot be accessed. A Git LFS pointer has the size of the
 * file that it stands for.
 */
function sizeOf(path: string): number | null {
  try {
    const stats = statSync(path);
    if (!stats.isFile()) return null;
    return stats.size > MAX_POINTER_BYTES ? stats.size : (pointerAt(path)?.sizeBytes ?? stats.size);
  } catch {
    return null;
  }
}

function pointerAt(path: string): LfsPointer | null {
  return parseLfsPointer(readFileSync(path));
}

/** Returns the digest of a file, or of the content of a Git LFS pointer; null if the file cannot be read. */
async function digestOf(path: string): Promise<string | null> {
  const hash = createHash('sha256');
  try {
    const pointer = statSync(path).size > MAX_POINTER_BYTES ? null : pointerAt(path);
    if (pointer !== null) return pointer.oid;
    for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  } catch {
    return null;
  }
  return hash.digest('hex');
}

/** Name of a file that `apply` writes: `<id>-<8 digits of the fingerprint>`, the name of an output or a still, an extension. */
const OUTPUT = new RegExp(
  `-[0-9a-f]{8}(?:(?:\\.[\\w-]+)?\\.(?:${[...OUTPUT_ENDINGS, ...SIDECAR_FORMATS].join('|')})|\\.[\\w-]+\\.jpg)$`,
);

/** Previews written by `reelform render`. */
const LOOKS = `${OUTPUTS_FOLDER}/looks/`;

/** A file below `renders/`. */
interface FoundOutput {
  /** Repository-relative. */
  readonly path: string;
  readonly bytes: number;
  /** Milliseconds since the epoch. */
  readonly modifiedAt: number;
}

/** Renderings whose files must stay. */
interface NamedOutputs {
  readonly kept: Iterable<NamedOutputFiles>;
  /** Names of pending renderings: paths below `renders/` without extension. */
  readonly pending?: readonly string[];
}

/**
 * Finds videos and stills of earlier applies in `renders/`, sorted by path. Leaves out the named ones and files with other
 * names.
 *
 * @param root the repository's folder, absolute
 */
export async function findUnnamedOutputs(root: string, { kept, pending = [] }: NamedOutputs): Promise<FoundOutput[]> {
  const names = new Set([...kept].flatMap((entry) => [...localOutputs(entry), ...captionPaths(entry)]));
  const isPending = (path: string): boolean => pending.some((name) => path.startsWith(`${OUTPUTS_FOLDER}/${name}.`));
  const files = await outputFiles(root);
  return files.filter(({ path }) => {
    return OUTPUT.test(path) && !path.startsWith(LOOKS) && !names.has(path) && !isPending(path);
  });
}

function captionPaths({ caption_files = [] }: Pick<LockEntry, 'caption_files'>): string[] {
  return caption_files.map(({ path }) => path);
}

/** Finds previews written by `reelform render`, sorted by path. */
export async function findPreviews(root: string): Promise<FoundOutput[]> {
  return (await outputFiles(root)).filter(({ path }) => path.startsWith(LOOKS));
}

async function outputFiles(root: string): Promise<FoundOutput[]> {
  const entries = await readdir(join(root, OUTPUTS_FOLDER), { withFileTypes: true, recursive: true }).catch(() => []);
  const files = entries.flatMap((entry): FoundOutput[] => {
    const path = join(entry.parentPath, entry.name);
    const stats = entry.isFile() ? statSync(path, { throwIfNoEntry: false }) : undefined;
    if (stats === undefined) return [];
    return [{ path: relative(root, path).split(sep).join('/'), bytes: stats.size, modifiedAt: stats.mtimeMs }];
  });
  return files.sort((a, b) => byCodeUnit(a.path, b.path));
}

/**
 * Removes files below `renders/` and the folders that they leave empty. Keeps files that cannot be removed.
 *
 * @param root the repository's folder, absolute
 * @param paths repository-relative
 * @returns the number of removed files
 */
export async function removeOutputs(root: string, paths: readonly string[]): Promise<number> {
  let removed = 0;
  for (const path of paths) {
    const isGone = await rm(join(root, path)).then(
      () => true,
      () => false,
    );
    if (!isGone) continue;
    removed += 1;
    await removeEmpty(join(root, OUTPUTS_FOLDER), dirname(join(root, path)));
  }
  return removed;
}

/** Removes a folder and its parents below `top` if they are empty. */
async function removeEmpty(top: string, folder: string): Promise<void> {
  for (let empty = folder; empty !== top; empty = dirname(empty)) {
    try {
      await rmdir(empty);
    } catch {
      return;
    }
  }
}

/** Records of the files that this machine wrote to `renders/`. Ignored by git; may be deleted at any time. */
const OUTPUT_RECORDS_FILE = '.reelform/outputs.ndjson';

/** Size and digest of a video file when it was written. */
interface OutputRecord {
  readonly bytes: number;
  readonly sha256: Sha256;
}

/** The file is rewritten if more lines than this, and more than half of all lines, are obsolete. */
const MAX_WASTE = 1000;

/**
 * Reads the records by repository-relative path. The lockfile records the first rendering of a video; another machine may
 * render it to different bytes (see docs/reference/outputs.md), which are recorded here. Ignores invalid lines.
 */
export function readOutputRecords(root: string): ReadonlyMap<string, OutputRecord> {
  try {
    return parseRecords(readFileSync(join(root, OUTPUT_RECORDS_FILE), 'utf8')).records;
  } catch {
    return new Map();
  }
}

/**
 * Records a video file that was just written. Best effort: without the record, the next plan may restore the file again.
 *
 * @param path repository-relative
 */
export async function recordOutput(root: string, path: string, { bytes, sha256 }: OutputRecord): Promise<void> {
  const file = join(root, OUTPUT_RECORDS_FILE);
  try {
    await mkdir(dirname(file), { recursive: true });
    await appendFile(file, lineOf(path, { bytes, sha256 }));
  } catch {
    // The video itself was written.
  }
}

/** Removes obsolete lines once there are many. Best effort. */
export async function compactOutputRecords(root: string): Promise<void> {
  const file = join(root, OUTPUT_RECORDS_FILE);
  try {
    const text = await nullIfMissing(readFile(file, 'utf8'));
    if (text === null) return;
    const { records, lineCount } = parseRecords(text);
    if (lineCount <= MAX_WASTE) return;
    const kept = [...records.keys()].filter((path) => existsSync(join(root, path)));
    if (lineCount - kept.length <= Math.max(MAX_WASTE, lineCount / 2)) return;
    await replaceFile(file, kept.map((path) => lineOf(path, records.get(path)!)).join(''), { isDurable: false });
  } catch {
    // The file works without compaction.
  }
}

function lineOf(path: string, { bytes, sha256 }: OutputRecord): string {
  return `${JSON.stringify({ path, bytes, sha256 })}\n`;
}

function parseRecords(text: string): { records: Map<string, OutputRecord>; lineCount: number } {
  const records = new Map<string, OutputRecord>();
  const lines = text.split('\n').slice(0, -1);
  for (const line of lines) {
    const record = parseLine(line);
    if (record !== null) records.set(record.path, record);
  }
  return { records, lineCount: lines.length };
}

function parseLine(line: string): (OutputRecord & { readonly path: string }) | null {
  const { path, bytes, sha256 } = parseRecord(line) ?? {};
  if (typeof path !== 'string' || typeof bytes !== 'number' || typeof sha256 !== 'string') return null;
  return { path, bytes, sha256: sha256 as Sha256 };
}
