import type { VideoTemplate } from '../definition/read-video.ts';
import { resolveDefinitions } from '../definition/resolve-definitions.ts';
import { sortDiagnostics } from '../definition/sort-diagnostics.ts';
import type { Video } from '../definition/video.ts';
import type { Diagnostic } from '../diagnostic.ts';
import { createChecks } from '../schema/create-checks.ts';
import type { Config } from './config.ts';
import { definitionTemplate } from './definition-template.ts';
import { fixedFolder } from './find-definitions.ts';
import { checkFiles } from './load-project.ts';
import { type LazyFonts, lazyFonts, loadTemplate, type ProjectTemplate } from './load-templates.ts';
import type { Asset, RepositoryFiles } from './repository-files.ts';

/** Some definitions of a repository, read and checked by themselves. */
export interface Reloaded {
  /** By id. */
  readonly videos: readonly Video[];
  /** Definition file → the files that it was read from. */
  readonly origins: ReadonlyMap<string, readonly string[]>;
  readonly assets: ReadonlyMap<string, Asset>;
  /** What is wrong with the definitions; about templates nothing is said. */
  readonly diagnostics: readonly Diagnostic[];
  /** False when a template that one of them uses could not be loaded. */
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
 * Reads some definitions of a repository whose configuration is known, and nothing else of it. What several definitions
 * together can have wrong, an id twice, is not looked for beyond them.
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
    read: files.text,
  });
  const used = checkFiles(resolved, files);
  return {
    videos: used.videos,
    origins: resolved.origins,
    assets: used.assets,
    diagnostics: sortDiagnostics([...resolved.diagnostics, ...used.diagnostics]),
    isWhole: templates.isWhole,
  };
}
