import type { FactsByTemplate } from '../../../src/contract/canonical-timeline.ts';
import { timelineMeasures } from '../../../src/contract/timeline/resolve-timeline.ts';
import type { SoundLengths } from '../../../src/contract/video-measures.ts';
import type { SceneSpec } from '../../../src/contract/video-spec.ts';
import type { Source, Video, VideoResource, VideoSound } from '../../../src/reconciler/definition/video.ts';
import { timelineOf } from '../../../src/reconciler/definition/video-timeline.ts';
import {
  type DesiredVideo,
  desiredVideo,
  type RenderingContext,
  timesOf,
} from '../../../src/reconciler/plan/desired-video.ts';
import type { TemplatePackage } from '../../../src/template/template-package.ts';
import { templateFacts } from '../../../src/template/video-measures.ts';
import { context, text, type VideoParts, video } from './videos.ts';

type Template = Pick<TemplatePackage, 'width' | 'height' | 'fps' | 'frameCount' | 'stills' | 'spec'>;

const template = (frameCount: number, changes: Partial<Template> & { timing?: object[] } = {}): Template => {
  const { timing, ...fields } = changes;
  const spec = { id: 'tsv_1', ...(timing && { timing }) } as unknown as Template['spec'];
  return { width: 1920, height: 1080, fps: 30, frameCount, stills: [], spec, ...fields };
};

/** Templates of 1920 × 1080 at 30 frames per second, some of them with places; `tall` and `cinema` are different. */
export const TEMPLATES = new Map<string, Template>([
  ['intro', template(150)],
  ['card', template(120, { stills: [{ name: 'stillcut_01', frame: 93 }] })],
  ['loop', template(150, { timing: [{ loop: [30, 90] }] })],
  ['outro', template(90, { timing: [] })],
  ['tall', template(100, { width: 1080, height: 1920 })],
  ['cinema', template(100, { fps: 24 })],
]);

export const FACTS: FactsByTemplate = Object.fromEntries(
  [...TEMPLATES].map(([name, facts]) => [name, templateFacts(facts)]),
);

export type SceneParts = Omit<Partial<SceneSpec<Source>>, 'resources' | 'audio'> & {
  readonly resources?: Record<string, VideoResource>;
  readonly audio?: Record<string, VideoSound>;
};

/** Returns a scene of a template with one text. */
export function scene(name: string, parts: SceneParts = {}): SceneSpec<Source> {
  const { resources = { t_01: text(name) }, audio = {}, ...fields } = parts;
  return {
    id: name,
    template: name,
    fonts: new Map(),
    ...fields,
    resources: new Map(Object.entries(resources)),
    audio: new Map(Object.entries(audio)),
  };
}

/** Returns a video of these scenes. */
export function sceneVideo(id: string, scenes: readonly SceneSpec<Source>[], parts: VideoParts = {}): Video {
  return { ...video(id, parts), scenes };
}

/** Sounds named by their length, such as `voice/6.3.mp3`, at 48 kHz; null for any other name. */
export const lengths: SoundLengths = (path) => {
  const seconds = /([\d.]+)\.mp3$/.exec(path)?.[1];
  return seconds === undefined ? null : { samples: Math.round(Number(seconds) * 48_000), rate: 48_000 };
};

/** Converts a video as a plan does. */
export function desiredScenes(written: Video, changes: Partial<RenderingContext> = {}): DesiredVideo {
  const timeline = timelineOf(written, TEMPLATES, lengths)?.timeline ?? null;
  return desiredVideo(written, {
    ...context,
    styleVersions: Object.fromEntries([...TEMPLATES.keys()].map((name) => [name, `tsv_${name}`])),
    facts: FACTS,
    measures: timeline && timelineMeasures(timeline),
    ...(timeline && { times: timesOf(timeline, FACTS) }),
    ...changes,
  });
}
