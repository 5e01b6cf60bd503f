import type { LottieDocument, Scene, SceneClip } from '../../template/scene.ts';
import { TRANSFORM_DEFAULTS } from '../../wire/defaults.ts';
import { animationFramesPerFrame, frameRateOf } from '../frame-rate.ts';
import { assetFrame, assetShowings } from './asset-showings.ts';

/** What a clip shows when. */
export interface ClipTimes {
  /** The asset's own times, in frames, at a frame of the video: one for each layer that shows it. */
  readonly timesAt: (frame: number) => number[];
  /** Seconds of the clip, from its first picture, at one of its own times. */
  readonly secondsOf: (time: number) => number;
  readonly trimSeconds: number;
}

/** When a clip of a scene is shown, and which of its pictures. @param animation of the scene, or what it was made into */
export function clipTimes(clip: SceneClip, scene: Scene, animation: LottieDocument): ClipTimes {
  const showings = assetShowings(animation, new Set([clip.assetId]));
  const own = frameRateOf(animation.fr);
  const framesPerFrame = animationFramesPerFrame(scene);
  const { trim_strategy, trim_start_time = TRANSFORM_DEFAULTS.video.trim_start_time } = clip.transform;
  const trimSeconds = trim_strategy === 'none' ? 0 : trim_start_time;
  return {
    timesAt: (frame) =>
      showings.flatMap((showing) => assetFrame(showing, animation.ip + frame * framesPerFrame, animation.fr) ?? []),
    secondsOf: (time) => trimSeconds + (Math.max(0, time) * own.denominator) / own.numerator,
    trimSeconds,
  };
}
