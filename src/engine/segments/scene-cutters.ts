import type { InputCaptions, ScenesInput } from '../../template/render-input.ts';
import { captionsOfRange, withCaptions } from '../captions/captions-of-range.ts';
import type { FrameRange } from '../frame-rate.ts';
import { pixelsOf } from '../pixel-format.ts';
import type { ComposedInput, DrawnInput, ShownScene } from '../scenes/drawn-input.ts';
import type { SceneSpan } from '../scenes/scene-spans.ts';
import { type PlacedScene, type SceneLayout, sceneLayout } from './scene-layout.ts';
import { documentCutter, inputCutter, stillsIn } from './segment-input.ts';

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
    layout: sceneLayout(video),
    cutterOf: onceForEach((scene) => documentCutter(video.scenes[scene]!)),
  };
  return cutVideo.layout.spans.map((span) => {
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
  readonly layout: SceneLayout;
  /** By index of the scene. */
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
  { video: { scenes, timeline, output }, layout }: CutVideo,
  { scene, neighbour }: SceneSpan,
  hasCaptions: boolean,
): boolean {
  if (neighbour !== 0) return false;
  const { animation, fit, background } = scenes[scene]!;
  const hasShape = animation.w * timeline.height === animation.h * timeline.width;
  const isCovered = hasShape || (fit === 'cover' && !hasCaptions);
  const isBlack = background === null || /^#0{6}$/.test(background) || isTransparent(output);
  return isCovered && isBlack && layout.isNatural(scene);
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
  const { video, layout } = cutVideo;
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
    step: layout.step,
    ranges,
    scenes: layout.place(span, ranges).map((placed) => shownScene(cutVideo, placed)),
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

/** Returns a scene restricted to the ranges. */
function shownScene(
  { video, cutterOf }: CutVideo,
  { scene, neighbour, times, shown, sinceStart, transition }: PlacedScene,
): ShownScene {
  const { fit, background, transition: style } = video.scenes[scene]!;
  const { animation, fonts, images, clips } = cutterOf(scene)(times);
  const { frame, map } = clips.length > 0 ? sinceStart : shown;
  return {
    animation,
    fonts,
    images,
    clips,
    fit,
    background: isTransparent(video.output) ? null : background,
    transition: transition && { from: transition.from, frames: transition.frames, ...style! },
    neighbour,
    frame,
    map,
  };
}
