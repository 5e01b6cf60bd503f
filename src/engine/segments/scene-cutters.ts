import { frameRateOf } from '../../contract/timeline/frame-rate.ts';
import {
  add,
  ceiling,
  compare,
  divide,
  multiply,
  ONE,
  type Rational,
  rational,
  rationalJson,
  rationalRate,
  subtract,
  toNumber,
  ZERO,
} from '../../contract/timeline/rational.ts';
import { isNatural, type TimeMap, templateTimeAt, timeMapFrom, timeMapJson } from '../../contract/timeline/time-map.ts';
import type { InputCaptions, InputDocument, InputScene, ScenesInput } from '../../template/render-input.ts';
import { captionsOfRange, withCaptions } from '../captions/captions-of-range.ts';
import type { FrameRange } from '../frame-rate.ts';
import { pixelsOf } from '../pixel-format.ts';
import type { ComposedInput, DrawnInput, DrawnTransition, ShownScene } from '../scenes/drawn-input.ts';
import { sceneTimes } from '../scenes/scene-clock.ts';
import { type SceneSpan, sceneSpans, sceneStarts, timelineStep } from '../scenes/scene-spans.ts';
import { documentCutter, inputCutter, stillsIn } from './segment-input.ts';
import type { Times } from './shown-layers.ts';

/** Consecutive frames of a video that can be drawn from the same input. */
export interface DrawnSpan extends FrameRange {
  /** Frame of the video that is frame 0 of the input. */
  readonly offset: number;
  /** Index of the scene; null for a video of one template at its own times. */
  readonly scene: number | null;
  /** Ids of the scenes that the input shows; none for a video of one template. */
  readonly names: readonly string[];
  /** Restricts the input to some ranges of the video within the span. Frames do not depend on the ranges. */
  cut(ranges: readonly FrameRange[]): DrawnInput;
}

/**
 * Returns the spans of a video of several scenes. A scene that shows its template unchanged is drawn from the template's own input, as
 * in a video of that template alone. All other spans are drawn from scenes in one picture.
 */
export function spanCutters(video: ScenesInput): DrawnSpan[] {
  const cutVideo: CutVideo = {
    video,
    step: timelineStep(video),
    starts: sceneStarts(video),
    mapOf: onceForEach((scene) => timeMapFrom(video.scenes[scene]!.map)),
    cutterOf: onceForEach((scene) => documentCutter(video.scenes[scene]!)),
  };
  return sceneSpans(video).map((span) => {
    let cut: DrawnSpan['cut'] | undefined;
    const { first, end, offset, scene, neighbour } = span;
    const shown = neighbour === 0 ? [scene] : [scene, scene + neighbour].sort((a, b) => a - b);
    return {
      first,
      end,
      offset,
      scene,
      names: shown.map((index) => video.timeline.scenes[index]!.id),
      cut(ranges) {
        const { start } = video.timeline.scenes[scene]!;
        const captionsOf = (shownRanges: readonly FrameRange[]): InputCaptions | undefined =>
          captionsOfRange(video.captions, { ranges: relative(shownRanges, offset), start, fps: video.fps });
        cut ??= isUnchanged(cutVideo, span, captionsOf([span]) !== undefined)
          ? ownCutter(cutVideo, span)
          : composedCutter(cutVideo, span);
        const input = cut(ranges);
        if (video.captions === undefined) return input;
        // All frames of a transition are drawn from the same input.
        return withCaptions(input, captionsOf(neighbour === 0 ? ranges : [span]));
      },
    };
  });
}

/** A video, and what all of its spans need of it. */
interface CutVideo {
  readonly video: ScenesInput;
  /** Frames of the timeline for each frame of the file. */
  readonly step: Rational;
  /** See `sceneStarts`. */
  readonly starts: readonly number[];
  /** By index of the scene. */
  mapOf(scene: number): TimeMap;
  cutterOf(scene: number): ReturnType<typeof documentCutter>;
}

/** Returns a function that computes the value of each scene once, when it is first needed. */
function onceForEach<T>(compute: (scene: number) => T): (scene: number) => T {
  const values = new Map<number, T>();
  return (scene) => {
    const value = values.get(scene) ?? compute(scene);
    values.set(scene, value);
    return value;
  };
}

/**
 * Returns whether frames of a scene equal those of its template alone.
 *
 * @param hasCaptions whether captions are shown above it, which fill the frame of the video, not that of the template
 */
function isUnchanged(
  { video: { scenes, timeline, output }, mapOf }: CutVideo,
  { scene, neighbour }: SceneSpan,
  hasCaptions: boolean,
): boolean {
  if (neighbour !== 0) return false;
  const { animation, fit, background } = scenes[scene]!;
  const speed = divide(rationalRate(frameRateOf(animation.fr)), rationalRate(timeline.rate));
  const hasShape = animation.w * timeline.height === animation.h * timeline.width;
  const isCovered = hasShape || (fit === 'cover' && !hasCaptions);
  const isBlack = background === null || /^#0{6}$/.test(background) || isTransparent(output);
  return isNatural(mapOf(scene), speed) && isCovered && isBlack;
}

function isTransparent(output: ScenesInput['output']): boolean {
  return pixelsOf(output) === 'rgba';
}

function ownCutter({ video, cutterOf }: CutVideo, { scene, end, offset }: SceneSpan): DrawnSpan['cut'] {
  const { animation, fonts, images, clips } = video.scenes[scene]!;
  const { output, width, height, fps } = video;
  const frameCount = end - offset;
  const stills = shifted(video, offset);
  const own = { animation, fonts, images, clips, output, width, height, fps, frameCount, sounds: [], stills };
  const cut = inputCutter(own, cutterOf(scene));
  return (ranges) => cut(relative(ranges, offset));
}

function composedCutter(cutVideo: CutVideo, span: SceneSpan): DrawnSpan['cut'] {
  const { video, step } = cutVideo;
  const { width, height, fps, timeline } = video;
  const { offset, neighbour } = span;
  const output = { ...video.output, fingerprint: null };
  const canvas = { width: timeline.width, height: timeline.height };
  const compose = (ranges: readonly FrameRange[]): ComposedInput => ({
    output,
    width,
    height,
    fps,
    frameCount: ranges.at(-1)!.end,
    stills: stillsIn(shifted(video, offset), ranges),
    canvas,
    step: rationalJson(step),
    ranges,
    scenes: shownScenes({ cutVideo, span, ranges }),
  });
  if (neighbour === 0) return (ranges) => compose(relative(ranges, offset));
  // How the rasteriser rounds a scene that fades depends on all of its layers, so that all frames of a transition share them.
  let whole: DrawnInput | undefined;
  return () => (whole ??= compose(relative([span], offset)));
}

function relative(ranges: readonly FrameRange[], offset: number): FrameRange[] {
  return ranges.map(({ first, end }) => ({ first: first - offset, end: end - offset }));
}

function shifted({ stills }: ScenesInput, offset: number): { name: string; frame: number }[] {
  return stills.map(({ name, frame }) => ({ name, frame: frame - offset }));
}

interface CutContext {
  readonly cutVideo: CutVideo;
  readonly span: SceneSpan;
  /** Frames from the offset of the span. */
  readonly ranges: readonly FrameRange[];
}

function shownScenes(context: CutContext): ShownScene[] {
  const { scene, neighbour } = context.span;
  const map = context.cutVideo.mapOf(scene);
  switch (neighbour) {
    case 0:
      return [shownScene(context, 0, { map, frame: 0, transition: null })];
    case -1:
      return [
        shownScene(context, -1, { ...leftScene(context, scene - 1), transition: null }),
        shownScene(context, 0, { map, frame: 0, transition: drawnTransition(context, scene) }),
      ];
    case 1:
      return [
        shownScene(context, 0, { map, frame: 0, transition: null }),
        shownScene(context, 1, {
          ...awaitedScene(context, scene + 1),
          transition: drawnTransition(context, scene + 1),
        }),
      ];
  }
}

interface Placement extends Pick<ShownScene, 'frame' | 'transition'> {
  readonly map: TimeMap;
}

/** Returns a scene that stays on its last frame. Its clips go on. */
function leftScene({ cutVideo, span }: CutContext, scene: number): Omit<Placement, 'transition'> {
  const { video, step, starts, mapOf } = cutVideo;
  const { length } = video.timeline.scenes[scene]!;
  const map = mapOf(scene);
  const frame = span.offset - starts[scene]!;
  // Of a scene whose length is no whole number of frames, the last frame may end later than the scene.
  const shown = multiply(rational(frame), step);
  const end = compare(shown, rational(length)) < 0 ? shown : rational(length);
  const held = { from: end, to: add(end, ONE), at: templateTimeAt(map, rational(length - 1)), speed: ZERO };
  return { map: [...clipped(map, ZERO, end), held], frame };
}

/** Returns a scene that stays on its first frame, with its clips. */
function awaitedScene({ cutVideo, span }: CutContext, scene: number): Omit<Placement, 'transition'> {
  const { starts, mapOf } = cutVideo;
  const at = templateTimeAt(mapOf(scene), ZERO);
  return { map: [{ from: ZERO, to: ONE, at, speed: ZERO }], frame: span.offset - starts[scene]! };
}

function drawnTransition({ cutVideo, span }: CutContext, scene: number): DrawnTransition {
  const { video, step } = cutVideo;
  const times = video.timeline.scenes[scene]!.transition!;
  const { start } = video.timeline.scenes[span.scene]!;
  const framesOf = (frames: number): number => toNumber(divide(rational(frames), step));
  return { ...video.scenes[scene]!.transition!, from: framesOf(times.from - start), frames: framesOf(times.frames) };
}

/** Restricts a scene to the ranges. */
function shownScene(
  { cutVideo, span, ranges }: CutContext,
  neighbour: ShownScene['neighbour'],
  { map, frame, transition }: Placement,
): ShownScene {
  const { video, step, cutterOf } = cutVideo;
  const index = span.scene + neighbour;
  const { animation, fit, background } = video.scenes[index] as InputScene;
  const timeAt = sceneTimes({ map, frame, animation, step });
  const frames = ranges.flatMap((range) => edgesOf(range, map, { frame, step }));
  const times = frames.map((at) => animation.ip + timeAt(at));
  const document: InputDocument = cutterOf(index)(intervalsOf(times));
  const timeOf = (at: number): Rational => multiply(rational(Math.max(0, frame + at)), step);
  // A scene that is awaited shows its first frame at all times.
  const [from, to] = [timeOf(ranges[0]!.first), add(timeOf(ranges.at(-1)!.end - 1), step)];
  const hasClips = document.clips.length > 0;
  const shownMap = clipped(map, hasClips ? ZERO : from, to);
  // A scene that stands still looks the same wherever it is in its own time.
  const [only, second] = shownMap;
  const isStill = !hasClips && second === undefined && compare(only!.speed, ZERO) === 0;
  return {
    animation: document.animation,
    fonts: document.fonts,
    images: document.images,
    clips: document.clips,
    fit,
    background: isTransparent(video.output) ? null : background,
    transition,
    neighbour,
    frame: isStill ? 0 : frame,
    map: timeMapJson(isStill ? [{ from: ZERO, to: ONE, at: only!.at, speed: ZERO }] : shownMap),
  };
}

/**
 * Returns the frames of a range at which the time of a template may begin or stop to pass evenly, and the last frame before each: the
 * times of all other frames lie between theirs.
 *
 * @param scene its frame at frame 0, and the frames of the timeline for each frame
 */
function edgesOf({ first, end }: FrameRange, map: TimeMap, scene: { frame: number; step: Rational }): number[] {
  const edges = [first];
  const append = (frame: number): void => {
    if (frame > edges.at(-1)! && frame < end) edges.push(frame);
  };
  for (const { to } of map) {
    const bound = ceiling(divide(to, scene.step)) - scene.frame;
    append(bound - 1);
    append(bound);
  }
  append(end - 1);
  return edges;
}

/** Layers that are shown a little later than at a whole frame, see `timeRemap`. */
const LATER = 1 / 64;

/** Returns the intervals of the template's time that some frames show. */
function intervalsOf(times: readonly number[]): Times[] {
  const intervals: { from: number; to: number }[] = [];
  for (const time of times) {
    const last = intervals.at(-1);
    if (last !== undefined && time + LATER >= last.to) last.to = time + LATER;
    else intervals.push({ from: time, to: time + LATER });
  }
  return intervals;
}

/** Returns the part of a map from a time up to another; of a map that has ended, its last speed. */
function clipped(map: TimeMap, from: Rational, to: Rational): TimeMap {
  const last = map.at(-1)!;
  return map.flatMap((piece) => {
    const start = compare(piece.from, from) < 0 ? from : piece.from;
    const end = piece !== last && compare(piece.to, to) < 0 ? piece.to : to;
    if (compare(start, end) >= 0) return [];
    return [{ ...piece, from: start, to: end, at: add(piece.at, multiply(subtract(start, piece.from), piece.speed)) }];
  });
}
