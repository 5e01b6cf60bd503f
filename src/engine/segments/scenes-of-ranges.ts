import type { InputScene, ScenesInput } from '../../template/render-input.ts';
import type { FrameRange } from '../frame-rate.ts';
import type { AnyRenderInput } from '../packed-input.ts';
import { sceneSpans } from '../scenes/scene-spans.ts';

/**
 * Removes the documents of the scenes that some ranges of a video do not show, so that a task takes no more memory in a long video.
 * The segments and stills of these ranges stay the same. Other scenes get a document that is there anyway, because each scene has
 * one.
 *
 * @param ranges not empty
 */
export function withScenesOf<Input extends AnyRenderInput>(video: Input, ranges: readonly FrameRange[]): Input {
  if (!('scenes' in video)) return video;
  // Whether the documents are packed does not matter here.
  const { scenes, ...file } = video as ScenesInput;
  const shown = new Set<number>();
  for (const { first, end, scene, neighbour } of sceneSpans(file)) {
    if (ranges.some((range) => range.first < end && first < range.end)) shown.add(scene).add(scene + neighbour);
  }
  const [kept] = shown;
  const { animation, fonts, images, clips } = scenes[kept!]!;
  const document = { animation, fonts, images, clips };
  const restricted = scenes.map((scene, at): InputScene => (shown.has(at) ? scene : { ...scene, ...document }));
  return { ...video, scenes: restricted };
}
