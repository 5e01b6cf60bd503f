import { setImmediate } from 'node:timers/promises';
import type { FrameRange } from '../../src/engine/frame-rate.ts';
import { freeBuffers } from '../../src/engine/free-buffers.ts';
import { openRasterizer } from '../../src/engine/raster/rasterizer.ts';
import type { DrawnInput } from '../../src/engine/scenes/drawn-input.ts';
import { segmentKey } from '../../src/engine/segments/segment.ts';
import { inputCutter } from '../../src/engine/segments/segment-input.ts';
import type { RenderInput } from '../../src/template/render-input.ts';

/** Draws the frames of a range of an input with the rasteriser. */
export async function drawFrames(
  renderInput: DrawnInput,
  { first, end }: FrameRange,
  step = 1,
): Promise<Map<number, Buffer>> {
  const rasterizer = await openRasterizer(renderInput);
  const frames = new Map<number, Buffer>();
  for (let frame = first; frame < end; frame += step) {
    await rasterizer.prepare(frame);
    frames.set(frame, Buffer.from(rasterizer.draw(frame)));
  }
  rasterizer.close();
  // Thousands of inputs are drawn in a row.
  freeBuffers();
  await setImmediate();
  return frames;
}

/** Returns the frames of a range that differ between two inputs. */
export async function differingFrames(
  one: RenderInput,
  other: RenderInput,
  range: FrameRange,
  step = 1,
): Promise<number[]> {
  const [frames, others] = [await drawFrames(one, range, step), await drawFrames(other, range, step)];
  return [...frames].flatMap(([frame, picture]) => (picture.equals(others.get(frame)!) ? [] : [frame]));
}

/** Returns the cache key of each range of an input. */
export function segmentKeys(renderInput: RenderInput, ranges: readonly FrameRange[]): (string | null)[] {
  const cut = inputCutter(renderInput);
  return ranges.map((range) => segmentKey(cut([range]), range, 'test'));
}
