import { timingOf } from '../../contract/timeline/place.ts';
import { timelineMeasures } from '../../contract/timeline/resolve-timeline.ts';
import type { VideoMeasures } from '../../contract/video-measures.ts';
import { plainScene, type VideoSpec } from '../../contract/video-spec.ts';
import { unknownLength } from '../../reconciler/apply/session-request.ts';
import { templatesOf, type Video } from '../../reconciler/definition/video.ts';
import type { VideoTemplates } from '../../reconciler/definition/video-templates.ts';
import { type TimelineVideo, timelineOf } from '../../reconciler/definition/video-timeline.ts';
import type { Project } from '../../reconciler/project/load-project.ts';
import type { ProjectTemplate } from '../../reconciler/project/load-templates.ts';
import type { TemplatePackage } from '../../template/template-package.ts';
import { templateFacts, videoMeasures } from '../../template/video-measures.ts';
import { cachedLengths } from './cached-lengths.ts';

/** Where templates and the digests of sounds are found. */
interface TemplateSource extends Pick<Project, 'root' | 'assets'> {
  templateOf(name: string): Pick<ProjectTemplate, 'package'> | null | undefined;
}

/** Finds the templates of videos; null for a video with a template that only the service has. */
export type TemplateLookup = (video: Pick<Video, 'scenes'> & TimelineVideo) => VideoTemplates | null;

/** Resolves timelines with the lengths of sounds that a plan has measured. */
export function openTemplates({ templateOf, ...files }: TemplateSource): TemplateLookup {
  const lengths = cachedLengths(files);
  return (video) => {
    const packages = new Map<string, TemplatePackage>();
    for (const name of templatesOf(video)) {
      const found = templateOf(name)?.package ?? null;
      if (found === null) return null;
      packages.set(name, found);
    }
    const resolved = plainScene(video) === null ? timelineOf(video, packages, lengths) : null;
    // With an unknown length, a timeline only shows how long the video is at most.
    const isKnown = resolved?.findings.every(({ code }) => code !== 'content_unknown');
    const timeline = isKnown ? (resolved?.timeline ?? null) : null;
    if (timeline === null) return { packages, scenes: null };
    const timing = [...packages].map(([name, template]) => [name, timingOf(templateFacts(template))] as const);
    return { packages, scenes: { timeline, timing: Object.fromEntries(timing) } };
  };
}

/** Returns the size and length of a video. @throws ReelformError `content_unknown` if the length of a scene is not known */
export function measuresOf(video: VideoSpec<unknown>, { packages, scenes }: VideoTemplates): VideoMeasures {
  const plain = plainScene(video);
  if (plain !== null) return videoMeasures(packages.get(plain.template)!);
  if (scenes === null) throw unknownLength();
  return timelineMeasures(scenes.timeline);
}

/** @see openTemplates */
export function projectTemplates({
  root,
  assets,
  templates,
}: Pick<Project, 'root' | 'assets' | 'templates'>): TemplateLookup {
  return openTemplates({ root, assets, templateOf: (name) => templates.get(name) });
}
