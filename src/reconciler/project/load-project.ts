import { posix } from 'node:path';
import { type Diagnostic, type Span, sortDiagnostics, startOf, warningAt } from '../../kernel/diagnostic.ts';
import { byCodeUnit } from '../../kernel/digest.ts';
import { redactConfig } from '../../kernel/yaml/mask-text.ts';
import { unreadable } from '../definition/definition-file.ts';
import {
  type InvalidVideo,
  type OnCatalogue,
  type Resolved,
  resolveDefinitions,
} from '../definition/resolve-definitions.ts';
import type { OnText } from '../definition/translate-definition.ts';
import type { Video, VideoId, WaitingVideo } from '../definition/video.ts';
import type { MissingTexts } from '../locales/locale-settings.ts';
import { type Checks, createChecks } from '../schema/create-checks.ts';
import type { SpokenText } from '../speech/spoken-text.ts';
import { ambiguousNames } from './ambiguous-names.ts';
import { loadCatalogueFormats } from './catalogue-reader.ts';
import type { Config } from './config.ts';
import { findDefinitionFiles } from './find-definitions.ts';
import { checkFiles, definitionSettings, definitionTemplate } from './load-definitions.ts';
import { loadTemplates, type ProjectTemplate } from './load-templates.ts';
import { type ParsedConfig, parseConfig, UNREAD_CONFIG } from './parse-config.ts';
import type { ReadLog } from './read-log.ts';
import { type Asset, RepositoryFiles } from './repository-files.ts';
import { CONFIG_FILE, findRoot } from './repository-layout.ts';
import { featureProblems } from './service-features.ts';

const CONFIG_START: Span = startOf(CONFIG_FILE);

/** A text that a voice speaks in a video. */
export interface SpokenUse {
  readonly text: SpokenText;
  readonly at: Span;
  /** Null for a definition with a problem. */
  readonly video: VideoId | null;
}

/** A repository of videos, read and checked. */
export interface Project {
  /** Absolute. */
  readonly root: string;
  readonly config: Config;
  /** Usable templates by name. */
  readonly templates: ReadonlyMap<string, ProjectTemplate>;
  /** Sorted by id, without those that have a problem. */
  readonly videos: readonly Video[];
  /** Videos with a problem, sorted by definition file. */
  readonly invalid: readonly InvalidVideo[];
  /** Videos that their condition leaves out, sorted by id. */
  readonly leftOut: Resolved['leftOut'];
  /** Videos that wait for speech, sorted by id. */
  readonly waiting: readonly WaitingVideo[];
  /** Texts that voices speak, in all definitions whose voices are known. */
  readonly spoken: readonly SpokenUse[];
  /** What videos do not have in their locale, sorted by id. Those that wait are not in `videos`. */
  readonly texts: Resolved['texts'];
  /** What videos take from other locales. */
  readonly fallbacks: Resolved['fallbacks'];
  /** Definition file → all files that it was read from: itself, its fragments, its data. */
  readonly origins: ReadonlyMap<string, readonly string[]>;
  /** Local files of the videos, by path. */
  readonly assets: ReadonlyMap<string, Asset>;
  /** Cells of data rows, by video. */
  readonly filled: Resolved['filled'];
  /** Sorted by file and position. If there is an error, `videos` is incomplete. */
  readonly diagnostics: readonly Diagnostic[];
  /** Returns the text of a file that was read, for code frames. */
  source(file: string): string | undefined;
}

interface LoadOptions {
  readonly cwd: string;
  /** Records what is read. */
  readonly log?: ReadLog | null;
  /** Receives each text of a definition or a data file that is in catalogues. */
  readonly onText?: OnText;
  /** Receives each catalogue that a definition is translated with. */
  readonly onCatalogue?: OnCatalogue;
  /** What happens to videos whose texts are not translated; as reelform.yaml says when absent. */
  readonly missing?: MissingTexts;
}

/**
 * Reads the repository that contains a folder: its configuration, templates, definitions and their files. Collects all
 * problems that the user can fix in `diagnostics`.
 *
 * Import this module lazily: it loads yaml, Ajv and fast-glob.
 *
 * @throws ReelformError `config_missing`
 */
export async function loadProject({ cwd, log = null, missing, ...receivers }: LoadOptions): Promise<Project> {
  const files = new RepositoryFiles(findRoot(cwd), log);
  const checks = createChecks();
  const read = files.text(CONFIG_FILE);
  const {
    config: written,
    unknownLists,
    templateNames,
    diagnostics,
  }: ParsedConfig = read.ok
    ? parseConfig(CONFIG_FILE, read.text, checks.config, files.root)
    : { ...UNREAD_CONFIG, diagnostics: [unreadable(CONFIG_FILE, read.reason, CONFIG_START)] };
  const { locales } = written;
  const config = locales === null || missing === undefined ? written : { ...written, locales: { ...locales, missing } };
  const loaded = loadTemplates(config, files);
  await loadCatalogueFormats(config);
  const resolved = resolveVideos({ config, unknownLists, templateNames }, loaded.templates, files, checks, receivers);
  const used = checkFiles(resolved, files);
  const usable = new Set(used.videos);
  const waiting = new Set(used.waiting.map(({ id }) => id));
  const withoutFiles = resolved.videos.flatMap(({ video }) =>
    usable.has(video) || waiting.has(video.id) ? [] : [video],
  );
  const invalid = [...resolved.invalid, ...withoutFiles.map(({ id, path }) => ({ id, path }))];
  return {
    root: files.root,
    config,
    templates: loaded.templates,
    videos: used.videos,
    invalid: invalid.sort((a, b) => byCodeUnit(a.path, b.path)),
    leftOut: resolved.leftOut,
    waiting: used.waiting,
    spoken: spokenUses(resolved),
    texts: resolved.texts,
    fallbacks: resolved.fallbacks,
    origins: resolved.origins,
    filled: resolved.filled,
    assets: used.assets,
    diagnostics: sortDiagnostics([
      ...diagnostics,
      ...loaded.diagnostics,
      ...resolved.diagnostics,
      ...used.diagnostics,
      ...ambiguousNames(resolved, config, files),
      ...featureProblems(used.videos, { config, templateOf: (name) => loaded.templates.get(name) }, files),
    ]),
    source: (file) => {
      const text = files.source(file);
      return file === CONFIG_FILE && text !== undefined ? redactConfig(file, text) : text;
    },
  };
}

function spokenUses({ videos, otherFiles }: Resolved): SpokenUse[] {
  const ofVideos = videos.flatMap(({ video, files }) => files.map((use) => ({ use, video: video.id })));
  const all = [...ofVideos, ...otherFiles.map((use) => ({ use, video: null }))];
  return all.flatMap(({ use, video }) => (use.spoken === undefined ? [] : [{ text: use.spoken, at: use.at, video }]));
}

function resolveVideos(
  { config, unknownLists, templateNames }: Omit<ParsedConfig, 'diagnostics'>,
  templates: ReadonlyMap<string, ProjectTemplate>,
  files: RepositoryFiles,
  checks: Checks,
  receivers: Pick<LoadOptions, 'onText' | 'onCatalogue'>,
): Resolved {
  const { paths, ignored } = findDefinitionFiles(config, files);
  const usable = [...templates].map(([name, template]) => [name, definitionTemplate(template, checks)] as const);
  const resolved = resolveDefinitions(paths, {
    ...definitionSettings(config, files, checks),
    ...receivers,
    ...(unknownLists.includes('voices') && { voices: null }),
    ...(unknownLists.includes('caption_styles') && { captionStyles: null }),
    hasUnreadLocales: unknownLists.includes('locales'),
    templates: new Map(usable),
    templateNames,
  });
  const read = new Set([...resolved.origins.values()].flat());
  const unread = ignored.filter((path) => !read.has(path)).map((path) => ignoredFile(path, config));
  if (paths.length > 0) return { ...resolved, diagnostics: [...resolved.diagnostics, ...unread] };
  const message = `No file of the repository matches ${JSON.stringify(config.videos)}`;
  const hint = `Write a definition, or set "videos" in ${CONFIG_FILE}`;
  return { ...resolved, diagnostics: [warningAt('no_videos', CONFIG_START, message, hint), ...unread] };
}

function ignoredFile(path: string, { videos }: Config): Diagnostic {
  const ending = posix.extname(videos);
  const renamed = `${path.slice(0, -posix.extname(path).length)}${ending}`;
  const message = `${path} is not a definition, because "videos" of ${CONFIG_FILE} matches ${JSON.stringify(videos)} only`;
  const hint = `Rename it to ${renamed}, or set "videos: ${videos.slice(0, -ending.length)}.{yaml,yml}". Files whose name begins with _ are never definitions`;
  return warningAt('definition_ignored', startOf(path), message, hint);
}
