import { frameRateOf } from '../../contract/timeline/frame-rate.ts';
import { TRANSFORM_DEFAULTS } from '../../contract/wire/defaults.ts';
import { isRecord } from '../../kernel/json.ts';
import { LAYER_TYPE, type LottieNode, numberOr, precompositions } from '../../template/lottie/lottie-layers.ts';
import { timeWithin } from '../../template/lottie/visibility/layer-spans.ts';
import type { InputClip, LottieDocument } from '../../template/render-input.ts';
import type { DocumentClock } from '../scenes/scene-clock.ts';

/** A layer that shows a clip at a frame. */
export interface ClipTime {
  /** Time of the asset, in frames. */
  readonly time: number;
  /** Seconds from the first picture of the clip. */
  readonly seconds: number;
}

/** Timing of a clip. */
export interface ClipTimes {
  /** Returns the times of the clip at a frame of the input: a time for each layer that shows its asset. */
  readonly timesAt: (frame: number) => ClipTime[];
  readonly trimSeconds: number;
  /** The time of the asset decides which picture is shown. */
  readonly isEven: boolean;
}

/**
 * Returns when a document shows a clip, and which pictures of it. Where the document is held, repeated or stretched, a clip keeps its
 * own clock from the first frame that shows it.
 *
 * @param animation original or composed
 */
export function clipTimes(clip: InputClip, clock: DocumentClock, animation: LottieDocument): ClipTimes {
  const showings = assetShowings(animation, new Set([clip.assetId]));
  const animationRate = frameRateOf(animation.fr);
  const { trim_strategy, trim_start_time = TRANSFORM_DEFAULTS.video.trim_start_time } = clip.transform;
  const trimSeconds = trim_strategy === 'none' ? 0 : trim_start_time;
  const secondsOf = (time: number): number =>
    trimSeconds + (Math.max(0, time) * animationRate.denominator) / animationRate.numerator;
  const clipTimeOf = showings.map((showing) => clipClock(showing, clock, animation));
  return {
    timesAt: (frame) =>
      showings.flatMap((showing, at) => {
        const time = assetFrame(showing, animation.ip + clock.timeAt(frame), animation.fr);
        return time === undefined ? [] : [{ time, seconds: secondsOf(clipTimeOf[at]!(frame, time)) }];
      }),
    trimSeconds,
    isEven: clock.isEven,
  };
}

/** @returns the time of the clip at a frame, in frames of its asset; receives the time of the asset */
function clipClock(
  showing: AssetShowing,
  clock: DocumentClock,
  { ip, fr }: LottieDocument,
): (frame: number, time: number) => number {
  if (clock.isEven) return (_frame, time) => time;
  let start: number | undefined;
  return (frame) => {
    const shown = Math.max(clock.first, frame);
    for (let at = clock.first; start === undefined && at <= shown; at++) {
      if (assetFrame(showing, ip + clock.timeAt(at), fr) !== undefined) start = at;
    }
    const from = start ?? shown;
    const passed = Math.max(0, shown - from) * clock.pace;
    return assetTime(showing, ip + clock.timeAt(from) + passed, fr);
  };
}

/** A path of nested layers that ends at a layer that shows an asset. */
interface AssetShowing {
  readonly assetId: string;
  /** Outermost layer first; the last layer shows the asset. */
  readonly layers: readonly LottieNode[];
}

/** Tolerance for the start and end of a layer, in frames, because the rasteriser computes with less precision. */
const TOLERANCE_FRAMES = 0.001;

/** Finds every path of layers that shows any of the assets. Unlike `layerSpans`, supports times below a layer that remaps time. */
function assetShowings(animation: LottieDocument, assetIds: ReadonlySet<string>): AssetShowing[] {
  const compositions = precompositions(animation);
  const showings: AssetShowing[] = [];
  const visit = (layers: readonly LottieNode[], above: readonly LottieNode[]): void => {
    for (const layer of layers) {
      if (layer.hd === true) continue;
      const refId = String(layer.refId);
      if (layer.ty === LAYER_TYPE.image && assetIds.has(refId))
        showings.push({ assetId: refId, layers: [...above, layer] });
      const inside = layer.ty === LAYER_TYPE.precomposition ? compositions.get(refId) : undefined;
      if (inside !== undefined) visit(inside, [...above, layer]);
    }
  };
  visit((animation.layers as unknown[]).filter(isRecord), []);
  return showings;
}

/**
 * Returns the time of an asset at a frame of the animation, in frames; undefined if the asset is not shown.
 *
 * @param frame of the composition, counted like `ip`
 * @see Lottie specification 1.0.1: `ip`, `op` and `st` are times of the composition that contains the layer
 */
function assetFrame({ layers }: AssetShowing, frame: number, framesPerSecond: number): number | undefined {
  let time = frame;
  for (const layer of layers) {
    if (time < numberOr(layer.ip, -Infinity) - TOLERANCE_FRAMES) return undefined;
    if (time >= numberOr(layer.op, Infinity) + TOLERANCE_FRAMES) return undefined;
    time = timeWithin(layer, time, framesPerSecond);
  }
  return time;
}

/** Returns the time of an asset whether or not it is shown. */
function assetTime({ layers }: AssetShowing, frame: number, framesPerSecond: number): number {
  return layers.reduce((time, layer) => timeWithin(layer, time, framesPerSecond), frame);
}
