import type { Stats } from 'node:fs';
import { join } from 'node:path';
import { JOURNAL_FILE, LOCK_FILE } from '../project/repository-layout.ts';
import { type CachedStat, CacheFile } from './cache-file.ts';
import { haveSizes, isAbsent, isUnchangedFile, lstatOrNull, realpathOrNull, statOrNull } from './file-state.ts';

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
      files: changedPaths(files, (path) => {
        const stats = lstatOrNull(`${root}/${path}`);
        // The target of the link is compared below.
        return stats?.isSymbolicLink() && links[path] !== undefined ? statOrNull(links[path]) : stats;
      }),
      folders: changedPaths(folders, (path) => (path === '' ? statOrNull(root) : lstatOrNull(`${root}/${path}`))),
    },
    hasMoved:
      !parentDirs.every((path) => lstatOrNull(`${root}/${path}`)?.isDirectory()) ||
      !absent.every((path) => isAbsent(`${root}/${path}`)) ||
      Object.entries(links).some(([path, real]) => realpathOrNull(`${root}/${path}`) !== real),
  };
}

/** Returns the paths whose stat data have changed, or prove nothing. */
function changedPaths(cached: readonly CachedStat[], readStats: (path: string) => Stats | null): string[] {
  const changed: string[] = [];
  for (const [path, isTrusted, tuple] of cached) {
    const stats = readStats(path);
    // Compared without a tuple: this runs for every file of the repository.
    const isSame =
      stats !== null &&
      isTrusted &&
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
 * Returns true if a plan would have nothing to do or report, like the last plan.
 *
 * @param restores true if the plan restores missing and damaged outputs
 */
export function hasNothingToDo(root: string, probe: CacheProbe, restores: boolean): boolean {
  const { lastPlan, hasDiagnostics } = probe.file.head;
  return (
    lastPlan?.isEmpty === true &&
    !hasDiagnostics &&
    isUnchanged(probe) &&
    isUnchangedFile(join(root, LOCK_FILE), lastPlan.lock) &&
    isUnchangedFile(join(root, JOURNAL_FILE), lastPlan.journal) &&
    (!restores || haveSizes(root, lastPlan.outputs))
  );
}
