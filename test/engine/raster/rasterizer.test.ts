import { describe, expect, it } from 'vitest';
import { openRasterizer } from '../../../src/engine/raster/rasterizer.ts';
import type { RenderInput } from '../../../src/template/render-input.ts';
import { inputOf, rectangleLayer } from '../inputs.ts';

const BOX = { left: 4, top: 4, width: 8, height: 8 };

function transparent(layers: Parameters<typeof inputOf>[0]): RenderInput {
  const input = inputOf(layers, { frameCount: 2 });
  return { ...input, output: { ...input.output, format: 'webm' } };
}

const red = transparent([rectangleLayer(1, [0, 0, 400, 400], [1, 0, 0])]);
const empty = transparent([]);

describe('openRasterizer()', () => {
  it('shows nothing of a closed input of the same size', async () => {
    const first = await openRasterizer(red);
    expect(first.draw(0).some((byte) => byte !== 0)).toBe(true);
    first.drawPart(1, BOX);
    first.close();
    const second = await openRasterizer(empty);
    expect(second.drawPart(0, BOX).every((byte) => byte === 0)).toBe(true);
    expect(second.draw(0).every((byte) => byte === 0)).toBe(true);
    second.close();
    const third = await openRasterizer(red);
    const fresh = await openRasterizer(red);
    expect(Buffer.from(third.draw(0)).equals(fresh.draw(0))).toBe(true);
    third.close();
    fresh.close();
  });

  it('keeps the pictures of open inputs apart, also after an input was closed twice', async () => {
    const closed = await openRasterizer(red);
    closed.close();
    closed.close();
    const [shown, another] = [await openRasterizer(red), await openRasterizer(empty)];
    shown.draw(0);
    const before = await shown.encodePng();
    another.draw(0);
    expect(Buffer.from(await shown.encodePng()).equals(before)).toBe(true);
    shown.close();
    another.close();
  });
});
