import { hash } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Sha256 } from '../../kernel/digest.ts';
import { unfinishedPath } from '../../kernel/replace-file.ts';
import { isSameTuple, type StatTuple, statTuple } from '../project/read-log.ts';
import { JOURNAL_FILE, LOCK_FILE } from '../project/repository-layout.ts';
import {
  type CachedStat,
  CacheFile,
  type CacheHead,
  type LastPlan,
  type SeenOutput,
  type TextRange,
  type Trusted,
} from './cache-file.ts';

/** A point in time on the clock of a file system. */
export interface FsTimestamp {
  readonly dev: number;
  readonly timeMs: number;
  /** Resolution of file times. */
  readonly marginMs: number;
}

/** Kernels use the time of their last tick, at most 10 ms ago. */
const TICK_MS = 20;
/** Some file systems store whole seconds, the oldest even ones only. */
const COARSE_MS = 2_020;

/**
 * Returns the current time of the clock that sets file times. Creates and removes a file.
 *
 * @returns null if no file can be created
 */
export function fsTimestamp(folder: string): FsTimestamp | null {
  const path = unfinishedPath(folder);
  try {
    mkdirSync(folder, { recursive: true });
    const file = openSync(path, 'wx');
    try {
      const { dev, mtimeMs } = fstatSync(file);
      return { dev, timeMs: mtimeMs, marginMs: mtimeMs % 1000 === 0 ? COARSE_MS : TICK_MS };
    } finally {
      closeSync(file);
      rmSync(path, { force: true });
    }
  } catch {
    return null;
  }
}

/**
 * Returns true if a later change is certain to change these stat data, which were read after the timestamp. A file that
 * changed in the tick in which it was read may change again without a new time.
 *
 * @see https://git-scm.com/docs/racy-git
 */
export function isTrusted([dev, ino, , mtimeMs, ctimeMs]: StatTuple, timestamp: FsTimestamp): boolean {
  return (
    dev === timestamp.dev &&
    ino <= Number.MAX_SAFE_INTEGER &&
    Math.max(mtimeMs, ctimeMs) < timestamp.timeMs - timestamp.marginMs
  );
}

/** Path of the plan cache, repository-relative. */
export const PLAN_CACHE_FILE = '.reelform/plan-cache.json';

/** An open plan cache, and the paths that may have changed since it was written. */
export interface CacheProbe {
  readonly file: CacheFile;
  /** Repository-relative paths of files and folders whose stat data differ, or prove nothing. */
  readonly maybeChanged: { readonly files: readonly string[]; readonly folders: readonly string[] };
  /** True if a link has another target, or something exists that did not. */
  readonly hasMoved: boolean;
}

/**
 * Opens the plan cache and compares the stat data of everything that was read. Opens no other file.
 *
 * @param root absolute
 * @param key of this program: a cache with another key is not used
 * @returns null when there is no usable cache
 */
export function probeCache(root: string, key: string): CacheProbe | null {
  const file = CacheFile.open(join(root, PLAN_CACHE_FILE), key);
  if (file === null) return null;
  const { files, folders, links, parentDirs, absent } = file.head;
  return {
    file,
    maybeChanged: {
      files: changedIn(files, (path) => {
        const stats = lstatOrNull(`${root}/${path}`);
        // The target of the link is compared below.
        return stats?.isSymbolicLink() && links[path] !== undefined ? statOrNull(links[path]) : stats;
      }),
      folders: changedIn(folders, (path) => (path === '' ? statOrNull(root) : lstatOrNull(`${root}/${path}`))),
    },
    hasMoved:
      !parentDirs.every((path) => lstatOrNull(`${root}/${path}`)?.isDirectory()) ||
      !absent.every((path) => isAbsent(`${root}/${path}`)) ||
      Object.entries(links).some(([path, real]) => realpathOrNull(`${root}/${path}`) !== real),
  };
}

function changedIn(seen: readonly CachedStat[], look: (path: string) => Stats | null): string[] {
  const changed: string[] = [];
  for (const [path, trusted, tuple] of seen) {
    const stats = look(path);
    const isSame =
      stats !== null &&
      trusted &&
      stats.ctimeMs === tuple[4] &&
      stats.mtimeMs === tuple[3] &&
      stats.size === tuple[2] &&
      stats.ino === tuple[1] &&
      stats.dev === tuple[0];
    if (!isSame) changed.push(path);
  }
  return changed;
}

/** Returns true if neither the definitions nor anything they use can have changed. */
export function isUnchanged({ maybeChanged: { files, folders }, hasMoved }: CacheProbe): boolean {
  return files.length === 0 && folders.length === 0 && !hasMoved;
}

/**
 * Returns true if a plan would have nothing to do or report, like the last one.
 *
 * @param restores true if the plan restores missing and damaged outputs
 */
export function hasNothingToDo(root: string, probe: CacheProbe, restores: boolean): boolean {
  const { lastPlan, hasDiagnostics }: CacheHead = probe.file.head;
  return (
    lastPlan?.isEmpty === true &&
    !hasDiagnostics &&
    isUnchanged(probe) &&
    isUnchangedFile(join(root, LOCK_FILE), lastPlan.lock) &&
    isUnchangedFile(join(root, JOURNAL_FILE), lastPlan.journal) &&
    (!restores || haveSizes(root, lastPlan.outputs))
  );
}

/** Returns true if all outputs are files of the recorded sizes. */
export function haveSizes(root: string, outputs: readonly SeenOutput[]): boolean {
  return outputs.every(([path, sizeBytes]) => {
    const stats = statOrNull(`${root}/${path}`);
    return stats !== null && stats.size === sizeBytes && stats.isFile();
  });
}

/** Returns the stat data of a file, after following links; null when there is none. */
export function tupleOf(path: string): StatTuple | null {
  const stats = statOrNull(path);
  return stats && statTuple(stats);
}

/** Returns true if a file is certainly unchanged, or still missing. */
export function isUnchangedFile(path: string, before: Trusted<{ readonly tuple: StatTuple }> | null): boolean {
  const tuple = tupleOf(path);
  // A dangling link is not a missing file.
  if (before === null || tuple === null) return before === null && tuple === null && isAbsent(path);
  return before.isTrusted && isSameTuple(before.tuple, tuple);
}

/**
 * Reads a file with its stat data.
 *
 * @returns null for a file that cannot be read, or that changed meanwhile
 */
export function readWithStat(
  path: string,
  timestamp: FsTimestamp,
): { readonly seen: NonNullable<LastPlan['lock']>; readonly bytes: Buffer } | null {
  try {
    const tuple = tupleOf(path);
    const bytes = readFileSync(path);
    const after = tupleOf(path);
    if (tuple === null || after === null || !isSameTuple(tuple, after)) return null;
    return { seen: { tuple, sha256: hash('sha256', bytes) as Sha256, isTrusted: isTrusted(tuple, timestamp) }, bytes };
  } catch {
    return null;
  }
}

/**
 * Reads ranges of a text file.
 *
 * @returns null when its stat data differ from the expected ones
 */
export function readRanges(path: string, ranges: readonly TextRange[], expected: StatTuple): string[] | null {
  const file = openSync(path, 'r');
  try {
    const texts = ranges.map(([start, end]) => {
      const bytes = Buffer.alloc(end - start);
      readSync(file, bytes, 0, bytes.length, start);
      return bytes.toString();
    });
    return isSameTuple(statTuple(fstatSync(file)), expected) ? texts : null;
  } finally {
    closeSync(file);
  }
}

function lstatOrNull(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch {
    return null;
  }
}

function statOrNull(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}

function isAbsent(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

function realpathOrNull(path: string): string | null {
  try {
    return realpathSync.native(path);
  } catch {
    return null;
  }
}
