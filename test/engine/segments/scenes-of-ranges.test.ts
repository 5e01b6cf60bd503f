import { describe, expect, it } from 'vitest';
import { withScenesOf } from '../../../src/engine/segments/scenes-of-ranges.ts';
import { segmentRanges } from '../../../src/engine/segments/segment.ts';
import { renderSegments } from '../../support/in-memory.ts';
import { sceneVideo } from '../../support/scene-videos.ts';
import { movingInput } from '../inputs.ts';

describe('withScenesOf()', () => {
  const of = () => movingInput({ fps: 10, frameCount: 25 });
  const video = sceneVideo([
    { id: 'a', of: of() },
    { id: 'b', of: of(), transition: { type: 'push', duration: 0.4 } },
    { id: 'c', of: of() },
    { id: 'd', of: of(), transition: { type: 'fade', duration: 1 } },
  ]);

  it('keeps the bytes of segments, and the documents of the scenes that they show', async () => {
    const kept: number[][] = [];
    for (const range of segmentRanges(video)) {
      const restricted = withScenesOf(video, [range]);
      expect(await renderSegments(restricted, [range])).toEqual(await renderSegments(video, [range]));
      kept.push(
        video.scenes.flatMap(({ animation }, at) => (restricted.scenes[at]!.animation === animation ? [at] : [])),
      );
    }
    expect(kept).toEqual([[0], [0], [0, 1], [1], [2], [2], [2, 3], [3], [3]]);
  });

  it('keeps a video of one template', () => {
    const alone = of();
    expect(withScenesOf(alone, [{ first: 0, end: 1 }])).toBe(alone);
  });
});
