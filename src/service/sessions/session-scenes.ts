import { serviceError } from '../../contract/service-error.ts';
import {
  factsDigest,
  type ResolvedTimeline,
  resolveOnce,
  timelineMeasures,
} from '../../contract/timeline/resolve-timeline.ts';
import type { SceneInput, TemplateFacts, Timeline } from '../../contract/timeline/timeline.ts';
import type { VideoMeasures } from '../../contract/video-measures.ts';
import type { RequestProblem } from '../../contract/wire/problem.ts';
import { NO_SCENE_ID, type SceneRequest, type ScenesRequest } from '../../contract/wire/scene-request.ts';
import { defined } from '../../kernel/defined.ts';
import { isUnchanged } from '../../template/bind/bind-scenes.ts';
import type { TemplatePackage } from '../../template/template-package.ts';
import { templateFacts, videoMeasures } from '../../template/video-measures.ts';

/** Everything about a template that decides the timeline and the specification of its scenes. */
type SceneTemplate = Pick<TemplatePackage, 'width' | 'height' | 'fps' | 'frameCount' | 'stills' | 'spec'>;

/** The scenes of a request or a session, and their templates. */
export interface SessionScenes<Template extends SceneTemplate> {
  readonly video: ScenesRequest;
  /** By id of the style version; has those of all scenes. */
  readonly templates: ReadonlyMap<string, Template>;
}

/** Something about each source of a video, by editable key and by `trackKey`. */
export interface SceneSources<T> {
  /** In the order of the scenes. */
  readonly scenes: readonly ReadonlyMap<string, T>[];
  /** Tracks of the whole video. */
  readonly tracks: ReadonlyMap<string, T>;
}

interface CollectedSources<T> {
  readonly scenes: readonly Map<string, T>[];
  readonly tracks: Map<string, T>;
}

export function emptySources<T>({ scenes }: Pick<ScenesRequest, 'scenes'>): CollectedSources<T> {
  return { scenes: scenes.map(() => new Map<string, T>()), tracks: new Map<string, T>() };
}

/** @param scene its index; null for the whole video */
export function sourcesAt<T>({ scenes, tracks }: CollectedSources<T>, scene: number | null): Map<string, T> {
  return scene === null ? tracks : scenes[scene]!;
}

/** Returns the ids of the style versions of scenes, without duplicates. */
export function styleVersionsOf({ scenes }: Pick<ScenesRequest, 'scenes'>): string[] {
  return [...new Set(scenes.map(({ mapping }) => mapping.template_style_version_id))];
}

/**
 * Returns the templates of scenes by style version.
 *
 * @throws ServiceError 404 with all style versions that do not exist
 */
export async function findTemplates<Template>(
  video: ScenesRequest,
  find: (styleVersion: string) => Promise<Template | null>,
): Promise<Map<string, Template>> {
  const ids = styleVersionsOf(video);
  const found = await Promise.all(ids.map(async (id) => [id, await find(id)] as const));
  const missing = found.filter(([, template]) => template === null).map(([id]) => id);
  if (missing.length > 0) {
    const problems = video.scenes.flatMap(({ id, mapping }, index): RequestProblem[] => {
      const version = mapping.template_style_version_id;
      if (id === NO_SCENE_ID || !missing.includes(version)) return [];
      const pointer = `#/scenes/${index}/mapping/template_style_version_id`;
      return [{ code: 'not_found', pointer, detail: `There is no template style version ${version}`, scene: id }];
    });
    throw serviceError('not_found', `There is no template style version ${missing.join(', ')}`, problems);
  }
  return new Map(found.map(([id, template]) => [id, template!]));
}

export function templateOf<Template extends SceneTemplate>(
  { mapping }: Pick<SceneRequest, 'mapping'>,
  templates: ReadonlyMap<string, Template>,
): Template {
  return templates.get(mapping.template_style_version_id)!;
}

/** Resolves the timeline of scenes. The templates of a timeline are named after their scenes, which may each have places. */
export function resolveScenes({ video, templates }: SessionScenes<SceneTemplate>): ResolvedTimeline {
  const { scenes, size, rate } = video;
  const facts = scenes.map((scene) => {
    const template = templateFacts(templateOf(scene, templates));
    return [scene.id, scene.timing === undefined ? template : { ...template, timing: scene.timing }] as const;
  });
  const inputs = scenes.map(({ id, seconds, transition, fit, shorten }): SceneInput => {
    return { id, template: id, ...defined({ duration: seconds, transition, fit, shorten }) };
  });
  const key = JSON.stringify(['session', size, rate, inputs, facts.map(([, template]) => factsDigest(template))]);
  return resolveOnce(key, () => ({ templates: Object.fromEntries(facts), scenes: inputs, ...defined({ size, rate }) }));
}

interface KnownTimeline {
  readonly timeline: Timeline;
  /** Facts of the templates of its scenes. */
  readonly facts: readonly TemplateFacts[];
}

const timelines = new WeakMap<ScenesRequest, KnownTimeline>();

/** Returns the timeline of scenes that `checkScenes` accepts. Resolves it once for the digests and the input of a request. */
export function timelineOfScenes({ video, templates }: SessionScenes<SceneTemplate>): Timeline {
  const facts = video.scenes.map((scene) => templateFacts(templateOf(scene, templates)));
  const known = timelines.get(video);
  if (known?.facts.every((template, index) => template === facts[index])) return known.timeline;
  const { timeline } = resolveScenes({ video, templates });
  if (timeline === null) throw new Error('Internal error: the timeline of a checked request cannot be resolved');
  timelines.set(video, { timeline, facts });
  return timeline;
}

/** Returns the template of a video that shows nothing but this template, as it was designed; null for other videos. */
export function onlyTemplate<Template extends SceneTemplate>(
  { video, templates }: SessionScenes<Template>,
  timeline: Timeline,
): Template | null {
  const [scene, second] = video.scenes;
  if (scene === undefined || second !== undefined) return null;
  const template = templateOf(scene, templates);
  return isUnchanged(timeline, { template, ...defined({ background: colorOf(scene.background) }) }) ? template : null;
}

/** Returns the size and length of a video before its outputs. */
export function scenesMeasures(video: SessionScenes<SceneTemplate>, timeline: Timeline): VideoMeasures {
  const template = onlyTemplate(video, timeline);
  return template === null ? timelineMeasures(timeline) : videoMeasures(template);
}

/** Returns a colour as the engine writes it. */
export function colorOf(color: string | undefined): string | undefined {
  return color === undefined ? undefined : `#${color.replace('#', '').toUpperCase()}`;
}
