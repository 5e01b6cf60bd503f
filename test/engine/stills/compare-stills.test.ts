import { describe, expect, test } from 'vitest';
import { packRenderInput } from '../../../src/engine/packed-input.ts';
import { openRasterizer } from '../../../src/engine/raster/rasterizer.ts';
import { compareStills } from '../../../src/engine/stills/compare-stills.ts';
import type { RenderInput } from '../../../src/template/render-input.ts';
import { inputOf, movingInput, rectangleLayer } from '../inputs.ts';
import { pixels } from '../stored-frame.ts';

const STILLS = [
  { name: 'a', frame: 2 },
  { name: 'b', frame: 5 },
];

async function jpegOf(renderInput: RenderInput, frame: number): Promise<Uint8Array> {
  const rasterizer = await openRasterizer(renderInput);
  await rasterizer.prepare(frame);
  rasterizer.draw(frame);
  return rasterizer.encodeJpeg(80);
}

/** A red square of the given side in the corner of a picture of 40 × 40. */
function square(side: number, changes: Partial<RenderInput> = {}): RenderInput {
  const layers = [rectangleLayer(1, [0, 0, side, side], [1, 0, 0])];
  return inputOf(layers, { width: 40, height: 40, stills: [{ name: 'a', frame: 0 }], ...changes });
}

const compare = (before: RenderInput | null, after: RenderInput, jpegQuality: number | null = 80) =>
  compareStills({ before: before && packRenderInput(before), after: packRenderInput(after), jpegQuality });

describe('compareStills()', () => {
  test('returns the rendered frames and the share of pixels that differ', async () => {
    const [still] = await compare(square(20), square(30));
    expect(still!.changedShare).toBeCloseTo((30 * 30 - 20 * 20) / 1600, 9);
    expect(Buffer.from(still!.before!)).toEqual(Buffer.from(await jpegOf(square(20), 0)));
    expect(Buffer.from(still!.after!)).toEqual(Buffer.from(await jpegOf(square(30), 0)));
  });

  test('encodes equal stills once, and none when only shares are requested', async () => {
    const renderInput = movingInput({ stills: STILLS });
    const same = await compare(renderInput, renderInput);
    expect(same.map(({ before, after, changedShare }) => [before === after, changedShare])).toEqual([
      [true, 0],
      [true, 0],
    ]);
    expect(await compare(square(20), square(20), null)).toEqual([{ before: null, after: null, changedShare: 0 }]);
  });

  test('reports no share without a previous still and all pixels for another size', async () => {
    const [alone] = await compare(null, square(20));
    expect(alone).toMatchObject({ before: null, after: expect.anything(), changedShare: null });
    const [sized] = await compare(square(20), square(20, { width: 42 }));
    expect(sized!.changedShare).toBe(1);
  });

  test('shows transparency over a grey checkerboard', async () => {
    const output = { format: 'webm', quality: 'high', fingerprint: null } as const;
    const [still] = await compare(null, square(8, { output }));
    const { data } = await pixels(still!.after!);
    const at = (x: number, y: number): number => data[(y * 40 + x) * 4 + 1]!;
    expect([at(4, 12) > 245, Math.abs(at(20, 4) - 208) < 8, at(36, 4) > 245]).toEqual([true, true, true]);
  });

  test('counts the stills of both sides and rejects an input that renders reject', async () => {
    const renderInput = movingInput({ stills: STILLS });
    let count = 0;
    const comparison = { before: packRenderInput(renderInput), after: packRenderInput(renderInput), jpegQuality: null };
    await compareStills(comparison, () => {
      count += 1;
    });
    expect(count).toBe(4);
    const broken = inputOf([], { document: { fr: 1e308 } });
    await expect(compare(null, broken)).rejects.toMatchObject({ code: 'template_invalid' });
  });
});
