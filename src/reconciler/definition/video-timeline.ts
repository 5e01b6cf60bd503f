import { isDeepStrictEqual } from 'node:util';
import type { SpecCaptions } from '../../contract/captions/caption-style.ts';
import { framesOf, rational } from '../../contract/timeline/rational.ts';
import { factsDigest, type ResolvedTimeline, resolveOnce } from '../../contract/timeline/resolve-timeline.ts';
import type { ContentItem, SceneInput, TemplateFacts, TimelineInput } from '../../contract/timeline/timeline.ts';
import type { SoundLengths } from '../../contract/video-measures.ts';
import type { SceneSpec, SpecSound } from '../../contract/video-spec.ts';
import { defined } from '../../kernel/defined.ts';
import type { TemplatePackage } from '../../template/template-package.ts';
import { templateFacts } from '../../template/video-measures.ts';
import type { Source, Video } from './video.ts';

/** The facts about a template that decide its place in a video. */
export type TimelineTemplate = Pick<TemplatePackage, 'width' | 'height' | 'fps' | 'frameCount' | 'stills' | 'spec'> &
  Partial<Pick<TemplatePackage, 'animation' | 'sounds'>>;

/** The fields of a video that decide its timeline. */
export type TimelineVideo = Pick<
  Video,
  'scenes' | 'audio' | 'captions' | 'size' | 'rate' | 'duration' | 'leftOut' | 'softTransitions'
>;

/** Templates by name; null or undefined for a template whose size and length are not known. */
export interface TimelineTemplates {
  get(name: string): TimelineTemplate | null | undefined;
}

/** A timeline with everything that it was resolved from beside the scenes. */
interface Resolution {
  readonly video: TimelineVideo;
  /** Of the template of each scene. */
  readonly facts: readonly TemplateFacts[];
  readonly content: readonly (readonly ContentItem[])[];
  readonly resolved: ResolvedTimeline;
}

/** The last timeline of each list of scenes, which the findings, the plan and the inputs of a video share. */
const resolutions = new WeakMap<Video['scenes'], Resolution>();
/** The videos of a series follow each other, and most of them differ only in their values. */
let last: Resolution | null = null;

const NO_CONTENT: readonly ContentItem[] = [];
const NO_CONTENTS: readonly (readonly ContentItem[])[] = [];

/**
 * Resolves the timeline of a video: where each scene starts and how long it is. Resolves it once for the same scenes, templates and
 * lengths of sounds.
 *
 * @param soundLength null for sounds whose length is not known yet: a scene that is as long as they are then has a finding
 * @returns null if the size and length of a template are not known, as of a service's style version
 */
export function timelineOf(
  video: TimelineVideo,
  templates: TimelineTemplates,
  soundLength: SoundLengths,
): ResolvedTimeline | null {
  const facts = factsOf(video, templates);
  if (facts === null) return null;
  const content = contentOfScenes(video, soundLength);
  if (last !== null && isPlacedAs(last.video, video) && isResolvedFrom(last, video, facts, content)) {
    return last.resolved;
  }
  const known = resolutions.get(video.scenes);
  if (known !== undefined && isResolvedFrom(known, video, facts, content)) return known.resolved;
  const resolved = resolveOnce(timelineKey(video, facts, content), () => timelineInput(video, facts, content));
  last = { video, facts, content, resolved };
  resolutions.set(video.scenes, last);
  return resolved;
}

/** Returns the facts about the template of each scene; null if any is not known. */
function factsOf({ scenes }: TimelineVideo, templates: TimelineTemplates): TemplateFacts[] | null {
  const facts: TemplateFacts[] = [];
  for (const { template: name } of scenes) {
    const template = templates.get(name);
    if (template === null || template === undefined) return null;
    facts.push(templateFacts(template));
  }
  return facts;
}

/** Returns whether the scenes of two videos are the same except for their values. */
function isPlacedAs({ scenes: earlier }: TimelineVideo, { scenes }: TimelineVideo): boolean {
  const isSame = (scene: SceneSpec<Source>, at: number): boolean => {
    const { id, template, duration, fit, shorten, transition } = earlier[at]!;
    return (
      scene.id === id &&
      scene.template === template &&
      scene.duration === duration &&
      scene.fit === fit &&
      scene.shorten === shorten &&
      scene.transition === transition
    );
  };
  return scenes === earlier || (scenes.length === earlier.length && scenes.every(isSame));
}

/** Compares everything except the scenes. */
function isResolvedFrom(
  known: Resolution,
  video: TimelineVideo,
  facts: readonly TemplateFacts[],
  content: readonly (readonly ContentItem[])[],
): boolean {
  const { video: earlier } = known;
  return (
    earlier.audio === video.audio &&
    earlier.captions === video.captions &&
    earlier.size === video.size &&
    earlier.rate === video.rate &&
    earlier.duration === video.duration &&
    earlier.leftOut === video.leftOut &&
    earlier.softTransitions === video.softTransitions &&
    facts.every((fact, at) => fact === known.facts[at]) &&
    isDeepStrictEqual(content, known.content)
  );
}

/** Returns a text of everything that decides a timeline. */
function timelineKey(
  { scenes, size, rate, duration, leftOut, softTransitions }: TimelineVideo,
  facts: readonly TemplateFacts[],
  content: readonly (readonly ContentItem[])[],
): string {
  const placed = scenes.map(({ id, template, duration: wish, fit, shorten, transition }, at) => {
    // Most scenes have the template of the scene before.
    const digest = facts[at] === facts[at - 1] ? '' : factsDigest(facts[at]!);
    return [id, template, digest, wish, fit, shorten, transition];
  });
  return JSON.stringify(['video', size, rate, duration, leftOut, softTransitions, content, placed]);
}

/** Returns what decides how long scenes are with `duration: content`; an empty list if no scene has any. */
function contentOfScenes(video: TimelineVideo, soundLength: SoundLengths): readonly (readonly ContentItem[])[] {
  const hasAny = ({ audio, captions }: Pick<TimelineVideo, 'audio' | 'captions'>): boolean =>
    audio.size > 0 || captions !== undefined;
  if (!hasAny(video) && !video.scenes.some(hasAny)) return NO_CONTENTS;
  return video.scenes.map((scene) => [
    ...contentOf(tracksOf(scene, video), soundLength),
    ...captionContent(captionsOf(scene, video)),
  ]);
}

function timelineInput(
  { scenes: shown, size, rate, duration, ...video }: TimelineVideo,
  facts: readonly TemplateFacts[],
  content: readonly (readonly ContentItem[])[],
): TimelineInput {
  const soft = video.softTransitions ?? [];
  const inherited = shown.find(({ id }) => soft.includes(id))?.transition;
  const [only] = shown;
  const scenes = shown.map((scene, at) => sceneInput(scene, soft.includes(scene.id), content[at] ?? NO_CONTENT));
  // A video with scenes that are left out has several as written.
  const leftOut = (video.leftOut ?? []).filter(({ name }) => name === undefined);
  return {
    templates: Object.fromEntries(shown.map(({ template }, at) => [template, facts[at]!])),
    scenes: [
      ...scenes,
      ...leftOut.map(({ scene }) => ({ id: scene ?? '', template: only?.template ?? '', left_out: true })),
    ],
    ...defined({ size, rate, duration, transition: inherited }),
  };
}

/** A sound that decides how long a scene is. */
export interface ContentSound {
  readonly scene: SceneSpec<Source>;
  /** Name of its track. */
  readonly name: string;
  readonly source: Source;
}

/** Returns the sounds that decide how long the scenes of a video are. */
export function contentSounds(video: Pick<TimelineVideo, 'scenes' | 'audio'>): ContentSound[] {
  return video.scenes.filter(hasContentLength).flatMap((scene) => {
    const tracks = [...tracksOf(scene, video)].filter(([, { transform }]) => !transform.loop && !transform.overrun);
    return tracks.map(([name, { source }]) => ({ scene, name, source }));
  });
}

/** Returns whether a scene is as long as its content. */
export function hasContentLength({ duration }: Pick<SceneSpec<unknown>, 'duration'>): boolean {
  return duration === 'content' || typeof duration === 'object';
}

/** Returns the path or the URL of a source. */
export function locationOf(source: Source): string {
  return source.kind === 'file' ? source.path : source.url;
}

/** Tracks of the video are content of its only scene. */
function tracksOf(
  scene: SceneSpec<Source>,
  { scenes, audio }: Pick<TimelineVideo, 'scenes' | 'audio'>,
): ReadonlyMap<string, SpecSound<Source>> {
  return scenes.length === 1 ? new Map([...audio, ...scene.audio]) : scene.audio;
}

/** Captions of the video are content of its only scene. */
function captionsOf(
  { captions: own }: SceneSpec<Source>,
  { scenes, captions }: Pick<TimelineVideo, 'scenes' | 'captions'>,
): SpecCaptions | undefined {
  return scenes.length === 1 ? captions : own;
}

/** The name of the last caption in findings and explanations. */
export const LAST_CAPTION = 'last caption';

/** A cue lasts as long as its words, if their times are known: it may stay a little longer where there is time. */
function captionContent(captions: SpecCaptions | undefined): ContentItem[] {
  const end = captionsEnd(captions);
  return end === null ? [] : [{ name: LAST_CAPTION, kind: 'cue', end }];
}

/** Returns when the last caption has to end, in seconds; null without captions. */
export function captionsEnd(captions: SpecCaptions | undefined): number | null {
  const ends = (captions?.cues ?? []).map(({ end, words }) => words?.at(-1)?.end ?? end);
  return ends.length === 0 ? null : Math.max(...ends);
}

/** @param isSoft whether the transition is the video's default, which is shortened where it is too long */
function sceneInput(scene: SceneSpec<Source>, isSoft: boolean, content: readonly ContentItem[]): SceneInput {
  const { id, template, duration, fit, shorten } = scene;
  // A scene without any transition has a cut, not the video's default.
  const transition = isSoft ? undefined : (scene.transition ?? { type: 'cut' });
  return { id, template, content, ...defined({ duration, fit, shorten, transition }) };
}

/** Returns the tracks that decide the length of a scene. Sounds and clips of the template do not. */
function contentOf(tracks: ReadonlyMap<string, SpecSound<Source>>, soundLength: SoundLengths): ContentItem[] {
  return [...tracks].map(([name, { source, transform }]): ContentItem => {
    const length = soundLength(locationOf(source));
    const { start, loop, overrun, trim_start_time = 0 } = transform;
    const item = { name, ...defined({ start, loop, overrun }) };
    if (length === null) return { ...item, samples: null };
    const skipped = framesOf(trim_start_time, rational(length.rate)) ?? 0;
    return { ...item, samples: Math.max(0, length.samples - skipped), rate: length.rate };
  });
}
