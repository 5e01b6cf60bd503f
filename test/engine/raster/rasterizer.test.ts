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

  it('draws the same whether other inputs are open or closed', async () => {
    const closed = await openRasterizer(red);
    closed.close();
    closed.close();
    const [shown, another] = [await openRasterizer(red), await openRasterizer(empty)];
    const before = Buffer.from(shown.draw(0));
    const png = await shown.encodePng();
    expect(another.draw(0).every((byte) => byte === 0)).toBe(true);
    another.drawPart(1, BOX);
    another.close();
    expect(Buffer.from(shown.draw(0)).equals(before)).toBe(true);
    expect(Buffer.from(await shown.encodePng()).equals(png)).toBe(true);
    shown.close();
  });

  it('returns pictures that later frames do not change', async () => {
    const opaque = { ...red, output: { ...red.output, format: 'mp4' as const } };
    for (const [shown, hidden] of [
      [red, empty],
      [opaque, { ...empty, output: opaque.output }],
    ] as const) {
      const [first, second] = [await openRasterizer(shown), await openRasterizer(hidden)];
      const [whole, part] = [first.draw(0), first.drawPart(0, BOX)];
      const before = [Buffer.from(whole), Buffer.from(part)];
      second.draw(0);
      second.drawPart(0, BOX);
      expect(before[0]!.equals(whole) && before[1]!.equals(part)).toBe(true);
      first.close();
      second.close();
    }
  });
});
