import type { Diagnostic } from '../../kernel/diagnostic.ts';
import { byCodeUnit } from '../../kernel/digest.ts';
import type { DesiredVideo } from '../plan/desired-video.ts';
import { loadCatalogueFormats } from '../project/catalogue-reader.ts';
import type { LazyTemplates } from '../project/load-definitions.ts';
import type { Project } from '../project/load-project.ts';
import { ReadLog } from '../project/read-log.ts';
import { RepositoryFiles } from '../project/repository-files.ts';
import { CONFIG_FILE, FEATURES_FILE } from '../project/repository-layout.ts';
import { type CachedDefinition, type CachedState, isOfTemplate, type LastPlan } from './cached-state.ts';
import { type FsTimestamp, withTrust } from './file-times.ts';
import { findChangedFiles, findChangedFolders } from './new-content.ts';
import type { CacheProbe } from './probe.ts';
import { definitionStates, parentDirsOf, templateState } from './project-state.ts';

/** What the form of videos that plans compare depends on. */
export interface DesireContext extends Pick<Project, 'config' | 'assets'> {
  readonly templates: Pick<Project['templates'], 'get'>;
}

/** Videos of definitions, as far as they were read. */
export interface ReadVideos extends DesireContext, Pick<Project, 'root' | 'videos' | 'filled' | 'source'> {}

/** Converts videos to the form that plans compare. The diagnostics are about sounds whose length is needed. */
export type DesireAll = (
  project: ReadVideos,
) => Promise<{ readonly desired: readonly DesiredVideo[]; readonly diagnostics: readonly Diagnostic[] }>;

interface RefreshOptions {
  /** Time before anything was read. */
  readonly timestamp: FsTimestamp;
  readonly desireAll: DesireAll;
  /** Receives the templates of the definitions that were read, and their files. */
  onRead(templates: LazyTemplates): void;
}

/**
 * Updates the state: reads files that may have changed, and the definitions that depend on changed files.
 *
 * @returns null when everything has to be read: the configuration changed, or something is invalid
 */
export async function refreshState(
  root: string,
  state: CachedState,
  { maybeChanged, hasMoved }: CacheProbe,
  { timestamp, desireAll, onRead }: RefreshOptions,
): Promise<CachedState | null> {
  if (hasMoved) return null;
  const log = new ReadLog(root);
  const changedFiles = findChangedFiles(state, maybeChanged.files, log);
  const changedFolders = findChangedFolders(state, maybeChanged.folders, log);
  if (!log.isWhole || [CONFIG_FILE, FEATURES_FILE].some((path) => changedFiles.has(path))) return null;

  const files = new RepositoryFiles(root, log);
  const paths = [...changedFiles, ...changedFolders];
  const changedTemplates = new Set(
    [...state.config.templates.keys()].filter((name) => paths.some((path) => isOfTemplate(path, name, state.config))),
  );
  const found = changedFolders.size === 0 ? { added: [], removed: [] } : await searchDefinitions(state, files);
  if (found === null) return null;
  const unchanged = new Map(state.definitions);
  for (const path of found.removed) unchanged.delete(path);
  const outdated = [...unchanged.values()].filter(
    ({ origins, assets, templates }) =>
      origins.some((path) => changedFiles.has(path)) ||
      assets.some((path) => changedFiles.has(path)) ||
      templates.some((name) => changedTemplates.has(name)),
  );
  for (const { path } of outdated) unchanged.delete(path);
  const replaced = [...outdated, ...found.removed.map((path) => state.definitions.get(path)!)];
  const toRead = [...outdated.map(({ path }) => path), ...found.added].sort(byCodeUnit);
  let read: ReadDefinitions = { definitions: [], templates: state.templates };
  if (toRead.length > 0 || changedTemplates.size > 0) {
    assumeUnchanged(state, changedFiles, files);
    const valid = await readDefinitions(toRead, changedTemplates, state, files, { desireAll, onRead });
    if (valid === null || isInConflict(valid.definitions, replaced, [...unchanged.values()])) return null;
    read = valid;
  }
  const definitions = new Map(unchanged);
  for (const definition of read.definitions) definitions.set(definition.path, definition);
  const readAgain: ReadAgain = {
    definitions,
    replaced,
    templates: read.templates,
    log,
    timestamp,
    changedFiles,
    changedFolders,
    changedTemplates,
  };
  return mergeState(root, state, readAgain);
}

/** @returns null when no definition is left, or when an ignored file causes a warning */
async function searchDefinitions(
  { config, definitions, files: cached }: CachedState,
  files: RepositoryFiles,
): Promise<{ readonly added: readonly string[]; readonly removed: readonly string[] } | null> {
  const { findDefinitionFiles } = await import('../project/find-definitions.ts');
  const { paths, ignored } = findDefinitionFiles(config, files);
  if (paths.length === 0 || ignored.some((path) => !cached.has(path))) return null;
  const missing = new Set(definitions.keys());
  const added = paths.filter((path) => !missing.delete(path));
  return { added, removed: [...missing] };
}

/** Saves hashing the unchanged files that a video uses. */
function assumeUnchanged(
  { definitions, files: cached }: CachedState,
  changed: ReadonlySet<string>,
  files: RepositoryFiles,
) {
  const assets = new Set([...definitions.values()].flatMap((definition) => definition.assets));
  files.assume((path) => {
    if (changed.has(path) || !assets.has(path)) return undefined;
    const { sha256, tuple } = cached.get(path)!;
    return { path, sha256, sizeBytes: tuple[2] };
  });
}

interface ReadDefinitions {
  readonly definitions: readonly CachedDefinition[];
  /** All templates, some of them loaded again. */
  readonly templates: CachedState['templates'];
}

/** @returns null when a definition or template is invalid */
async function readDefinitions(
  paths: readonly string[],
  templateNames: ReadonlySet<string>,
  { config, templates: cached }: CachedState,
  files: RepositoryFiles,
  { desireAll, onRead }: Pick<RefreshOptions, 'desireAll' | 'onRead'>,
): Promise<ReadDefinitions | null> {
  const { LazyTemplates, reloadDefinitions } = await import('../project/load-definitions.ts');
  await loadCatalogueFormats(config);
  const lazy = new LazyTemplates(config, files);
  onRead(lazy);
  const templates = new Map(cached);
  for (const name of templateNames) {
    const { template } = lazy.load(name);
    if (template === null) return null;
    templates.set(name, templateState(template, lazy.outdatedSchemas(template)));
  }
  const { videos, origins, assets, filled, leftOut, texts, isWhole } = reloadDefinitions(paths, config, lazy, files);
  if (!isWhole) return null;
  const loaded = { get: (name: string) => lazy.load(name).template ?? undefined };
  const { source, root } = files;
  const { desired, diagnostics } = await desireAll({ root, config, templates: loaded, videos, assets, filled, source });
  if (diagnostics.length > 0) return null;
  return { definitions: definitionStates(origins, desired, { leftOut, texts }), templates };
}

/**
 * Returns true if two videos may share an id or a destination. Only a check of all definitions can report which of them is
 * wrong.
 *
 * @param replaced former state of definitions that were read again or removed
 */
function isInConflict(
  read: readonly CachedDefinition[],
  replaced: readonly CachedDefinition[],
  unchanged: readonly CachedDefinition[],
): boolean {
  if (haveDuplicateIds(read, replaced, unchanged)) return true;
  const destinations = new Set(read.flatMap((definition) => definition.destinations));
  return unchanged.some((definition) => definition.destinations.some((prefix) => destinations.has(prefix)));
}

/**
 * Finds ids that differ only in case: ids name files, and some file systems ignore case. The cached ids are known to be
 * distinct.
 */
function haveDuplicateIds(
  read: readonly CachedDefinition[],
  replaced: readonly CachedDefinition[],
  unchanged: readonly CachedDefinition[],
): boolean {
  const namesOf = (definitions: readonly CachedDefinition[]): string[] =>
    definitions.flatMap(({ ids }) => ids.map((id) => id.toLowerCase()));
  const names = namesOf(read);
  const added = new Set(names);
  if (added.size < names.length) return true;
  for (const name of namesOf(replaced)) added.delete(name);
  return added.size > 0 && namesOf(unchanged).some((name) => added.has(name));
}

/** Results of reading changed files again. */
interface ReadAgain {
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
function mergeState(root: string, state: CachedState, readAgain: ReadAgain): CachedState | null {
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
  for (const path of [CONFIG_FILE, FEATURES_FILE]) used.add(path);
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
