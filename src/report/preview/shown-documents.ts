import { rational, toNumber } from '../../contract/timeline/rational.ts';
import { templateTimeAt, timeMapFrom } from '../../contract/timeline/time-map.ts';
import { sceneSpans, timelineStep } from '../../engine/scenes/scene-spans.ts';
import { defined } from '../../kernel/defined.ts';
import { inputName } from '../../reconciler/lock/input-names.ts';
import { changesOf, type LayerSpan } from '../../template/lottie/visibility/layer-spans.ts';
import type { LottieDocument, RenderInput, ScenesInput, VideoInput } from '../../template/render-input.ts';

/** A document of a video, and the frames that show it. */
export interface ShownDocument {
  readonly animation: LottieDocument;
  /** Id of the scene in a video of several; undefined otherwise. */
  readonly scene: string | undefined;
  /** Frames of the video that show the document, without those that a transition covers if there are others. */
  readonly frames: { readonly first: number; readonly end: number };
  /** Returns the frame of the animation, counted from its first, that a frame of the video shows. */
  timeAt(frame: number): number;
  /** Returns frames of the video at which layers may be most visible. */
  candidates(spans: readonly LayerSpan[]): number[];
  /** Returns the name of an editable in plans. */
  nameOf(editable: string): string;
}

/** Returns the documents of a video in order. Leaves out scenes that no frame shows. */
export function shownDocuments(video: VideoInput): ShownDocument[] {
  return 'scenes' in video ? scenesOf(video) : [templateOf(video)];
}

function templateOf({ animation, fps, frameCount }: RenderInput): ShownDocument {
  return {
    animation,
    scene: undefined,
    frames: { first: 0, end: frameCount },
    timeAt: (frame) => frame * (animation.fr / fps),
    candidates: (spans) =>
      spans
        .flatMap(middles)
        .map((frame) => Math.floor((frame * fps) / animation.fr))
        .filter((frame) => frame >= 0 && frame < frameCount),
    nameOf: (editable) => editable,
  };
}

/** Returns frames of the animation midway between the times at which a layer's visibility may change. */
function middles(span: LayerSpan): number[] {
  const changes = [...new Set(changesOf(span))].sort((a, b) => a - b);
  return changes.slice(1).map((to, index) => (changes[index]! + to) / 2);
}

function scenesOf(video: ScenesInput): ShownDocument[] {
  const spans = sceneSpans(video);
  const step = toNumber(timelineStep(video));
  const isOnly = video.scenes.length === 1;
  return video.scenes.flatMap(({ animation, map: json }, index): ShownDocument[] => {
    const own = spans.filter(({ scene }) => scene === index);
    const alone = own.filter(({ neighbour }) => neighbour === 0);
    const shown = alone.length > 0 ? alone : own;
    const [first] = shown;
    if (first === undefined) return [];
    const map = timeMapFrom(json);
    const scene = isOnly ? undefined : video.timeline.scenes[index]!.id;
    const frames = { first: first.first, end: shown.at(-1)!.end };
    const timeAt = (frame: number): number =>
      toNumber(templateTimeAt(map, rational(Math.floor((frame - first.offset) * step))));
    return [
      {
        animation,
        scene,
        frames,
        timeAt,
        candidates: (layers) => framesNear(layers.flatMap(middles), frames, timeAt, animation.fr / video.fps),
        nameOf: (editable) => inputName({ kind: 'editable', name: editable, ...defined({ scene }) }),
      },
    ];
  });
}

/**
 * Returns the first frame that comes nearest to each time of an animation. Times that no frame comes near are left out: the scene
 * does not show them.
 */
function framesNear(
  times: readonly number[],
  { first, end }: ShownDocument['frames'],
  timeAt: (frame: number) => number,
  pace: number,
): number[] {
  if (times.length === 0) return [];
  const shown = Array.from({ length: end - first }, (_, at) => timeAt(first + at));
  return times.flatMap((time) => {
    const distances = shown.map((at) => Math.abs(at - time));
    const least = Math.min(...distances);
    return least > Math.max(1, pace) ? [] : [first + distances.indexOf(least)];
  });
}
