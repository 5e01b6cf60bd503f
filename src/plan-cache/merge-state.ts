import { CONFIG_FILE } from '../project/find-root.ts';
import type { ReadLog } from '../project/read-log.ts';
import { type CachedDefinition, type CachedState, isOfTemplate, type LastPlan } from './cached-state.ts';
import type { FsTimestamp } from './fs-timestamp.ts';
import { parentDirsOf, withTrust } from './project-state.ts';

/** Definitions and templates after the changed ones were read again. */
export interface Reread {
  /** All. */
  readonly definitions: CachedState['definitions'];
  /** Those that were removed or read again, as they were before. */
  readonly replaced: readonly CachedDefinition[];
  readonly templates: CachedState['templates'];
}

/** What was read again, and what of it changed. */
export interface Refreshed {
  readonly log: ReadLog;
  readonly timestamp: FsTimestamp;
  /** Files. */
  readonly changed: ReadonlySet<string>;
  /** Folders. When there is one, all folders that are searched for definitions were listed again. */
  readonly relisted: ReadonlySet<string>;
  /** Names of the templates that were loaded again. */
  readonly templates: ReadonlySet<string>;
}

/**
 * Merges what was read again into the state, and drops files that nothing needs any more.
 *
 * @returns null when a file changed meanwhile, so that the cached and the new results may not fit together
 */
export function mergeState(
  root: string,
  state: CachedState,
  { definitions, replaced, templates }: Reread,
  { log, timestamp, changed, relisted, templates: reloaded }: Refreshed,
): CachedState | null {
  if (!log.isWhole) return null;
  for (const [path, { sha256 }] of log.files) {
    const before = state.files.get(path);
    if (before !== undefined && before.sha256 !== sha256 && !changed.has(path)) return null;
  }
  const { config } = state;
  const names = [...config.templates.keys()];
  const ownersOf = (path: string): string[] => names.filter((name) => isOfTemplate(path, name, config));
  for (const [path, { listing }] of log.folders) {
    const before = state.folders.get(path);
    const hasChanged = before !== undefined && before.listing !== listing && !relisted.has(path);
    if (hasChanged && ownersOf(path).some((name) => !reloaded.has(name))) return null;
  }
  const isSame = replaced.length === 0 && definitions.size === state.definitions.size;
  const lastPlan = isSame ? state.lastPlan : state.lastPlan && withUnmatched(state.lastPlan, replaced);
  const now = { ...state, definitions, templates, lastPlan };
  if (log.files.size === 0 && log.folders.size === 0) return now;

  const fresh = withTrust(log.files, timestamp);
  // When only the content of files changed, the same files are needed as before, or more.
  const isSmall = relisted.size === 0 && reloaded.size === 0 && [...changed].every((path) => log.files.has(path));
  const files = isSmall
    ? new Map([...state.files, ...fresh])
    : neededFiles(state, definitions, fresh, reloaded, ownersOf);
  const folders = new Map(
    [...state.folders].filter(([path]) => {
      const owners = relisted.size === 0 ? [] : ownersOf(path);
      return relisted.size === 0 || owners.some((name) => !reloaded.has(name));
    }),
  );
  for (const [path, seen] of withTrust(log.folders, timestamp)) folders.set(path, seen);
  const isKnown = [...log.files.keys()].every((path) => state.files.has(path)) && relisted.size === 0;
  const parentDirs = isKnown ? state.parentDirs : parentDirsOf(root, files, folders);
  if (parentDirs === null) return null;
  const absent = new Set(state.absent.filter((path) => !ownersOf(path).some((name) => reloaded.has(name))));
  for (const path of log.absent) absent.add(path);
  return { ...now, files, folders, parentDirs, absent: [...absent] };
}

function neededFiles(
  state: CachedState,
  definitions: CachedState['definitions'],
  fresh: CachedState['files'],
  reloaded: ReadonlySet<string>,
  ownersOf: (path: string) => string[],
): CachedState['files'] {
  const used = new Set([...definitions.values()].flatMap(({ origins, assets }) => [...origins, ...assets]));
  used.add(CONFIG_FILE);
  const kept = [...state.files].filter(
    ([path]) => used.has(path) || ownersOf(path).some((name) => !reloaded.has(name)),
  );
  const added = [...fresh].filter(([path]) => used.has(path) || ownersOf(path).length > 0);
  return new Map([...kept.filter(([path]) => !fresh.has(path)), ...added]);
}

/** The lock entries of replaced definitions match none for now. */
function withUnmatched(lastPlan: LastPlan, replaced: readonly CachedDefinition[]): LastPlan {
  const freed = replaced.flatMap(({ ids, upToDate }) => {
    return upToDate === null ? [] : ids.map((id, index) => [id, ...upToDate[index]!] as const);
  });
  return { ...lastPlan, isEmpty: false, unmatchedEntries: [...lastPlan.unmatchedEntries, ...freed] };
}
