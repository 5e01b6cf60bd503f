import { hasErrors } from '../diagnostic.ts';
import { byCodeUnit } from '../digest.ts';
import type { DesiredVideo } from '../plan/desired-video.ts';
import { CONFIG_FILE } from '../project/find-root.ts';
import type { Project } from '../project/load-project.ts';
import { ReadLog } from '../project/read-log.ts';
import { RepositoryFiles } from '../project/repository-files.ts';
import type { DefinitionTable } from './definition-table.ts';
import type { Suspects } from './find-suspects.ts';
import type { Memory } from './memory.ts';
import { mergeMemory, type Reread } from './merge-memory.ts';
import { rememberDefinitions, rememberTemplate } from './remember-project.ts';
import type { RememberedDefinition } from './remembered-definition.ts';
import type { Stamp } from './stamp.ts';
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
  const found = relisted.size === 0 ? NOTHING_FOUND : await searchAnew(memory, files);
  if (found === null) return null;
  const kept = memory.definitions.without(found.gone);
  const touched = kept.touchedBy(changed, templates);
  const replaced = [...touched, ...found.gone.map((path) => memory.definitions.find(path)!)];
  let read: Reread = { definitions: kept, replaced, templates: memory.templates };
  const dirty = [...touched.map(({ path }) => path), ...found.added].sort(byCodeUnit);
  if (dirty.length > 0 || templates.size > 0) {
    assumeUnchanged(memory, changed, files);
    const reread = await readAnew(dirty, templates, memory, files, desire);
    if (reread === null) return null;
    const others = kept.without(touched.map(({ path }) => path));
    if (hasDoubledIds(reread.definitions, replaced, others)) return null;
    // Of videos that go to one place, which of them is wrong is told by all of them together.
    if (others.hasAnyPlace(new Set(reread.definitions.flatMap(({ places }) => places)))) return null;
    read = { replaced, definitions: others.with(reread.definitions), templates: reread.templates };
  }
  return mergeMemory(root, memory, read, { log, stamp, changed, relisted, templates });
}

/** Definition files that are there, and were not; that were there, and are not. */
interface Found {
  readonly added: readonly string[];
  readonly gone: readonly string[];
}

const NOTHING_FOUND: Found = { added: [], gone: [] };

/** @returns null when no definition is left, or a file is ignored that nothing reads: there is a warning then */
async function searchAnew({ config, definitions, files: read }: Memory, files: RepositoryFiles): Promise<Found | null> {
  const { findVideos } = await import('../project/find-videos.ts');
  const { paths, ignored } = findVideos(config, files);
  if (paths.length === 0 || ignored.some((path) => !read.has(path))) return null;
  const known = new Set(definitions.paths());
  const added = paths.filter((path) => !known.delete(path));
  return { added, gone: [...known] };
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

/** Files that were looked at and are as they were need not be hashed for a video that uses them. */
function assumeUnchanged(
  { definitions, files: seen }: Memory,
  changed: ReadonlySet<string>,
  files: RepositoryFiles,
): void {
  files.assume((path) => {
    if (changed.has(path) || !definitions.hasAsset(path)) return undefined;
    const { sha256, tuple } = seen.get(path)!;
    return { path, sha256, sizeBytes: tuple[2] };
  });
}

/** @returns null when there is a mistake anywhere in it */
async function readAnew(
  paths: readonly string[],
  templateNames: ReadonlySet<string>,
  { config, templates: remembered }: Memory,
  files: RepositoryFiles,
  desire: Desire,
): Promise<{ definitions: RememberedDefinition[]; templates: Memory['templates'] } | null> {
  const { LazyTemplates, reloadDefinitions } = await import('../project/reload-definitions.ts');
  const lazy = new LazyTemplates(config, files);
  const templates = new Map(remembered);
  for (const name of templateNames) {
    const { template, diagnostics } = lazy.load(name);
    if (template === null || hasErrors(diagnostics)) return null;
    templates.set(name, rememberTemplate(template, diagnostics));
  }
  const { videos, origins, assets, isWhole } = reloadDefinitions(paths, config, lazy, files);
  if (!isWhole) return null;
  const loaded = { get: (name: string) => lazy.load(name).template ?? undefined };
  const desired = videos.map((video) => desire(video, { config, templates: loaded, assets }));
  return { definitions: rememberDefinitions(origins, desired), templates };
}

/**
 * Ids name files, and some file systems do not tell upper case from lower. Those that were remembered are unlike each other.
 *
 * @param others those that the fresh ones come beside
 */
function hasDoubledIds(
  fresh: readonly RememberedDefinition[],
  replaced: readonly RememberedDefinition[],
  others: DefinitionTable,
): boolean {
  const namesOf = (definitions: readonly RememberedDefinition[]): string[] =>
    definitions.flatMap(({ ids }) => ids.map((id) => id.toLowerCase()));
  const names = namesOf(fresh);
  const taken = new Set(names);
  if (taken.size < names.length) return true;
  for (const name of namesOf(replaced)) taken.delete(name);
  return others.hasAnyId(taken);
}
