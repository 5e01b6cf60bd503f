import { canonicalTimeline, type FactsByTemplate } from '../../contract/canonical-timeline.ts';
import { featureLack } from '../../contract/render-service.ts';
import { timelineMeasures } from '../../contract/timeline/resolve-timeline.ts';
import { secondsOf } from '../../contract/video-measures.ts';
import { hasCaptions, hasLanguage, hasMixing, plainScene, type TimelineSpec } from '../../contract/video-spec.ts';
import { parseFeatures, type ServiceFeatures } from '../../contract/wire/features.ts';
import { type Diagnostic, errorAt, type Span, warningAt } from '../../kernel/diagnostic.ts';
import { isRecord, parseJson } from '../../kernel/json.ts';
import { templateFacts } from '../../template/video-measures.ts';
import { locateTimeline } from '../definition/scene-spans.ts';
import { type Source, templatesOf, type Video } from '../definition/video.ts';
import { timelineOf } from '../definition/video-timeline.ts';
import type { Config } from './config.ts';
import type { ProjectTemplate } from './load-templates.ts';
import type { RepositoryFiles } from './repository-files.ts';
import { FEATURES_FILE } from './repository-layout.ts';

/** What tells whether a video needs a feature of a service. */
interface FeatureContext {
  readonly config: Pick<Config, 'service'>;
  /** Returns a template by its name. */
  readonly templateOf: (name: string) => ProjectTemplate | null | undefined;
}

/** Returns the videos that need a feature of a service: those that are more than a template with values, or mixed. */
export function videosWithFeatures(videos: readonly Video[], { config, templateOf }: FeatureContext): Video[] {
  if (config.service === 'embedded') return [];
  return videos.filter(
    (video) =>
      hasMixing(video) ||
      hasCaptions(video) ||
      hasLanguage(video) ||
      (plainScene(video) === null && plainScene(timelineIn(video, templateOf)) === null),
  );
}

/**
 * Refuses videos that need more than the service offers, as `reelform pull` stored it. Without that file a warning is returned, and
 * `apply` asks the service.
 */
export function featureProblems(
  videos: readonly Video[],
  context: FeatureContext,
  files: Pick<RepositoryFiles, 'text' | 'source'>,
): Diagnostic[] {
  const { service } = context.config;
  const [first, ...others] = videosWithFeatures(videos, context);
  if (service === 'embedded' || first === undefined) return [];
  const { origin } = new URL(service.url);
  const stored = storedFeatures(origin, files);
  if (typeof stored === 'string') {
    const message = `Whether the service ${origin} renders such a video is not known: ${stored}`;
    return [warningAt('features_unknown', spanOf(first, files), message, 'Run reelform pull')];
  }
  return [first, ...others].flatMap((video) => {
    const packages = { get: (name: string) => context.templateOf(name)?.package };
    // Lengths of sounds are not known yet: `apply` compares a video that is as long as they are.
    const timeline = timelineOf(video, packages, () => null)?.timeline ?? null;
    const seconds = timeline === null ? null : secondsOf(timelineMeasures(timeline));
    const lack = featureLack(origin, stored, { ...video, ...timelineIn(video, context.templateOf) }, seconds);
    return lack === null ? [] : [errorAt(lack.code, spanOf(video, files), lack.message, lack.hint)];
  });
}

/** Returns whether the service writes the language of a sound into files, as far as it is known. */
export function writesLanguages({ service }: Pick<Config, 'service'>, files: Pick<RepositoryFiles, 'text'>): boolean {
  if (service === 'embedded') return true;
  const stored = storedFeatures(new URL(service.url).origin, files);
  return typeof stored !== 'string' && stored.languages === true;
}

/** Returns the stored features of a service, or why they are not known. */
function storedFeatures(origin: string, files: Pick<RepositoryFiles, 'text'>): ServiceFeatures | string {
  const read = files.text(FEATURES_FILE);
  if (read === null || !read.ok) return `${FEATURES_FILE} is missing`;
  const document = parseJson(read.text);
  if (!isRecord(document) || !isRecord(document.features)) return `${FEATURES_FILE} is damaged`;
  if (document.service !== origin) return `${FEATURES_FILE} is about ${String(document.service)}`;
  return parseFeatures(document.features);
}

function timelineIn(video: Video, templateOf: FeatureContext['templateOf']): TimelineSpec<Source> {
  const packages = templatesOf(video).map((name) => [name, templateOf(name)?.package] as const);
  const facts: FactsByTemplate = Object.fromEntries(
    packages.flatMap(([name, files]) => (files ? [[name, templateFacts(files)]] : [])),
  );
  return canonicalTimeline(video, facts);
}

function spanOf({ path, scenes }: Video, { source }: Pick<RepositoryFiles, 'source'>): Span {
  const locate = locateTimeline(path, source);
  const [only, second] = scenes;
  return second === undefined ? locate(only!.id, 'duration') : locate(null, 'scenes');
}
