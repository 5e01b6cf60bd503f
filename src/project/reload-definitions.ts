import type { VideoTemplate } from '../definition/read-video.ts';
import { resolveDefinitions } from '../definition/resolve-definitions.ts';
import type { Video } from '../definition/video.ts';
import type { Diagnostic } from '../diagnostic.ts';
import { createChecks } from '../schema/create-checks.ts';
import { checkFiles } from './check-files.ts';
import type { Config } from './config.ts';
import { definitionTemplate } from './definition-template.ts';
import { deliverContext } from './destination-problem.ts';
import { fixedFolder } from './fixed-folder.ts';
import { type LazyFonts, lazyFonts, loadTemplate, type ProjectTemplate } from './load-templates.ts';
import type { Asset, RepositoryFiles } from './repository-files.ts';

/** Some definitions of a repository, read and checked by themselves. */
export interface Reloaded {
  /** By id. */
  readonly videos: readonly Video[];
  /** Definition file → the files that it was read from. */
  readonly origins: ReadonlyMap<string, readonly string[]>;
  readonly assets: ReadonlyMap<string, Asset>;
  /** False when something is wrong with one of them, or a template that one uses could not be loaded. */
  readonly isWhole: boolean;
}

/** Loads templates when they are asked for, each once. */
export class LazyTemplates {
  readonly #config: Config;
  readonly #files: RepositoryFiles;
  readonly #fonts: LazyFonts;
  readonly #loaded = new Map<string, { template: ProjectTemplate | null; diagnostics: readonly Diagnostic[] }>();

  constructor(config: Config, files: RepositoryFiles) {
    this.#config = config;
    this.#files = files;
    this.#fonts = lazyFonts(config, files);
  }

  /** The template of a name, and what is wrong with it. */
  load(name: string): { template: ProjectTemplate | null; diagnostics: readonly Diagnostic[] } {
    const known = this.#loaded.get(name);
    if (known !== undefined) return known;
    const config = this.#config.templates.get(name);
    const loaded =
      config === undefined ? { template: null, diagnostics: [] } : loadTemplate(name, config, this.#files, this.#fonts);
    this.#loaded.set(name, loaded);
    return loaded;
  }

  /** Whether all that was asked for, and that reelform.yaml names, could be used. */
  get isWhole(): boolean {
    return [...this.#loaded].every(([name, { template }]) => template !== null || !this.#config.templates.has(name));
  }
}

/**
 * Reads and checks only these definitions of a repository whose configuration is known. A mistake in one only clears `isWhole`:
 * the caller then reads the whole repository to report it. Finds duplicate ids among these definitions, not among others.
 *
 * Import this module lazily: it loads yaml and Ajv.
 *
 * @param paths repository-relative
 */
export function reloadDefinitions(
  paths: readonly string[],
  config: Config,
  templates: LazyTemplates,
  files: RepositoryFiles,
): Reloaded {
  const checks = createChecks();
  const usable = new Map<string, VideoTemplate>();
  const resolved = resolveDefinitions(paths, {
    folder: fixedFolder(config.videos),
    templates: {
      get(name) {
        const { template } = templates.load(name);
        if (template === null) return undefined;
        const known = usable.get(name);
        if (known !== undefined) return known;
        const made = definitionTemplate(template, checks);
        usable.set(name, made);
        return made;
      },
    },
    templateNames: [...config.templates.keys()],
    checkFile: checks.file,
    checkAny: checks.anyVideo,
    output: config.output,
    deliver: deliverContext(config),
    read: files.text,
  });
  const used = checkFiles(resolved, files);
  return {
    videos: used.videos,
    origins: resolved.origins,
    assets: used.assets,
    isWhole: templates.isWhole && resolved.diagnostics.length === 0 && used.diagnostics.length === 0,
  };
}
