import { hasErrors } from '../../kernel/diagnostic.ts';
import { byCodeUnit } from '../../kernel/digest.ts';
import { localFiles } from '../../reconciler/definition/video.ts';
import { LazyTemplates, reloadDefinitions } from '../../reconciler/project/load-definitions.ts';
import type { Project } from '../../reconciler/project/load-project.ts';
import { RepositoryFiles } from '../../reconciler/project/repository-files.ts';
import type { LoadedRepository } from '../../studio/ports.ts';
import { cachedLengths } from '../state/cached-lengths.ts';
import { desire } from '../state/load-desired-state.ts';
import { projectTemplates } from '../state/video-templates.ts';

/** Definitions that are read again at once. Reading more takes as long as reading everything. */
const MOST = 100;

/** Reads changed definitions ahead of a plan, so that a page shows them at once. Keeps compiled templates between calls. */
export class ChangeReader {
  #templates: LazyTemplates | null = null;
  #key = '';

  /**
   * Reads the definitions that changed files belong to. Their changes are not planned yet.
   *
   * @param changed repository-relative
   * @returns null if the repository must be read again, such as after a mistake or a change of a template
   */
  read(loaded: LoadedRepository, changed: ReadonlySet<string>): LoadedRepository | null {
    const { project } = loaded;
    const paths = affected(project, changed);
    if (paths === null || paths.size === 0 || paths.size > MOST || hasErrors(project.diagnostics)) return null;
    const files = new RepositoryFiles(project.root);
    const read = reloadDefinitions([...paths].sort(), project.config, this.#templatesOf(project), files);
    if (!read.isWhole) return null;
    const videos = [...project.videos.filter(({ path }) => !paths.has(path)), ...read.videos];
    const fresh: Project = {
      ...project,
      videos: videos.sort((a, b) => byCodeUnit(a.id, b.id)),
      origins: new Map([...project.origins, ...read.origins]),
      assets: new Map([...project.assets, ...read.assets]),
      filled: new Map([...project.filled, ...read.filled]),
      waiting: project.waiting.filter(({ path }) => !paths.has(path)),
      leftOut: [...project.leftOut.filter(({ path }) => !paths.has(path)), ...read.leftOut],
      texts: [...project.texts.filter(({ path }) => !paths.has(path)), ...read.texts],
      source: (file) => (changed.has(file) ? files.source(file) : project.source(file)),
    };
    const desired = [
      ...loaded.desired.filter(({ path }) => !paths.has(path)),
      ...read.videos.map((video) => desire(video, fresh, cachedLengths(fresh))),
    ];
    const { plan } = loaded;
    const changes = plan?.changes.filter(({ desired: video }) => video === null || !paths.has(video.path)) ?? [];
    return {
      ...loaded,
      project: fresh,
      desired: desired.sort((a, b) => byCodeUnit(a.id, b.id)),
      plan: plan && { ...plan, changes },
      templatesOf: projectTemplates(fresh),
    };
  }

  #templatesOf({ root, config, templates }: Project): LazyTemplates {
    const key = JSON.stringify(
      [...templates].map(([name, { spec, package: files }]) => [name, spec, files?.digest ?? null]),
    );
    if (this.#templates === null || this.#key !== key) {
      this.#templates = new LazyTemplates(config, new RepositoryFiles(root), templates);
      this.#key = key;
    }
    return this.#templates;
  }
}

/** Returns the definitions that changed files belong to; null if they may change all definitions. */
function affected(project: Project, changed: ReadonlySet<string>): Set<string> | null {
  const paths = new Set<string>();
  const isOfTemplate = new Set([...project.templates.values()].flatMap((template) => template.paths));
  for (const file of changed) {
    const isAsset = project.assets.has(file);
    if (isOfTemplate.has(file)) return null;
    const definitions = [...project.origins].filter(([path, files]) => path === file || files.includes(file));
    if (definitions.length === 0 && !isAsset) return null;
    for (const [path] of definitions) paths.add(path);
    if (!isAsset) continue;
    for (const video of project.videos) if (localFiles(video).includes(file)) paths.add(video.path);
  }
  return paths;
}
