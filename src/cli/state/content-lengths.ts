import type { TimelineFinding } from '../../contract/timeline/timeline.ts';
import type { SoundLengths } from '../../contract/video-measures.ts';
import { valueName } from '../../contract/video-spec.ts';
import { trackKey } from '../../contract/wire/mapping.ts';
import type { Diagnostic } from '../../kernel/diagnostic.ts';
import { valueSpan } from '../../reconciler/definition/filled-values.ts';
import { leftOutParts } from '../../reconciler/definition/left-out-parts.ts';
import { locateTimeline } from '../../reconciler/definition/scene-spans.ts';
import { certainFindings, timelineDiagnostics } from '../../reconciler/definition/timeline-diagnostics.ts';
import type { Video } from '../../reconciler/definition/video.ts';
import {
  contentSounds,
  hasContentLength,
  type TimelineTemplates,
  timelineOf,
} from '../../reconciler/definition/video-timeline.ts';
import type { Project } from '../../reconciler/project/load-project.ts';
import type { TaskRunner } from '../../service/sessions/processes/tasks.ts';
import { cachedLengths } from './cached-lengths.ts';
import type { SoundToMeasure } from './measure-sounds.ts';

/** Videos, and the files and definitions that their sounds are found in. */
interface ContentOptions extends Pick<Project, 'root' | 'videos' | 'assets' | 'filled' | 'source'> {
  /** False to decode all sounds again. */
  readonly cache: boolean;
}

/**
 * Returns the lengths of the sounds that decide how long scenes are. Measures those that no earlier run has measured.
 *
 * @param openPool opens the processes that decode; null to use known lengths only
 */
export async function contentLengths(
  { root, videos, assets, filled, source, cache }: ContentOptions,
  openPool: (() => Promise<TaskRunner<'length'>>) | null,
): Promise<{ readonly lengths: SoundLengths; readonly diagnostics: readonly Diagnostic[] }> {
  const sounds = videos.flatMap((video) => soundsOf(video, { assets, filled, source }));
  if (openPool === null || sounds.length === 0) return { lengths: cachedLengths({ root, assets }), diagnostics: [] };
  // Loads the render processes, which most repositories do not need for a plan.
  const { measureSounds } = await import('./measure-sounds.ts');
  return measureSounds(root, sounds, { cache, openPool });
}

/**
 * Returns the problems of scenes that depend on lengths of sounds, which are not known while a repository is read. Problems that an
 * unknown length may cause are left out: see `withLengths`.
 */
export function contentFindings(
  { videos, source, lengths }: Pick<Project, 'videos' | 'source'> & { readonly lengths: SoundLengths },
  templates: TimelineTemplates,
): Diagnostic[] {
  return videos.flatMap((video): Diagnostic[] => {
    if (!video.scenes.some(hasContentLength)) return [];
    const early = timelineOf(video, templates, () => null)?.findings ?? [];
    const certain = certainFindings(early, video);
    const reported = new Set(certain.map(keyOf));
    const { timeline = null, findings = [] } = timelineOf(video, templates, lengths) ?? {};
    const found = certainFindings(findings, video);
    const late = found.filter((finding) => !reported.has(keyOf(finding)));
    const locate = locateTimeline(video.path, source);
    const isNew = certain.length < early.length && found.length === findings.length && timeline !== null;
    const parts = isNew ? leftOutParts(video, timeline, templates, locate) : [];
    return [...timelineDiagnostics(late, video, locate), ...parts];
  });
}

function keyOf({ code, scene, name }: TimelineFinding): string {
  return JSON.stringify([code, scene, name]);
}

function soundsOf(
  video: Video,
  { assets, ...located }: Pick<ContentOptions, 'assets' | 'filled' | 'source'>,
): SoundToMeasure[] {
  return contentSounds(video).flatMap(({ scene, name, source }): SoundToMeasure[] => {
    const asset = source.kind === 'file' ? assets.get(source.path) : undefined;
    if (asset === undefined) return [];
    const at = valueSpan(video, valueName(video, scene, trackKey(name)), located);
    return [{ path: asset.path, digest: asset.sha256, at }];
  });
}
