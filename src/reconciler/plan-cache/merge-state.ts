import type { ReadLog } from '../project/read-log.ts';
import { CONFIG_FILE } from '../project/repository-layout.ts';
import { type CachedDefinition, type CachedState, isOfTemplate, type LastPlan } from './cached-state.ts';
import { type FsTimestamp, withTrust } from './file-times.ts';
import { parentDirsOf } from './project-state.ts';

/** Results of reading changed files again. */
export interface ReadAgain {
  /** All definitions, some of them read again. */
  readonly definitions: CachedState['definitions'];
  /** Former state of definitions that were removed or read again. */
  readonly replaced: readonly CachedDefinition[];
  /** All templates, some of them loaded again. */
  readonly templates: CachedState['templates'];
  readonly log: ReadLog;
  /** Time before the first read. */
  readonly timestamp: FsTimestamp;
  readonly changedFiles: ReadonlySet<string>;
  /** If a folder changed, all folders that are searched for definitions were listed again. */
  readonly changedFolders: ReadonlySet<string>;
  /** Names of the templates that were loaded again. */
  readonly changedTemplates: ReadonlySet<string>;
}

/**
 * Merges the results into the state, and drops files that are no longer needed.
 *
 * @returns null when a file changed meanwhile, so that cached and new results may not match
 */
export function mergeState(root: string, state: CachedState, readAgain: ReadAgain): CachedState | null {
  const { definitions, replaced, templates, log, timestamp, changedFiles, changedFolders, changedTemplates } =
    readAgain;
  /** Returns true unless the path belongs to a template that was not loaded again. */
  const isReloaded = (path: string): boolean => templatesWith(path, state).every((name) => changedTemplates.has(name));
  if (!log.isWhole || hasChangedMeanwhile(state, readAgain, isReloaded)) return null;
  const isSame = replaced.length === 0 && definitions.size === state.definitions.size;
  const lastPlan = isSame ? state.lastPlan : state.lastPlan && withUnmatched(state.lastPlan, replaced);
  const merged = { ...state, definitions, templates, lastPlan };
  if (log.files.size === 0 && log.folders.size === 0) return merged;

  const newFiles = withTrust(log.files, timestamp);
  const hasOnlyNewContent =
    changedFolders.size === 0 && changedTemplates.size === 0 && [...changedFiles].every((path) => log.files.has(path));
  const files = hasOnlyNewContent ? new Map([...state.files, ...newFiles]) : neededFiles(merged, newFiles, isReloaded);
  const keptFolders = [...state.folders].filter(([path]) => changedFolders.size === 0 || !isReloaded(path));
  const folders = new Map([...keptFolders, ...withTrust(log.folders, timestamp)]);
  const hasSamePaths = [...log.files.keys()].every((path) => state.files.has(path)) && changedFolders.size === 0;
  const parentDirs = hasSamePaths ? state.parentDirs : parentDirsOf(root, files, folders);
  if (parentDirs === null) return null;
  const stillAbsent = state.absent.filter(
    (path) => !templatesWith(path, state).some((name) => changedTemplates.has(name)),
  );
  return { ...merged, files, folders, parentDirs, absent: [...new Set([...stillAbsent, ...log.absent])] };
}

/** Returns the names of the templates that a path belongs to, or whose measurements it affects. */
function templatesWith(path: string, { config }: CachedState): string[] {
  return [...config.templates.keys()].filter((name) => isOfTemplate(path, name, config));
}

/** Returns true if a file or folder changed after the search for changes. */
function hasChangedMeanwhile(
  state: CachedState,
  { log, changedFiles, changedFolders }: ReadAgain,
  isReloaded: (path: string) => boolean,
): boolean {
  const hasNewContent = [...log.files].some(([path, { sha256 }]) => {
    const before = state.files.get(path);
    return before !== undefined && before.sha256 !== sha256 && !changedFiles.has(path);
  });
  const hasNewNames = [...log.folders].some(([path, { listing }]) => {
    const before = state.folders.get(path);
    return before !== undefined && before.listing !== listing && !changedFolders.has(path) && !isReloaded(path);
  });
  return hasNewContent || hasNewNames;
}

/** Returns the files that definitions and templates still use. */
function neededFiles(
  state: CachedState,
  newFiles: CachedState['files'],
  isReloaded: (path: string) => boolean,
): CachedState['files'] {
  const used = new Set([...state.definitions.values()].flatMap(({ origins, assets }) => [...origins, ...assets]));
  used.add(CONFIG_FILE);
  const kept = [...state.files].filter(([path]) => !newFiles.has(path) && (used.has(path) || !isReloaded(path)));
  const added = [...newFiles].filter(([path]) => used.has(path) || templatesWith(path, state).length > 0);
  return new Map([...kept, ...added]);
}

/** Marks the lock entries of replaced definitions as unmatched. */
function withUnmatched(lastPlan: LastPlan, replaced: readonly CachedDefinition[]): LastPlan {
  const freed = replaced.flatMap(({ ids, upToDate }) => {
    return upToDate === null ? [] : ids.map((id, index) => [id, ...upToDate[index]!] as const);
  });
  return { ...lastPlan, isEmpty: false, unmatchedEntries: [...lastPlan.unmatchedEntries, ...freed] };
}
