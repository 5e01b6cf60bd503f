import type { RenderInput, Still } from '../../template/render-input.ts';
import { freeBuffers } from '../free-buffers.ts';
import { openRasterizer, type Rasterizer } from '../raster/rasterizer.ts';

/** A still of an input, rendered without its video. */
export interface StillImage {
  readonly name: string;
  /** Lossless PNG. */
  readonly bytes: Uint8Array;
}

/**
 * Draws the stills of a checked input on the calling thread.
 *
 * @param onStill called after each still
 * @returns in the input's order
 * @throws RenderError as `openRasterizer`
 */
export async function drawStills(renderInput: RenderInput, onStill: () => void): Promise<StillImage[]> {
  const stills: StillImage[] = [];
  await forEachStill(renderInput, async ({ name }, _data, rasterizer) => {
    stills.push({ name, bytes: await rasterizer.encodePng() });
    onStill();
  });
  return stills;
}

/**
 * Draws each still of a checked input on the calling thread.
 *
 * @param take receives the pixels (RGBA, straight alpha), and may encode the picture before it returns
 * @throws RenderError as `openRasterizer`
 */
export async function forEachStill(
  renderInput: RenderInput,
  take: (still: Still, data: Uint8Array, rasterizer: Rasterizer) => Promise<void>,
): Promise<void> {
  const rasterizer = await openRasterizer(renderInput);
  try {
    for (const still of renderInput.stills) {
      await rasterizer.prepare(still.frame);
      await take(still, rasterizer.draw(still.frame), rasterizer);
      // The memory of the last few stills is released with their input.
      freeBuffers();
    }
  } finally {
    rasterizer.close();
  }
}
