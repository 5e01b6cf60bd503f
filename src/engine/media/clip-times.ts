import { frameRateOf } from '../../contract/timeline/frame-rate.ts';
import { TRANSFORM_DEFAULTS } from '../../contract/wire/defaults.ts';
import { isRecord } from '../../kernel/json.ts';
import { LAYER_TYPE, type LottieNode, numberOr, precompositions } from '../../template/lottie/lottie-layers.ts';
import { timeWithin } from '../../template/lottie/visibility/layer-spans.ts';
import type { InputClip, LottieDocument, RenderInput } from '../../template/render-input.ts';
import { animationFramesPerFrame } from '../frame-rate.ts';

/** Timing of a clip. */
export interface ClipTimes {
  /** Returns the times of the asset, in frames, at a frame of the video: a time for each layer that shows the asset. */
  readonly timesAt: (frame: number) => number[];
  /** Converts a time of the asset to seconds from the first picture of the clip. */
  readonly secondsOf: (time: number) => number;
  readonly trimSeconds: number;
}

/** Returns when an input shows a clip, and which pictures of it. @param animation original or composed */
export function clipTimes(clip: InputClip, renderInput: RenderInput, animation: LottieDocument): ClipTimes {
  const showings = assetShowings(animation, new Set([clip.assetId]));
  const animationRate = frameRateOf(animation.fr);
  const framesPerFrame = animationFramesPerFrame(renderInput);
  const { trim_strategy, trim_start_time = TRANSFORM_DEFAULTS.video.trim_start_time } = clip.transform;
  const trimSeconds = trim_strategy === 'none' ? 0 : trim_start_time;
  return {
    timesAt: (frame) =>
      showings.flatMap((showing) => assetFrame(showing, animation.ip + frame * framesPerFrame, animation.fr) ?? []),
    secondsOf: (time) => trimSeconds + (Math.max(0, time) * animationRate.denominator) / animationRate.numerator,
    trimSeconds,
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
