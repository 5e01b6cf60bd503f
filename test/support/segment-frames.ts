import { setImmediate } from 'node:timers/promises';
import { freeBuffers } from '../../src/engine/free-buffers.ts';
import { openRasterizer } from '../../src/engine/raster/rasterizer.ts';
import { type FrameRange, segmentKey } from '../../src/engine/segments/segment.ts';
import { sceneCutter } from '../../src/engine/segments/segment-scene.ts';
import type { Scene } from '../../src/template/scene.ts';

/** Draws the frames of a range of a scene with the rasteriser. */
export async function drawFrames(scene: Scene, { first, end }: FrameRange, step = 1): Promise<Map<number, Buffer>> {
  const rasterizer = await openRasterizer(scene);
  const frames = new Map<number, Buffer>();
  for (let frame = first; frame < end; frame += step) {
    await rasterizer.prepare(frame);
    frames.set(frame, Buffer.from(rasterizer.draw(frame)));
  }
  rasterizer.close();
  // Thousands of scenes are drawn in a row.
  freeBuffers();
  await setImmediate();
  return frames;
}

/** Returns the frames of a range that differ between two scenes. */
export async function differingFrames(one: Scene, other: Scene, range: FrameRange, step = 1): Promise<number[]> {
  const [frames, others] = [await drawFrames(one, range, step), await drawFrames(other, range, step)];
  return [...frames].flatMap(([frame, picture]) => (picture.equals(others.get(frame)!) ? [] : [frame]));
}

/** Returns the cache key of each range of a scene. */
export function segmentKeys(scene: Scene, ranges: readonly FrameRange[]): (string | null)[] {
  const cut = sceneCutter(scene);
  return ranges.map((range) => segmentKey(cut([range]), range, 'test'));
}
