import { describe, expect, it } from 'vitest';
import { checkInput } from '../../../src/engine/check-input.ts';
import { isComposed } from '../../../src/engine/scenes/drawn-input.ts';
import { drawnSpans, wholeDrawings } from '../../../src/engine/segments/drawings.ts';
import type { VideoInput } from '../../../src/template/render-input.ts';
import { sceneVideo } from '../../support/scene-videos.ts';
import { drawFrames } from '../../support/segment-frames.ts';
import { movingInput } from '../inputs.ts';

/** Draws all frames of a video. */
async function drawVideo(video: VideoInput): Promise<Buffer[]> {
  checkInput(video);
  const frames: Buffer[] = [];
  for (const { renderInput, ranges, span } of wholeDrawings(video)) {
    const [range] = ranges;
    const drawn = await drawFrames(renderInput, { first: range!.first - span.offset, end: range!.end - span.offset });
    frames.push(...drawn.values());
  }
  return frames;
}

describe('a video of several scenes', () => {
  it('shows scenes that are not retimed as their templates do', async () => {
    const [first, second] = [movingInput({ fps: 10 }), movingInput({ fps: 10, frameCount: 8 })];
    const video = sceneVideo([
      { id: 'a', of: first },
      { id: 'b', of: second },
    ]);
    const frames = await drawVideo(video);
    expect(frames).toHaveLength(20);
    const alone = [...(await drawVideo(first)), ...(await drawVideo(second))];
    expect(frames.map((frame, at) => frame.equals(alone[at]!))).toEqual(frames.map(() => true));
    expect(wholeDrawings(video).map(({ renderInput }) => isComposed(renderInput))).toEqual([false, false]);
  });

  it('draws transitions and held frames', async () => {
    const [first, second] = [movingInput({ fps: 10 }), movingInput({ fps: 10 })];
    const video = sceneVideo([
      { id: 'a', of: first, duration: 2 },
      { id: 'b', of: second, transition: { type: 'push', duration: 0.4 } },
    ]);
    expect(drawnSpans(video).map(({ first: from, end }) => [from, end])).toEqual([
      [0, 20],
      [20, 24],
      [24, 32],
    ]);
    const frames = await drawVideo(video);
    const alone = await drawVideo(first);
    // Held at its last frame.
    expect(frames.slice(12, 20).map((frame) => frame.equals(frames[11]!))).toEqual(Array(8).fill(true));
    expect(frames.slice(24).map((frame, at) => frame.equals(alone[4 + at]!))).toEqual(Array(8).fill(true));
    expect(frames[20]!.equals(frames[19]!)).toBe(true);
  });
});
