import { posix } from 'node:path';
import type { VideoMeasures } from '../../contract/video-measures.ts';
import type { OutputRequest } from '../../contract/wire/output.ts';
import { type Diagnostic, errorAt, warningAt } from '../../kernel/diagnostic.ts';
import { closestMatch } from '../../kernel/hints.ts';
import { checkOutput } from '../../template/bind/resolve-output.ts';
import { unreadable } from '../definition/definition-file.ts';
import type { OutputProblem } from '../definition/read-outputs.ts';
import { type FileUse, inRow, type VideoTemplate } from '../definition/read-scene.ts';
import { type DefinitionContext, type Resolved, resolveDefinitions } from '../definition/resolve-definitions.ts';
import { globBase, type Video, type WaitingVideo } from '../definition/video.ts';
import { type Checks, createChecks } from '../schema/create-checks.ts';
import { ambiguousNames } from './ambiguous-names.ts';
import { readCatalogue } from './catalogue-reader.ts';
import type { Config } from './config.ts';
import { deliverContext } from './deliveries.ts';
import {
  type LazyFonts,
  type LoadedTemplate,
  lazyFonts,
  loadTemplate,
  outdatedSchemas,
  type ProjectTemplate,
} from './load-templates.ts';
import type { Asset, Refusal, RepositoryFiles } from './repository-files.ts';
import { featureProblems, writesLanguages } from './service-features.ts';

/** Some definitions of a repository, read and checked without the rest. */
interface Reloaded {
  /** Sorted by id. */
  readonly videos: readonly Video[];
  /** Definition file → all files that it was read from. */
  readonly origins: ReadonlyMap<string, readonly string[]>;
  readonly assets: ReadonlyMap<string, Asset>;
  readonly filled: Resolved['filled'];
  readonly leftOut: Resolved['leftOut'];
  readonly texts: Resolved['texts'];
  /** False if one of them has a problem or waits for speech, or its template could not be loaded. */
  readonly isWhole: boolean;
}

/** Loads each template once, when it is first needed. */
export class LazyTemplates {
  readonly files: RepositoryFiles;
  readonly #config: Config;
  readonly #fonts: LazyFonts;
  readonly #loaded = new Map<string, LoadedTemplate>();
  readonly #usable = new Map<string, VideoTemplate>();
  #checks: Checks | null = null;

  /** @param known templates that are loaded already */
  constructor(config: Config, files: RepositoryFiles, known: ReadonlyMap<string, ProjectTemplate> = new Map()) {
    this.#config = config;
    this.files = files;
    this.#fonts = lazyFonts(config, files);
    for (const [name, template] of known) this.#loaded.set(name, { template, diagnostics: [] });
  }

  /** Compiling schemas takes most of the time of a small repository: they are kept with the templates. */
  get checks(): Checks {
    this.#checks ??= createChecks();
    return this.#checks;
  }

  /** Returns the properties that definitions depend on; undefined for a template that cannot be used. */
  usable(name: string): VideoTemplate | undefined {
    const { template } = this.load(name);
    if (template === null) return undefined;
    const known = this.#usable.get(name) ?? definitionTemplate(template, this.checks);
    this.#usable.set(name, known);
    return known;
  }

  load(name: string): LoadedTemplate {
    const known = this.#loaded.get(name);
    if (known !== undefined) return known;
    const config = this.#config.templates.get(name);
    const loaded =
      config === undefined ? { template: null, diagnostics: [] } : loadTemplate(name, config, this.files, this.#fonts);
    this.#loaded.set(name, loaded);
    return loaded;
  }

  /** Warns of schemas on the disk that differ from those of a usable template. */
  outdatedSchemas(template: ProjectTemplate): Diagnostic[] {
    return outdatedSchemas(template, this.#config.templates.get(template.name)!.at, this.files);
  }

  /** True if all requested templates that reelform.yaml names are usable. */
  get isWhole(): boolean {
    return [...this.#loaded].every(([name, { template }]) => template !== null || !this.#config.templates.has(name));
  }
}

/**
 * Reads and checks only these definitions of a repository whose configuration is known. A mistake in a definition only clears `isWhole`:
 * the caller then reads the whole repository to report it. Finds duplicate ids among these definitions only.
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
  const resolved = resolveDefinitions(paths, {
    ...definitionSettings(config, files, templates.checks),
    templates: { get: (name) => templates.usable(name) },
    templateNames: [...config.templates.keys()],
  });
  const used = checkFiles(resolved, files);
  const hasProblem = [resolved, used].some(({ diagnostics }) => diagnostics.length > 0);
  return {
    videos: used.videos,
    origins: resolved.origins,
    filled: resolved.filled,
    leftOut: resolved.leftOut,
    texts: resolved.texts,
    assets: used.assets,
    isWhole:
      templates.isWhole &&
      !hasProblem &&
      ambiguousNames(resolved, config, files).length === 0 &&
      featureProblems(used.videos, { config, templateOf: (name) => templates.load(name).template }, files).length === 0,
  };
}

/** Returns what the definitions of a repository are resolved with, except its templates. */
export function definitionSettings(
  config: Config,
  files: RepositoryFiles,
  checks: Checks,
): Omit<DefinitionContext, 'templates' | 'templateNames'> {
  return {
    folder: globBase(config.videos),
    checkFile: checks.file,
    checkAny: checks.anyVideo,
    checkPlacement: checks.placement,
    outputProblems,
    output: config.output,
    outputs: config.outputs,
    captionStyles: config.captionStyles,
    deliver: deliverContext(config),
    read: files.text,
    locales: config.locales,
    voices: config.voices,
    readCatalogue,
    storedPath: files.storedPath,
    writesLanguages: config.locales !== null && writesLanguages(config, files),
    hasFile: files.hasFile,
  };
}

/** Returns the properties of a template that definitions depend on. */
export function definitionTemplate(
  { name, spec, package: templatePackage }: Pick<ProjectTemplate, 'name' | 'spec' | 'package'>,
  checks: Pick<Checks, 'video'>,
): VideoTemplate {
  return {
    spec,
    check: checks.video({ name, spec }),
    // Without a list, the service itself rejects unknown fonts.
    fonts: spec.available_fonts ?? (templatePackage === null ? null : spec.fonts),
    facts: templatePackage,
  };
}

/** Returns the problems that depend on the size, rate and length of a video. A schema checks the fields by themselves. */
function outputProblems(output: OutputRequest, measures: VideoMeasures | null): OutputProblem[] {
  if (measures === null || checkOutput(output, null).length > 0) return [];
  return checkOutput(output, measures).map(({ at, detail }) => {
    return { field: at.slice(at.lastIndexOf('/') + 1) as keyof OutputRequest, message: detail };
  });
}

/** Returns the videos whose local files are all usable, and diagnostics for the rest. */
export function checkFiles(
  { videos, otherFiles }: Pick<Resolved, 'videos' | 'otherFiles'>,
  files: RepositoryFiles,
): { videos: Video[]; waiting: WaitingVideo[]; assets: Map<string, Asset>; diagnostics: Diagnostic[] } {
  const assets = new Map<string, Asset>();
  const diagnostics: Diagnostic[] = [];
  const isUnspoken = ({ path, spoken }: FileUse): boolean => spoken !== undefined && files.asset(path) === 'missing';
  const isThere = (use: FileUse): boolean => {
    const asset = files.asset(use.path);
    if (isUnspoken(use)) diagnostics.push(unspoken(use));
    else if (typeof asset === 'string') diagnostics.push(unusable(use, asset, files));
    else if (asset.sizeBytes === 0) diagnostics.push(empty(use));
    else assets.set(use.path, asset);
    return typeof asset !== 'string' && asset.sizeBytes > 0;
  };
  const usable: Video[] = [];
  const waiting: WaitingVideo[] = [];
  for (const { video, files: uses } of videos) {
    const unusable = uses.filter((use) => !isThere(use));
    if (unusable.length === 0) usable.push(video);
    else if (unusable.every(isUnspoken)) waiting.push(waitingVideo(video, unusable));
  }
  otherFiles.forEach(isThere);
  return { videos: usable, waiting, assets, diagnostics };
}

/** Returns the video of files that a voice has to speak first. */
function waitingVideo({ id, path }: Video, uses: readonly FileUse[]): WaitingVideo {
  const texts = [...new Map(uses.map(({ spoken }) => [spoken!.name, spoken!])).values()];
  return { id, path, reason: `speech of ${countTexts(texts.length)} is missing`, missing: texts };
}

function countTexts(count: number): string {
  return count === 1 ? '1 text' : `${count} texts`;
}

/** Only this video is held back, so that this is no error. */
function unspoken({ spoken, at, row }: FileUse): Diagnostic {
  const { text, voice } = spoken!;
  const message = inRow(`${JSON.stringify(shortened(text))} has not been spoken by the voice ${voice.name}`, row);
  return warningAt('speech_missing', at, message, 'Run reelform speak, and commit the files in speech/');
}

const MAX_SHOWN = 60;

function shortened(text: string): string {
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN).trimEnd().toWellFormed()}…`;
}

function empty({ path, at, row }: FileUse): Diagnostic {
  const message = inRow(`The file ${JSON.stringify(path)} is empty`, row);
  return errorAt('missing_file', at, message, 'Restore the file');
}

function unusable({ path, at, row, tried }: FileUse, reason: Refusal, files: RepositoryFiles): Diagnostic {
  const { message, hint, ...diagnostic } = unreadable(path, reason, at, tried);
  const meant = reason === 'missing' ? closestMatch(posix.basename(path), files.siblings(path)) : null;
  const nearestHint = `Did you mean ${posix.join(posix.dirname(path), meant ?? '')}?`;
  return { ...diagnostic, message: inRow(message, row), hint: meant === null ? hint : nearestHint };
}
