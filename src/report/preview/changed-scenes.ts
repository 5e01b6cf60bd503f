import { rationalRate, toNumber } from '../../contract/timeline/rational.ts';
import { type TimeMap, timeMapFrom } from '../../contract/timeline/time-map.ts';
import { sceneAt, sceneStarts, timelineStep } from '../../engine/scenes/scene-spans.ts';
import { movedIds } from '../../reconciler/plan/compare-scenes.ts';
import type { InputScene, ScenesInput, VideoInput } from '../../template/render-input.ts';
import { documentKey } from './input-keys.ts';
import type { SceneChange } from './plan-preview.ts';
import { shownDocuments } from './shown-documents.ts';

/** A frame that shows how a scene changed. */
export interface ChangedFrame {
  /** Frame of the later video. */
  readonly frame: number;
  /** Time of the earlier video that it is compared with; null for none. */
  readonly beforeSeconds: number | null;
  /** Id of the scene; absent if the frame shows a transition. */
  readonly scene?: string;
  readonly change?: SceneChange;
}

/** Two versions of a video, compared by the ids of their scenes. */
export interface InputComparison {
  /** In the order of the later video, then removed scenes. */
  readonly changed: readonly ChangedFrame[];
  /**
   * Returns the time in seconds at which the earlier video shows what a frame of the later one shows: the same moment of the same
   * scene. Null in a new scene; the same time for videos of one template, and in scenes that have moved.
   */
  beforeAt(frame: number): number | null;
}

/** Compares the scenes of two versions of a video. Scenes that differ only in their length do not count as changed. */
export function compareInputs(before: VideoInput, after: VideoInput): InputComparison {
  if (!('scenes' in before) || !('scenes' in after)) {
    return { changed: [], beforeAt: (frame) => frame / after.fps };
  }
  const ids = { before: idsOf(before), after: idsOf(after) };
  const moved = movedIds(ids.before, ids.after);
  const beforeAt = (frame: number): number | null => {
    const index = sceneAt(after, frame)!;
    const id = ids.after[index]!;
    const earlier = ids.before.indexOf(id);
    if (earlier < 0) return null;
    return moved.has(id) ? frame / after.fps : sameMoment({ before, earlier }, { after, index, frame });
  };
  const shown = shownFrames(after);
  const changed = ids.after.flatMap((id, index): ChangedFrame[] => {
    const earlier = ids.before.indexOf(id);
    const frame = shown[index]!;
    if (earlier < 0) return [{ frame, beforeSeconds: null, scene: id, change: 'added' }];
    if (moved.has(id)) return [{ frame, beforeSeconds: beforeAt(frame), scene: id, change: 'moved' }];
    const [was, is] = [before.scenes[earlier]!, after.scenes[index]!];
    const isSame = sceneKey(was) === sceneKey(is);
    const differs = isSame ? [] : [{ frame, beforeSeconds: beforeAt(frame), scene: id }];
    return [...differs, ...changedTransition({ before, earlier }, { after, index })];
  });
  const removed = shownFrames(before).flatMap((frame, index): ChangedFrame[] => {
    const id = ids.before[index]!;
    if (ids.after.includes(id)) return [];
    const beforeSeconds = frame / before.fps;
    const same = Math.min(after.frameCount - 1, Math.round(beforeSeconds * after.fps));
    return [{ frame: same, beforeSeconds, scene: id, change: 'removed' }];
  });
  return { changed: [...changed, ...removed], beforeAt };
}

/** The only scene of a video corresponds to the only scene of the other. */
function idsOf({ timeline, scenes }: ScenesInput): string[] {
  return scenes.length === 1 ? [''] : timeline.scenes.map(({ id }) => id);
}

function sceneKey({ fit, background, ...document }: InputScene): string {
  return JSON.stringify([documentKey(document), fit, background]);
}

/** Returns a frame of each scene: its first still, or else its middle. */
function shownFrames(video: ScenesInput): number[] {
  const starts = sceneStarts(video);
  const middles = new Map(shownDocuments(video).map(({ scene, frames: { first, end } }) => [scene, (first + end) / 2]));
  return video.timeline.scenes.map(({ id }, index) => {
    const still = video.stills.find(({ name }) => name.startsWith(`${id}.`));
    const middle = middles.get(video.scenes.length === 1 ? undefined : id);
    return still?.frame ?? Math.min(video.frameCount - 1, Math.floor(middle ?? starts[index]!));
  });
}

interface EarlierScene {
  readonly before: ScenesInput;
  /** Index of the scene. */
  readonly earlier: number;
}

interface LaterScene {
  readonly after: ScenesInput;
  /** Index of the scene. */
  readonly index: number;
}

/** Returns the middle of a transition that looks or lasts differently. */
function changedTransition({ before, earlier }: EarlierScene, { after, index }: LaterScene): ChangedFrame[] {
  const keyOf = ({ timeline, scenes }: ScenesInput, at: number): string => {
    const { start, transition } = timeline.scenes[at]!;
    return JSON.stringify(transition && [transition.from - start, transition.frames, scenes[at]!.transition]);
  };
  if (keyOf(before, earlier) === keyOf(after, index)) return [];
  const [was, is] = [before.timeline.scenes[earlier]!, after.timeline.scenes[index]!];
  const [owner, { start, transition }] = is.transition === null ? [before, was] : [after, is];
  // The first scene has none; what changed is the scene before it.
  if (transition === null) return [];
  const seconds = (transition.from - start + transition.frames / 2) / rateOf(owner);
  const [from, to] = [was.start / rateOf(before) + seconds, is.start / rateOf(after) + seconds];
  const frame = Math.round(to * after.fps);
  return from < 0 || frame < 0 || frame >= after.frameCount ? [] : [{ frame, beforeSeconds: from }];
}

function rateOf({ timeline }: ScenesInput): number {
  return toNumber(rationalRate(timeline.rate));
}

/** Returns the time at which the earlier version of a scene shows the same frame of its template, else the same share of it. */
function sameMoment(
  { before, earlier }: EarlierScene,
  { after, index, frame }: LaterScene & { readonly frame: number },
): number {
  const starts = { before: sceneStarts(before), after: sceneStarts(after) };
  const [first, end] = [starts.before[earlier]!, starts.before[earlier + 1]!];
  const [was, is] = [before.scenes[earlier]!, after.scenes[index]!];
  const passed = frame - starts.after[index]!;
  const within = (shown: number): number => Math.min(Math.max(first, end - 1), first + Math.max(0, shown)) / before.fps;
  if (JSON.stringify(was.map) === JSON.stringify(is.map)) return within((passed / after.fps) * before.fps);
  const at = timeAt(timeMapFrom(is.map), passed * toNumber(timelineStep(after)));
  const time = timeOf(timeMapFrom(was.map), at);
  if (time !== null) return within(time / toNumber(timelineStep(before)));
  const length = starts.after[index + 1]! - starts.after[index]!;
  return within((passed / length) * (end - first));
}

/** Returns the frame of the template at a time of a scene, in frames of the timeline. */
function timeAt(map: TimeMap, time: number): number {
  const { from, at, speed } = map.find(({ to }) => time < toNumber(to)) ?? map.at(-1)!;
  return toNumber(at) + (time - toNumber(from)) * toNumber(speed);
}

/** Returns the first time of a scene at which it shows a frame of the template; null if it never does. */
function timeOf(map: TimeMap, frame: number): number | null {
  for (const segment of map) {
    const [from, to] = [toNumber(segment.from), toNumber(segment.to)];
    const [at, speed] = [toNumber(segment.at), toNumber(segment.speed)];
    const time = speed === 0 ? (Math.abs(frame - at) < 1 ? from : Number.NaN) : from + (frame - at) / speed;
    if (time >= from && time < to) return time;
  }
  return null;
}
