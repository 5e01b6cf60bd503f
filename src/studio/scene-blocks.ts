import { frameRateOf } from '../contract/timeline/frame-rate.ts';
import { divide, rational, rationalRate, toNumber } from '../contract/timeline/rational.ts';
import { outputFrameOf } from '../contract/timeline/resolve-timeline.ts';
import type { Timeline } from '../contract/timeline/timeline.ts';
import type { MapNode } from '../kernel/yaml/tree.ts';
import type { Video } from '../reconciler/definition/video.ts';
import { lengthWords } from '../report/wording/scene-words.ts';
import { writtenScene } from './form-fields.ts';
import type { PictureMeasures } from './protocol.ts';
import type { SceneBlock, WrittenScene } from './timeline-protocol.ts';

/**
 * Returns the scenes of a video as blocks of a timeline.
 *
 * @param picture whose frames the page shows
 * @param tree of the definition
 */
export function sceneBlocks(
  { scenes }: Pick<Video, 'scenes'>,
  timeline: Timeline,
  { fps, frameCount }: PictureMeasures,
  tree: MapNode | null,
): SceneBlock[] {
  const frameOf = (frame: number): number =>
    Math.min(frameCount, outputFrameOf(frame, timeline.rate, frameRateOf(fps)));
  const secondsOf = (frames: number): number => toNumber(divide(rational(frames), rationalRate(timeline.rate)));
  return timeline.scenes.map((placed, index): SceneBlock => {
    const { id, start, length, transition, why } = placed;
    const { template, duration } = scenes[index]!;
    return {
      id,
      template,
      first: frameOf(start),
      end: frameOf(start + length),
      seconds: secondsOf(length),
      duration: duration === undefined ? null : typeof duration === 'object' ? 'content' : String(duration),
      why: lengthWords(why, timeline),
      transition: transition && {
        type: transition.type,
        first: frameOf(transition.from),
        end: frameOf(transition.from + transition.frames),
      },
      written: writtenOf(id, tree),
    };
  });
}

/** Scenes of a fragment have no place in the list of the definition. */
function writtenOf(id: string, tree: MapNode | null): WrittenScene | null {
  const written = writtenScene(id, tree);
  if (written === null || written.node.span.file !== tree?.span.file) return null;
  return { index: written.index, isEach: written.isEach };
}
