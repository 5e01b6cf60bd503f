import { dirname, join } from 'node:path';
import { hasErrors } from '../../kernel/diagnostic.ts';
import { byCodeUnit } from '../../kernel/digest.ts';
import type { DesiredVideo } from '../plan/desired-video.ts';
import type { Project } from '../project/load-project.ts';
import { ReadLog } from '../project/read-log.ts';
import { RepositoryFiles } from '../project/repository-files.ts';
import { CONFIG_FILE } from '../project/repository-layout.ts';
import { type CachedDefinition, type CachedState, isOfTemplate, type LastPlan, writeCacheFile } from './cache-file.ts';
import { type CacheProbe, type FsTimestamp, fsTimestamp, isUnchanged, PLAN_CACHE_FILE } from './probe.ts';
import { decodeVideos, definitionStates, parentDirsOf, templateState, withTrust } from './project-state.ts';

/** Up to this number of changes, reading again is cheaper than storing them before they are applied. */
const FEW = 16;

/** The plan cache of a repository during one command. */
export class PlanCache {
  /** Time before the first read. */
  readonly timestamp: FsTimestamp;
  /** Valid content; null when everything has to be read. */
  state: CachedState | null;
  readonly #root: string;
  readonly #key: string;
  readonly #probe: CacheProbe | null;
  #stored: CachedState | null;

  private constructor(root: string, key: string, timestamp: FsTimestamp, probe: CacheProbe | null) {
    this.#root = root;
    this.#key = key;
    this.timestamp = timestamp;
    this.#probe = probe;
    this.#stored = probe?.file.readState() ?? null;
    this.state = this.#stored;
  }

  /** @returns null when nothing can be written, so nothing can be cached */
  static open(root: string, key: string, probe: CacheProbe | null): PlanCache | null {
    const timestamp = fsTimestamp(dirname(join(root, PLAN_CACHE_FILE)));
    return timestamp && new PlanCache(root, key, timestamp, probe);
  }

  /** Brings the state up to date. */
  async refresh(desire: Desire): Promise<void> {
    if (this.state === null || this.#probe === null || isUnchanged(this.#probe)) return;
    this.state = await refreshState(this.#root, this.state, this.#probe, { timestamp: this.timestamp, desire });
  }

  /**
   * Returns the videos of a definition.
   *
   * @throws CacheDamaged
   */
  videos({ videos }: CachedDefinition): DesiredVideo[] {
    const text = typeof videos === 'string' ? videos : (this.#probe?.file.record(videos) ?? null);
    if (text === null) throw new CacheDamaged();
    return decodeVideos(text);
  }

  /** Writes the state if it changed. Leaves a few unapplied changes for the plan after the apply. */
  store(): void {
    const { state } = this;
    if (state === null || state === this.#stored || this.#isTemporary(state)) return;
    writeCacheFile(join(this.#root, PLAN_CACHE_FILE), this.#key, state, this.#probe?.file ?? null);
    this.#stored = state;
  }

  #isTemporary({ lastPlan, definitions }: CachedState): boolean {
    if (lastPlan === null || lastPlan.isEmpty || this.#stored?.lastPlan == null || this.#probe === null) return false;
    const { files, folders } = this.#probe.maybeChanged;
    const added = [...definitions.values()].filter(({ videos }) => typeof videos === 'string').length;
    return lastPlan.lock?.sha256 === this.#stored.lastPlan.lock?.sha256 && added + files.length + folders.length <= FEW;
  }
}

/** A record of the plan cache does not match its digest. */
export class CacheDamaged extends Error {}

/** Converts a video of a project to the form that plans compare. */
export type Desire = (
  video: Project['videos'][number],
  project: Pick<Project, 'config' | 'assets'> & { readonly templates: Pick<Project['templates'], 'get'> },
) => DesiredVideo;

/**
 * Updates the state: reads files that may have changed, and the definitions that depend on changed ones.
 *
 * @param timestamp taken before anything was read
 * @returns null when everything has to be read: the configuration changed, or something is invalid
 */
async function refreshState(
  root: string,
  state: CachedState,
  { maybeChanged, hasMoved }: CacheProbe,
  { timestamp, desire }: { readonly timestamp: FsTimestamp; readonly desire: Desire },
): Promise<CachedState | null> {
  if (hasMoved) return null;
  const log = new ReadLog(root);
  const changed = changedFiles(state, maybeChanged.files, log);
  const relisted = changedFolders(state, maybeChanged.folders, log);
  if (!log.isWhole || changed.has(CONFIG_FILE)) return null;

  const files = new RepositoryFiles(root, log);
  const names = [...state.config.templates.keys()];
  const paths = [...changed, ...relisted];
  const templates = new Set(names.filter((name) => paths.some((path) => isOfTemplate(path, name, state.config))));
  const found = relisted.size === 0 ? { added: [], removed: [] } : await searchDefinitions(state, files);
  if (found === null) return null;
  const kept = new Map(state.definitions);
  for (const path of found.removed) kept.delete(path);
  const touched = [...kept.values()].filter(
    ({ origins, assets, templates: used }) =>
      origins.some((path) => changed.has(path)) ||
      assets.some((path) => changed.has(path)) ||
      used.some((name) => templates.has(name)),
  );
  const replaced = [...touched, ...found.removed.map((path) => state.definitions.get(path)!)];
  let reread: Reread = { definitions: kept, replaced, templates: state.templates };
  const dirty = [...touched.map(({ path }) => path), ...found.added].sort(byCodeUnit);
  if (dirty.length > 0 || templates.size > 0) {
    assumeUnchanged(state, changed, files);
    const read = await readDefinitions(dirty, templates, state, files, desire);
    if (read === null) return null;
    for (const { path } of touched) kept.delete(path);
    const others = [...kept.values()];
    if (hasDuplicateIds(read.definitions, replaced, others)) return null;
    // When videos share a destination, only a check of all of them shows which one is wrong.
    const destinations = new Set(read.definitions.flatMap((one) => one.destinations));
    if (others.some((one) => one.destinations.some((prefix) => destinations.has(prefix)))) return null;
    for (const one of read.definitions) kept.set(one.path, one);
    reread = { replaced, definitions: kept, templates: read.templates };
  }
  return mergeState(root, state, reread, { log, timestamp, changed, relisted, templates });
}

/** @returns null when no definition is left, or when an ignored file causes a warning */
async function searchDefinitions(
  { config, definitions, files: read }: CachedState,
  files: RepositoryFiles,
): Promise<{ readonly added: readonly string[]; readonly removed: readonly string[] } | null> {
  const { findDefinitionFiles } = await import('../project/find-definitions.ts');
  const { paths, ignored } = findDefinitionFiles(config, files);
  if (paths.length === 0 || ignored.some((path) => !read.has(path))) return null;
  const known = new Set(definitions.keys());
  const added = paths.filter((path) => !known.delete(path));
  return { added, removed: [...known] };
}

function changedFiles(state: CachedState, maybeChanged: readonly string[], log: ReadLog): Set<string> {
  const changed = new Set<string>();
  for (const path of maybeChanged) {
    const { sha256, real } = state.files.get(path)!;
    log.look(path, real);
    // The code that needs a file reports its absence.
    log.absent.delete(path);
    if (log.files.get(path)?.sha256 !== sha256) changed.add(path);
  }
  return changed;
}

/** Returns the folders that hold other names. */
function changedFolders(state: CachedState, maybeChanged: readonly string[], log: ReadLog): Set<string> {
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

/** Saves hashing the unchanged files that a video uses. */
function assumeUnchanged(
  { definitions, files: seen }: CachedState,
  changed: ReadonlySet<string>,
  files: RepositoryFiles,
) {
  const assets = new Set([...definitions.values()].flatMap((one) => one.assets));
  files.assume((path) => {
    if (changed.has(path) || !assets.has(path)) return undefined;
    const { sha256, tuple } = seen.get(path)!;
    return { path, sha256, sizeBytes: tuple[2] };
  });
}

/** @returns null when one of them is invalid */
async function readDefinitions(
  paths: readonly string[],
  templateNames: ReadonlySet<string>,
  { config, templates: cached }: CachedState,
  files: RepositoryFiles,
  desire: Desire,
): Promise<{ definitions: CachedDefinition[]; templates: CachedState['templates'] } | null> {
  const { LazyTemplates, reloadDefinitions } = await import('../project/load-definitions.ts');
  const lazy = new LazyTemplates(config, files);
  const templates = new Map(cached);
  for (const name of templateNames) {
    const { template, diagnostics } = lazy.load(name);
    if (template === null || hasErrors(diagnostics)) return null;
    templates.set(name, templateState(template, diagnostics));
  }
  const { videos, origins, assets, isWhole } = reloadDefinitions(paths, config, lazy, files);
  if (!isWhole) return null;
  const loaded = { get: (name: string) => lazy.load(name).template ?? undefined };
  const desired = videos.map((video) => desire(video, { config, templates: loaded, assets }));
  return { definitions: definitionStates(origins, desired), templates };
}

/**
 * Finds ids that differ only in case: ids name files, and some file systems ignore case. The cached ids are known to be
 * distinct.
 *
 * @param others definitions that did not change
 */
function hasDuplicateIds(
  read: readonly CachedDefinition[],
  replaced: readonly CachedDefinition[],
  others: readonly CachedDefinition[],
): boolean {
  const namesOf = (definitions: readonly CachedDefinition[]): string[] =>
    definitions.flatMap(({ ids }) => ids.map((id) => id.toLowerCase()));
  const names = namesOf(read);
  const added = new Set(names);
  if (added.size < names.length) return true;
  for (const name of namesOf(replaced)) added.delete(name);
  return added.size > 0 && namesOf(others).some((name) => added.has(name));
}

/** Definitions and templates after the changed ones were read again. */
interface Reread {
  readonly definitions: CachedState['definitions'];
  /** Former state of definitions that were removed or read again. */
  readonly replaced: readonly CachedDefinition[];
  readonly templates: CachedState['templates'];
}

/** Changed paths and templates, and the log of reading them. */
interface Refreshed {
  readonly log: ReadLog;
  readonly timestamp: FsTimestamp;
  readonly changed: ReadonlySet<string>;
  /** Changed folders. If there is one, all folders that are searched for definitions were listed again. */
  readonly relisted: ReadonlySet<string>;
  /** Names of the templates that were loaded again. */
  readonly templates: ReadonlySet<string>;
}

/**
 * Merges the results into the state, and drops files that are no longer needed.
 *
 * @returns null when a file changed meanwhile, so that cached and new results may not match
 */
function mergeState(
  root: string,
  state: CachedState,
  { definitions, replaced, templates }: Reread,
  { log, timestamp, changed, relisted, templates: reloaded }: Refreshed,
): CachedState | null {
  const { config } = state;
  const names = [...config.templates.keys()];
  const ownersOf = (path: string): string[] => names.filter((name) => isOfTemplate(path, name, config));
  /** Returns whether every template that has the path was loaded again. */
  const isReloaded = (path: string): boolean => ownersOf(path).every((name) => reloaded.has(name));
  const hasChangedSince = [...log.files].some(([path, { sha256 }]) => {
    const before = state.files.get(path);
    return before !== undefined && before.sha256 !== sha256 && !changed.has(path);
  });
  const wasRelistedSince = [...log.folders].some(([path, { listing }]) => {
    const before = state.folders.get(path);
    return before !== undefined && before.listing !== listing && !relisted.has(path) && !isReloaded(path);
  });
  if (!log.isWhole || hasChangedSince || wasRelistedSince) return null;
  const isSame = replaced.length === 0 && definitions.size === state.definitions.size;
  const lastPlan = isSame ? state.lastPlan : state.lastPlan && withUnmatched(state.lastPlan, replaced);
  const now = { ...state, definitions, templates, lastPlan };
  if (log.files.size === 0 && log.folders.size === 0) return now;

  const fresh = withTrust(log.files, timestamp);
  // If only the content of files changed, no file became unnecessary.
  const isSmall = relisted.size === 0 && reloaded.size === 0 && [...changed].every((path) => log.files.has(path));
  const files = isSmall
    ? new Map([...state.files, ...fresh])
    : neededFiles(state, definitions, fresh, { ownersOf, isReloaded });
  const keptFolders = [...state.folders].filter(([path]) => relisted.size === 0 || !isReloaded(path));
  const folders = new Map([...keptFolders, ...withTrust(log.folders, timestamp)]);
  const isKnown = [...log.files.keys()].every((path) => state.files.has(path)) && relisted.size === 0;
  const parentDirs = isKnown ? state.parentDirs : parentDirsOf(root, files, folders);
  if (parentDirs === null) return null;
  const stillAbsent = state.absent.filter((path) => !ownersOf(path).some((name) => reloaded.has(name)));
  return { ...now, files, folders, parentDirs, absent: [...new Set([...stillAbsent, ...log.absent])] };
}

function neededFiles(
  state: CachedState,
  definitions: CachedState['definitions'],
  fresh: CachedState['files'],
  { ownersOf, isReloaded }: { ownersOf(path: string): string[]; isReloaded(path: string): boolean },
): CachedState['files'] {
  const used = new Set([...definitions.values()].flatMap(({ origins, assets }) => [...origins, ...assets]));
  used.add(CONFIG_FILE);
  const kept = [...state.files].filter(([path]) => used.has(path) || !isReloaded(path));
  const added = [...fresh].filter(([path]) => used.has(path) || ownersOf(path).length > 0);
  return new Map([...kept.filter(([path]) => !fresh.has(path)), ...added]);
}

/** The lock entries of replaced definitions are unmatched now. */
function withUnmatched(lastPlan: LastPlan, replaced: readonly CachedDefinition[]): LastPlan {
  const freed = replaced.flatMap(({ ids, upToDate }) => {
    return upToDate === null ? [] : ids.map((id, index) => [id, ...upToDate[index]!] as const);
  });
  return { ...lastPlan, isEmpty: false, unmatchedEntries: [...lastPlan.unmatchedEntries, ...freed] };
}
