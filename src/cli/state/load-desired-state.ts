import type { FactsByTemplate } from '../../contract/canonical-timeline.ts';
import { timelineMeasures } from '../../contract/timeline/resolve-timeline.ts';
import type { SoundLengths } from '../../contract/video-measures.ts';
import { plainScene } from '../../contract/video-spec.ts';
import { CAPTIONS_EPOCH, RENDER_EPOCH, SOUND_EPOCH, TIMELINE_EPOCH } from '../../engine/render-epoch.ts';
import { type Diagnostic, hasErrors, type Result, sortDiagnostics } from '../../kernel/diagnostic.ts';
import { byCodeUnit } from '../../kernel/digest.ts';
import { templatesOf, type Video } from '../../reconciler/definition/video.ts';
import { contentSounds, hasContentLength, locationOf, timelineOf } from '../../reconciler/definition/video-timeline.ts';
import {
  assetsOf,
  type DesiredVideo,
  desiredVideo,
  type RenderingContext,
  timesOf,
} from '../../reconciler/plan/desired-video.ts';
import type { LabelLookup } from '../../reconciler/plan/plan-document.ts';
import { type CachedState, isOfTemplate } from '../../reconciler/plan-cache/cached-state.ts';
import {
  type CompareOptions,
  type Comparison,
  compareRepository,
} from '../../reconciler/plan-cache/compare-repository.ts';
import { CacheDamaged, PlanCache } from '../../reconciler/plan-cache/plan-cache.ts';
import { type CacheProbe, probeCache } from '../../reconciler/plan-cache/probe.ts';
import { projectState } from '../../reconciler/plan-cache/project-state.ts';
import type { DesireAll, DesireContext, ReadVideos } from '../../reconciler/plan-cache/refresh-state.ts';
import { loadCatalogueFormats } from '../../reconciler/project/catalogue-reader.ts';
import type { Config } from '../../reconciler/project/config.ts';
import type { Project } from '../../reconciler/project/load-project.ts';
import type { ProjectTemplate } from '../../reconciler/project/load-templates.ts';
import { ReadLog } from '../../reconciler/project/read-log.ts';
import { RepositoryFiles } from '../../reconciler/project/repository-files.ts';
import { CONFIG_FILE, findRoot, specPath } from '../../reconciler/project/repository-layout.ts';
import type { TaskRunner } from '../../service/sessions/processes/tasks.ts';
import type { TemplatePackage } from '../../template/template-package.ts';
import { templateFacts, videoMeasures } from '../../template/video-measures.ts';
import { cacheKey } from '../global-options.ts';

/** Definitions and templates of videos. */
export interface VideoSource extends Pick<Project, 'videos' | 'assets' | 'filled' | 'source'> {
  /** Null for an unusable template. */
  templateOf(name: string): ProjectTemplate | null;
}

/** The definitions of a repository, as plans see them. */
export interface DesiredState {
  /** Absolute. */
  readonly root: string;
  readonly config: Config;
  /** Sorted by file and position. With errors, `desired` is incomplete. */
  readonly diagnostics: readonly Diagnostic[];
  /** Returns the text of a file that was read, for code frames. */
  source(file: string): string | undefined;
  /** Sorted by id. */
  readonly desired: readonly DesiredVideo[];
  /** Videos that their condition leaves out, sorted by id. */
  readonly leftOut: Project['leftOut'];
  /** Videos that wait for speech, sorted by id. */
  readonly waiting: Project['waiting'];
  /** What videos do not have in their locale, sorted by id. Those that wait are not in `desired`. */
  readonly texts: Project['texts'];
  /** Labels of the templates' editables. */
  readonly labels: LabelLookup;
  /**
   * Returns all files that a video depends on, relative to the repository: its definition, assets, template and
   * reelform.yaml.
   */
  dependenciesOf(desired: DesiredVideo): readonly string[];
  /** Returns the files that a definition was read from: itself, its fragments, its data. */
  originsOf(path: string): readonly string[];
  /** Loads both sides of a plan. Requires diagnostics without errors. */
  compare(options: CompareOptions): Promise<Result<Comparison>>;
  /**
   * Returns the videos of some definition files, and their templates. Files that were read for this state are not read again.
   *
   * @param paths repository-relative, sorted
   */
  definitionsAt(paths: readonly string[]): Promise<VideoSource>;
  /** Reads the whole repository without the plan cache: videos are never rendered from cached results. */
  project(): Promise<Project>;
}

interface DesiredStateOptions {
  /** False to neither read nor write the plan cache; true when absent. */
  readonly cache?: boolean;
  /** False to decode sounds whose length is known; as `cache` when absent. */
  readonly lengthCache?: boolean;
  /** The plan cache, if it is open already. */
  readonly probe?: CacheProbe | undefined;
  /** True to load desired videos on first access, which then may throw; false when absent. */
  readonly isLazy?: boolean;
  /** Opens the processes that measure sounds which decide lengths of scenes; only known lengths are used when absent. */
  readonly openPool?: () => Promise<TaskRunner<'length'>>;
}

/**
 * Loads the desired videos of the repository around a folder. Takes unchanged videos from the plan cache.
 *
 * @throws ReelformError `config_missing`
 */
export async function loadDesiredState(
  cwd: string,
  {
    cache: usesCache = true,
    lengthCache = usesCache,
    probe: opened,
    isLazy = false,
    openPool,
  }: DesiredStateOptions = {},
): Promise<DesiredState> {
  const desireAll: DesireAll = async (project) => {
    const { lengths, diagnostics } = await lengthsOf(project, lengthCache, openPool);
    return { desired: project.videos.map((video) => desire(video, project, lengths)), diagnostics };
  };
  const root = findRoot(cwd);
  const key = cacheKey();
  const probe = usesCache ? (opened ?? probeCache(root, key)) : null;
  const cache = usesCache ? PlanCache.open(root, key, probe) : null;
  await cache?.refresh(desireAll);
  if (cache?.state == null) return readWhole(root, cache, desireAll);
  const cached = fromCache(root, cache, cache.state, desireAll);
  if (isLazy || areReadable(cached)) return cached;
  cache.state = null;
  return readWhole(root, cache, desireAll);
}

/** Returns the lengths of the sounds that decide how long scenes are, and the problems of these scenes. */
async function lengthsOf(
  project: ReadVideos,
  cache: boolean,
  openPool: DesiredStateOptions['openPool'],
): Promise<{ readonly lengths: SoundLengths; readonly diagnostics: readonly Diagnostic[] }> {
  const isNeeded = project.videos.some(({ scenes }) => scenes.some(hasContentLength));
  if (!isNeeded) return { lengths: () => null, diagnostics: [] };
  // Loads yaml, which a plan from the cache does not need.
  const { contentFindings, contentLengths } = await import('./content-lengths.ts');
  const { lengths, diagnostics } = await contentLengths({ ...project, cache }, openPool ?? null);
  const templates = { get: (name: string) => project.templates.get(name)?.package };
  return { lengths, diagnostics: [...diagnostics, ...contentFindings({ ...project, lengths }, templates)] };
}

/** True if the cache can be read. */
function areReadable(repository: DesiredState): boolean {
  try {
    return repository.desired.length >= 0;
  } catch (error) {
    if (error instanceof CacheDamaged) return false;
    throw error;
  }
}

async function readWhole(root: string, cache: PlanCache | null, desireAll: DesireAll): Promise<DesiredState> {
  const { loadProject } = await import('../../reconciler/project/load-project.ts');
  const log = cache && new ReadLog(root);
  const project = await loadProject({ cwd: root, log });
  const { desired, diagnostics } = await desireAll(project);
  if (cache !== null && log !== null && diagnostics.length === 0 && !hasErrors(project.diagnostics)) {
    cache.state = projectState(project, log, cache.timestamp, desired);
  }
  return {
    root,
    config: project.config,
    diagnostics: sortDiagnostics([...project.diagnostics, ...diagnostics]),
    source: project.source,
    desired,
    leftOut: project.leftOut,
    waiting: project.waiting,
    texts: project.texts,
    labels: (template, key) => project.templates.get(template)?.spec.editables[key]?.label,
    dependenciesOf: (video) => dependenciesOf(video, project),
    originsOf: (path) => project.origins.get(path) ?? [path],
    compare: (options) => compareRepository(root, cache, () => desired, options),
    definitionsAt: async () => ({ ...project, templateOf: (name) => project.templates.get(name) ?? null }),
    project: async () => project,
  };
}

function fromCache(root: string, cache: PlanCache, state: CachedState, desireAll: DesireAll): DesiredState {
  const { config, templates, definitions, files } = state;
  let all: readonly DesiredVideo[] | null = null;
  const desired = (): readonly DesiredVideo[] => {
    all ??= cache.allVideos(state).sort((a, b) => byCodeUnit(a.id, b.id));
    return all;
  };
  const texts = new RepositoryFiles(root);
  return {
    root,
    config,
    diagnostics: sortDiagnostics([...templates.values()].flatMap(({ diagnostics }) => diagnostics)),
    source: texts.source,
    get desired() {
      return desired();
    },
    leftOut: [...definitions.values()].flatMap(({ leftOut }) => leftOut).sort((a, b) => byCodeUnit(a.id, b.id)),
    // A repository with such videos is not cached.
    waiting: [],
    texts: [...definitions.values()].flatMap(({ texts }) => texts).sort((a, b) => byCodeUnit(a.id, b.id)),
    labels: (template, key) => templates.get(template)?.labels[key],
    dependenciesOf(video) {
      const { path } = video;
      const definition = definitions.get(path);
      const templates = templatesOf(video);
      const ofTemplate = [...files.keys()].filter((file) => templates.some((name) => isOfTemplate(file, name, config)));
      return [
        ...new Set([CONFIG_FILE, ...(definition?.origins ?? [path]), ...(definition?.assets ?? []), ...ofTemplate]),
      ];
    },
    originsOf: (path) => definitions.get(path)?.origins ?? [path],
    async compare(options) {
      try {
        return await compareRepository(root, cache, desired, options);
      } catch (error) {
        if (!(error instanceof CacheDamaged)) throw error;
        cache.state = null;
        return (await readWhole(root, cache, desireAll)).compare(options);
      }
    },
    async definitionsAt(paths) {
      const { LazyTemplates, reloadDefinitions } = await import('../../reconciler/project/load-definitions.ts');
      await loadCatalogueFormats(config);
      const lazy = cache.templates ?? new LazyTemplates(config, new RepositoryFiles(root));
      const { videos, assets, filled } = reloadDefinitions(paths, config, lazy, lazy.files);
      return { videos, assets, filled, source: lazy.files.source, templateOf: (name) => lazy.load(name).template };
    },
    async project() {
      const { loadProject } = await import('../../reconciler/project/load-project.ts');
      return loadProject({ cwd: root });
    },
  };
}

/** Returns `embedded`, or the origin of the configured service. */
export function serviceName({ service }: Config): string {
  return service === 'embedded' ? service : new URL(service.url).origin;
}

/** Converts a video of a project for planning. */
export function desire(
  video: Video,
  { config, templates, assets }: DesireContext,
  lengths: SoundLengths,
): DesiredVideo {
  const used = templatesOf(video).map((name) => templates.get(name)!);
  const packages = new Map(
    used.flatMap(({ name, package: files }) => (files === null ? [] : [[name, files] as const])),
  );
  const facts = Object.fromEntries([...packages].map(([name, files]) => [name, templateFacts(files)]));
  return desiredVideo(video, {
    service: serviceName(config),
    styleVersions: Object.fromEntries(used.map(({ name, spec }) => [name, spec.id])),
    renderEpoch: config.service === 'embedded' ? RENDER_EPOCH : null,
    ...(config.service === 'embedded' && {
      timelineEpoch: TIMELINE_EPOCH,
      captionsEpoch: CAPTIONS_EPOCH,
      sound: {
        epoch: SOUND_EPOCH,
        isInTemplate: [...packages.values()].some(({ sounds }) => sounds.size > 0),
      },
    }),
    facts,
    ...measured(video, { packages, facts, lengths }),
    assetDigest: (path) => assets.get(path)!.sha256,
  });
}

interface MeasureContext {
  readonly packages: ReadonlyMap<string, TemplatePackage>;
  readonly facts: FactsByTemplate;
  readonly lengths: SoundLengths;
}

/** Returns the size and length of a video, as far as its templates and the lengths of its sounds are known. */
function measured(
  video: Video,
  { packages, facts, lengths }: MeasureContext,
): Pick<RenderingContext, 'measures' | 'times' | 'contentLengths'> {
  const plain = plainScene(video);
  if (plain !== null) {
    const template = packages.get(plain.template);
    return { measures: template === undefined ? null : videoMeasures(template) };
  }
  const timeline = timelineOf(video, packages, lengths)?.timeline ?? null;
  const locations = contentSounds(video).map(({ source }) => locationOf(source));
  const contentLengths = Object.fromEntries(locations.map((location) => [location, lengths(location)]));
  return timeline === null
    ? { measures: null, contentLengths }
    : { measures: timelineMeasures(timeline), times: timesOf(timeline, facts), contentLengths };
}

function dependenciesOf(video: DesiredVideo, { origins, templates }: Project): string[] {
  const { path } = video;
  const templateFiles = templatesOf(video).flatMap((name) => templates.get(name)?.paths ?? [specPath(name)]);
  return [...new Set([CONFIG_FILE, ...(origins.get(path) ?? [path]), ...assetsOf(video), ...templateFiles])];
}
