import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openRasterizer } from '../../../src/engine/raster/rasterizer.ts';
import type { RenderInput } from '../../../src/template/render-input.ts';
import { runs } from '../../support/full-run.ts';
import { inputOf, placed, rectangleLayer } from '../inputs.ts';

/** For each frame after the first: whether it equals the previous frame, and whether repeats() reports so. */
async function compare(renderInput: RenderInput): Promise<{ same: boolean[]; known: boolean[] }> {
  const rasterizer = await openRasterizer(renderInput);
  const pictures = Array.from({ length: renderInput.frameCount }, (_, frame) => Buffer.from(rasterizer.draw(frame)));
  const later = [...pictures.keys()].slice(1);
  const result = {
    same: later.map((frame) => pictures[frame]!.equals(pictures[frame - 1]!)),
    known: later.map((frame) => rasterizer.repeats(frame)),
  };
  rasterizer.close();
  return result;
}

const keys = (k: unknown[]) => ({ a: 1, k });
const box = (changes: object) => rectangleLayer(1, [0, 0, 12, 12], [1, 0, 0], changes);

describe('Rasterizer.repeats()', () => {
  const move = keys([
    { t: 4, s: [0, 0, 0], o: { x: 0.3, y: 0 }, i: { x: 0.7, y: 1 } },
    { t: 8, s: [20, 0, 0] },
  ]);
  const cases: [string, Record<string, unknown>, number[]][] = [
    ['a layer that moves for a while', box({ ks: placed(0, 0, { p: move }) }), [1, 2, 3, 9, 10, 11]],
    ['a layer that appears and goes', box({ ip: 3, op: 7 }), [1, 2, 4, 5, 6, 8, 9, 10, 11]],
    [
      'a value that is held',
      box({
        ks: placed(0, 0, {
          p: keys([
            { t: 0, s: [0, 0], h: 1 },
            { t: 6, s: [9, 0], h: 1 },
          ]),
        }),
      }),
      [7, 8, 9, 10, 11],
    ],
    ['nothing', box({}), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]],
  ];
  test.each(cases)('detects the repeated frames of %s', async (_, layer, expected) => {
    const { same, known } = await compare(inputOf([layer], { frameCount: 12 }));
    const frames = known.flatMap((is, index) => (is ? [index + 1] : []));
    // A frame next to each change may be missed; a differing frame must never be reported.
    expect(expected.filter((frame) => !frames.includes(frame)).length).toBeLessThanOrEqual(2);
    expect(frames.every((frame) => same[frame - 1])).toBe(true);
  });

  test('is correct for shifted, stretched and remapped compositions and hidden parents', async () => {
    const time = fc.integer({ min: -4, max: 16 });
    const keyframes = (value: fc.Arbitrary<unknown>) =>
      fc.uniqueArray(time, { minLength: 1, maxLength: 3 }).chain((times) =>
        fc.array(fc.tuple(value, fc.boolean()), { minLength: times.length, maxLength: times.length }).map((values) =>
          keys(
            [...times]
              .sort((a, b) => a - b)
              .map((t, index) => ({
                t,
                s: values[index]![0],
                o: { x: 0.3, y: 0 },
                i: { x: 0.7, y: 1 },
                ...(values[index]![1] ? { h: 1 } : {}),
              })),
          ),
        ),
      );
    const place = fc.constantFrom([0, 0, 0], [20, 0, 0], [0, 10, 0]);
    const layer = fc.record({ ip: time, length: fc.integer({ min: 1, max: 30 }), p: keyframes(place) });
    const shown = fc.record({
      ip: time,
      st: time,
      sr: fc.constantFrom(1, 2, 0.5),
      remapped: fc.boolean(),
      tm: keyframes(fc.constantFrom([0], [0.2], [0.4])),
      parent: keyframes(place),
    });
    const inputs = fc.tuple(fc.array(layer, { minLength: 1, maxLength: 2 }), shown);
    await fc.assert(
      fc.asyncProperty(inputs, async ([layers, { ip, st, sr, remapped, tm, parent }]) => {
        const inner = layers.map((settings, index) =>
          rectangleLayer(index + 1, [0, 0, 8, 8], [1, index, 0], {
            ip: settings.ip,
            op: settings.ip + settings.length,
            ks: placed(0, 0, { p: settings.p }),
          }),
        );
        const outer = [
          {
            ty: 0,
            ind: 1,
            parent: 2,
            refId: 'c',
            w: 32,
            h: 18,
            ip,
            op: ip + 12,
            st,
            sr,
            ks: placed(),
            ...(remapped && { tm }),
          },
          { ty: 3, ind: 2, ip: 0, op: 1, st: 0, hd: true, ks: placed(0, 0, { p: parent }) },
        ];
        const document = { assets: [{ id: 'c', layers: inner }] };
        const { same, known } = await compare(inputOf(outer, { width: 32, height: 18, frameCount: 12, document }));
        expect(known.flatMap((is, index) => (is && !same[index] ? [index + 1] : []))).toEqual([]);
      }),
      { numRuns: runs(60) },
    );
  });
});
