import { hasErrors } from '../diagnostic.ts';
import type { DesiredVideo } from '../plan/desired-video.ts';
import { CONFIG_FILE } from '../project/find-root.ts';
import type { Project } from '../project/load-project.ts';
import { ReadLog } from '../project/read-log.ts';
import { RepositoryFiles } from '../project/repository-files.ts';
import type { Suspects } from './find-suspects.ts';
import type { Memory, RememberedDefinition } from './memory.ts';
import { mergeMemory, type Reread } from './merge-memory.ts';
import { rememberDefinitions, rememberTemplate } from './remember-project.ts';
import type { Stamp } from './stamp.ts';
import { byPath } from './store-memory.ts';
import { templatesAt } from './templates-at.ts';

/** How a video of a project becomes what plans compare. */
export type Desire = (
  video: Project['videos'][number],
  project: Pick<Project, 'config' | 'assets'> & { readonly templates: Pick<Project['templates'], 'get'> },
) => DesiredVideo;

/**
 * Brings what is remembered up to date: looks into the files that may have changed, and reads the definitions anew that
 * depend on one that did. EDGE.
 *
 * @param suspects what does not look as it was
 * @param stamp made before anything was read
 * @returns null when everything has to be read anew: the configuration changed, or there is a mistake somewhere
 */
export async function refreshMemory(
  root: string,
  memory: Memory,
  suspects: Suspects,
  { stamp, desire }: { readonly stamp: Stamp; readonly desire: Desire },
): Promise<Memory | null> {
  if (suspects.isElsewhere) return null;
  const log = new ReadLog(root);
  const changed = changedFiles(memory, suspects, log);
  const relisted = changedFolders(memory, suspects, log);
  if (!log.isWhole || changed.has(CONFIG_FILE)) return null;

  const files = new RepositoryFiles(root, log);
  const templates = templatesAt([...changed, ...relisted], memory.config);
  const kept: RememberedDefinition[] = [];
  const dirty: string[] = [];
  const sort = (path: string, one: RememberedDefinition | undefined): void => {
    if (one === undefined || isTouched(one, changed, templates)) dirty.push(path);
    else kept.push(one);
  };
  if (relisted.size === 0) {
    for (const one of memory.definitions) sort(one.path, one);
  } else {
    const { findVideos } = await import('../project/load-project.ts');
    const paths = findVideos(memory.config, files);
    if (paths.length === 0) return null;
    const known = new Map(memory.definitions.map((one) => [one.path, one]));
    for (const path of paths) sort(path, known.get(path));
  }
  let read: Reread = { definitions: kept, templates: memory.templates };
  if (dirty.length > 0 || templates.size > 0) {
    assumeUnchanged(memory, changed, files);
    const reread = await readAnew(dirty, templates, memory, files, desire);
    if (reread === null) return null;
    read = { ...reread, definitions: [...kept, ...reread.definitions].sort(byPath) };
    if (hasDoubledIds(reread.definitions, kept)) return null;
  }
  return mergeMemory(root, memory, read, { log, stamp, changed, relisted, templates });
}

/** Of the suspected files those whose bytes are others. */
function changedFiles(memory: Memory, { files }: Suspects, log: ReadLog): Set<string> {
  const changed = new Set<string>();
  for (const path of files) {
    const { sha256, real } = memory.files.get(path)!;
    log.look(path, real);
    // What a file's absence means is for those to say who need it.
    log.absent.delete(path);
    if (log.files.get(path)?.sha256 !== sha256) changed.add(path);
  }
  return changed;
}

/** Of the suspected folders those that hold other names. */
function changedFolders(memory: Memory, { folders }: Suspects, log: ReadLog): Set<string> {
  const changed = new Set<string>();
  for (const path of folders) {
    try {
      log.list(path);
    } catch {
      // It is gone, or closed: the search for definitions will meet the same.
    }
    if (log.folders.get(path)?.listing !== memory.folders.get(path)!.listing) changed.add(path);
  }
  return changed;
}

function isTouched(
  { origins, assets, templates: used }: RememberedDefinition,
  changed: ReadonlySet<string>,
  templates: ReadonlySet<string>,
): boolean {
  const hasChanged = (path: string): boolean => changed.has(path);
  return origins.some(hasChanged) || assets.some(hasChanged) || used.some((name) => templates.has(name));
}

/** Files that were looked at and are as they were need not be hashed for a video that uses them. */
function assumeUnchanged(
  { definitions, files: seen }: Memory,
  changed: ReadonlySet<string>,
  files: RepositoryFiles,
): void {
  for (const path of new Set(definitions.flatMap(({ assets }) => assets))) {
    const { sha256, tuple } = seen.get(path)!;
    if (!changed.has(path)) files.assume({ path, sha256, sizeBytes: tuple[2] });
  }
}

/** @returns null when there is a mistake anywhere in it */
async function readAnew(
  paths: readonly string[],
  templateNames: ReadonlySet<string>,
  { config, templates: remembered }: Memory,
  files: RepositoryFiles,
  desire: Desire,
): Promise<Reread | null> {
  const { LazyTemplates, reloadDefinitions } = await import('../project/reload-definitions.ts');
  const lazy = new LazyTemplates(config, files);
  const templates = new Map(remembered);
  for (const name of templateNames) {
    const { template, diagnostics } = lazy.load(name);
    if (template === null || hasErrors(diagnostics)) return null;
    templates.set(name, rememberTemplate(template, diagnostics));
  }
  const { videos, origins, assets, diagnostics, isWhole } = reloadDefinitions(paths, config, lazy, files);
  if (!isWhole || diagnostics.length > 0) return null;
  const loaded = { get: (name: string) => lazy.load(name).template ?? undefined };
  const desired = videos.map((video) => desire(video, { config, templates: loaded, assets }));
  return { definitions: rememberDefinitions(origins, desired), templates };
}

/** Ids name files, and some file systems do not tell upper case from lower. Those that were kept are unlike each other. */
function hasDoubledIds(fresh: readonly RememberedDefinition[], kept: readonly RememberedDefinition[]): boolean {
  const names = fresh.flatMap(({ ids }) => ids.map((id) => id.toLowerCase()));
  const taken = new Set(names);
  return taken.size < names.length || kept.some(({ ids }) => ids.some((id) => taken.has(id.toLowerCase())));
}
