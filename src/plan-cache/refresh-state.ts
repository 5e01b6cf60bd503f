import { hasErrors } from '../diagnostic.ts';
import { byCodeUnit } from '../digest.ts';
import type { DesiredVideo } from '../plan/desired-video.ts';
import { CONFIG_FILE } from '../project/find-root.ts';
import type { Project } from '../project/load-project.ts';
import { ReadLog } from '../project/read-log.ts';
import { RepositoryFiles } from '../project/repository-files.ts';
import { type CachedDefinition, type CachedState, isOfTemplate } from './cached-state.ts';
import type { FsTimestamp } from './fs-timestamp.ts';
import { mergeState, type Reread } from './merge-state.ts';
import type { CacheProbe } from './probe.ts';
import { definitionStates, templateState } from './project-state.ts';

/** Converts a video of a project to the form that plans compare. */
export type Desire = (
  video: Project['videos'][number],
  project: Pick<Project, 'config' | 'assets'> & { readonly templates: Pick<Project['templates'], 'get'> },
) => DesiredVideo;

/**
 * Brings the state up to date: reads the files that may have changed, and the definitions that depend on one that did. EDGE.
 *
 * @param timestamp taken before anything was read
 * @returns null when everything has to be read: the configuration changed, or there is a mistake somewhere
 */
export async function refreshState(
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
    // When videos share a destination, only all of them together tell which one is wrong.
    const destinations = new Set(read.definitions.flatMap((one) => one.destinations));
    if (others.some((one) => one.destinations.some((prefix) => destinations.has(prefix)))) return null;
    for (const one of read.definitions) kept.set(one.path, one);
    reread = { replaced, definitions: kept, templates: read.templates };
  }
  return mergeState(root, state, reread, { log, timestamp, changed, relisted, templates });
}

/** @returns null when no definition is left, or when a file is ignored that nothing reads, which is a warning */
async function searchDefinitions(
  { config, definitions, files: read }: CachedState,
  files: RepositoryFiles,
): Promise<{ readonly added: readonly string[]; readonly removed: readonly string[] } | null> {
  const { findVideos } = await import('../project/find-videos.ts');
  const { paths, ignored } = findVideos(config, files);
  if (paths.length === 0 || ignored.some((path) => !read.has(path))) return null;
  const known = new Set(definitions.keys());
  const added = paths.filter((path) => !known.delete(path));
  return { added, removed: [...known] };
}

/** Returns the files whose content changed. */
function changedFiles(state: CachedState, maybeChanged: readonly string[], log: ReadLog): Set<string> {
  const changed = new Set<string>();
  for (const path of maybeChanged) {
    const { sha256, real } = state.files.get(path)!;
    log.look(path, real);
    // The readers that need a file report its absence.
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
      // It was removed or cannot be opened: the search for definitions finds the same.
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

/** @returns null when there is a mistake anywhere in them */
async function readDefinitions(
  paths: readonly string[],
  templateNames: ReadonlySet<string>,
  { config, templates: cached }: CachedState,
  files: RepositoryFiles,
  desire: Desire,
): Promise<{ definitions: CachedDefinition[]; templates: CachedState['templates'] } | null> {
  const { LazyTemplates, reloadDefinitions } = await import('../project/reload-definitions.ts');
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
 * Whether two videos have ids that differ in case only: ids name files, and some file systems ignore case. The cached ids are
 * known to be distinct.
 *
 * @param others definitions that stay as they are
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
