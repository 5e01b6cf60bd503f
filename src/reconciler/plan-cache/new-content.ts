import { join } from 'node:path';
import { ReadLog } from '../project/read-log.ts';
import type { CachedState } from './cached-state.ts';
import { lstatOrNull } from './file-state.ts';
import type { CacheProbe } from './probe.ts';

/** Maximum number of files that are read to find out whether a plan has changes. */
const MAX_COMPARED = 16;

/**
 * Returns whether a file that the last plan read has another content, or a folder other files. Then a plan probably has changes: reads
 * no definition, and only the first of many files.
 *
 * @param since ignores what changed before this time; in milliseconds since 1970
 */
export function hasNewContent(
  root: string,
  state: CachedState,
  { maybeChanged: { files, folders }, hasMoved }: CacheProbe,
  since = 0,
): boolean {
  if (hasMoved) return true;
  const log = new ReadLog(root);
  const first = (paths: readonly string[]): string[] =>
    paths.filter((path) => (lstatOrNull(join(root, path))?.ctimeMs ?? since) >= since).slice(0, MAX_COMPARED);
  return (
    first(files).some((path) => findChangedFiles(state, [path], log).size > 0) ||
    first(folders).some((path) => findChangedFolders(state, [path], log).size > 0)
  );
}

/** Reads files that may have changed, and returns those with other content. */
export function findChangedFiles(state: CachedState, maybeChanged: readonly string[], log: ReadLog): Set<string> {
  const changed = new Set<string>();
  for (const path of maybeChanged) {
    const { sha256, real } = state.files.get(path)!;
    log.readIfPresent(path, real);
    // The code that needs a file reports its absence.
    log.absent.delete(path);
    if (log.files.get(path)?.sha256 !== sha256) changed.add(path);
  }
  return changed;
}

/** Lists folders that may have changed, and returns those with other names. */
export function findChangedFolders(state: CachedState, maybeChanged: readonly string[], log: ReadLog): Set<string> {
  const changed = new Set<string>();
  for (const path of maybeChanged) {
    try {
      log.list(path);
    } catch {
      // A folder that was removed or cannot be opened: the search for definitions reports it.
    }
    if (log.folders.get(path)?.listing !== state.folders.get(path)!.listing) changed.add(path);
  }
  return changed;
}
