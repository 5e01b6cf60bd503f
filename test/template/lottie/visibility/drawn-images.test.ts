import { createCanvas } from '@napi-rs/canvas';
import { describe, expect, it } from 'vitest';
import { openRasterizer } from '../../../../src/engine/raster/rasterizer.ts';
import { DrawnImages } from '../../../../src/template/lottie/visibility/drawn-images.ts';
import type { LottieDocument } from '../../../../src/template/render-input.ts';
import { inputOf } from '../../../engine/inputs.ts';
import { imageLayer, lottie, still, TRANSFORM } from '../../../support/lottie-documents.ts';

const EASE = { o: { x: [0.7], y: [0] }, i: { x: [0.3], y: [1] } };

/** Keyframes of a property with easing between them. */
const moving = (...frames: [t: number, ...value: number[]][]) => ({
  a: 1,
  k: frames.map(([t, ...s]) => ({ t, s, ...EASE })),
});

const placed = (changes: object = {}) => ({ ks: { ...TRANSFORM, p: still([60, 30, 0]), ...changes } });

/** A 40 × 20 image in a composition of 200 × 100 with 60 frames. */
function shown(changes: object, others: readonly object[] = [], assets: readonly object[] = []): LottieDocument {
  const image = { id: 'i', w: 40, h: 20, u: '', p: 'i.png', e: 0 };
  return lottie([imageLayer('photo', 'i', changes), ...others], { assets: [image, ...assets] });
}

/** The same image in a precomposition of 200 × 100 shown by a layer. */
function nested(inside: object, around: object): LottieDocument {
  const composition = { id: 'c', w: 200, h: 100, layers: [{ ind: 1, ...imageLayer('photo', 'i', inside) }] };
  const document = shown({}, [], [composition]);
  return { ...document, layers: [{ ...(document.layers[0] as object), ty: 0, refId: 'c', w: 200, h: 100, ...around }] };
}

/** Size of the light area: sums over a row and a column through the centre. */
function lightBox(rgba: Uint8Array, width: number): { width: number; height: number } {
  const height = rgba.length / 4 / width;
  const lightAt = (x: number, y: number): number => rgba[(y * width + x) * 4]! / 255;
  const sum = (count: number, at: (index: number) => number): number =>
    Array.from({ length: count }, (_, index) => at(index)).reduce((a, b) => a + b, 0);
  return { width: sum(width, (x) => lightAt(x, height / 2)), height: sum(height, (y) => lightAt(width / 2, y)) };
}

const quarter = { r: still(90) };

describe('DrawnImages.largest()', () => {
  it.each<[string, LottieDocument, [x: number, y: number, frame: number] | null]>([
    ['an image as it is', shown(placed()), [1, 1, 0]],
    ['its scale, each side by itself', shown(placed({ s: still([20, -50, 100]) })), [0.2, 0.5, 0]],
    ['a scale over time', shown(placed({ s: moving([0, 50, 50], [30, 200, 150], [59, 10, 10]) })), [2, 1.5, 30]],
    [
      'sides that are largest at different times',
      shown(placed({ s: moving([0, 200, 50], [30, 50, 150]) })),
      [2, 1.5, 0],
    ],
    [
      'only times at which it is shown',
      shown({ ...placed({ s: moving([0, 800, 800], [20, 100, 100]) }), ip: 20 }),
      [1, 1, 20],
    ],
    [
      'not while it is transparent',
      shown(placed({ s: moving([0, 800, 800], [20, 100, 100]), o: moving([0, 0], [19, 0], [20, 100]) })),
      [1, 1, 20],
    ],
    [
      'not while it is outside the picture',
      shown(placed({ s: moving([0, 800, 800], [20, 100, 100]), p: moving([0, 900, 0], [19.9, 900, 0], [20, 60, 30]) })),
      [1, 1, 20],
    ],
    [
      'a parent at the same moment, not each at its own largest',
      shown({ ...placed({ s: moving([0, 400, 400], [59, 25, 25]) }), parent: 2 }, [
        { ty: 3, ind: 2, ip: 0, op: 60, ks: { ...TRANSFORM, s: moving([0, 25, 25], [59, 400, 400]) } },
      ]),
      // Halfway, both are eased to 212.5 %.
      [expect.closeTo(4.52, 1), expect.closeTo(4.52, 1), expect.closeTo(30, -1)],
    ],
    [
      'a parent that stretches what is turned in it',
      shown({ ...placed(quarter), parent: 2 }, [
        { ty: 3, ind: 2, ip: 0, op: 60, ks: { ...TRANSFORM, s: still([300, 100, 100]) } },
      ]),
      [expect.closeTo(1), expect.closeTo(3), 0],
    ],
    [
      'a precomposition',
      nested(placed({ s: still([50, 50, 100]) }), { ks: { ...TRANSFORM, s: still([300, 300]) } }),
      [1.5, 1.5, 0],
    ],
    [
      'the time of a precomposition that begins later and runs slower',
      nested(placed({ s: moving([0, 100, 100], [10, 300, 300]) }), { st: 20, sr: 2, ip: 20 }),
      [3, 3, 40],
    ],
    [
      'the time of a precomposition that is remapped',
      nested(placed({ s: moving([0, 100, 100], [30, 300, 300]) }), { tm: moving([0, 0], [60, 0.5]) }),
      [expect.closeTo(2, 1), expect.closeTo(2, 1), 59],
    ],
    ['nothing of a hidden layer', shown({ ...placed(), hd: true }), null],
  ])('measures %s', (_, document, size) => {
    const found = new DrawnImages(document).largest().get('i');
    expect(found).toEqual(size === null ? undefined : { x: size[0], y: size[1], frame: size[2] });
  });

  it('returns the largest of several layers', () => {
    const small = { ind: 2, ...imageLayer('photo', 'i', placed({ s: still([10, 10, 100]) })) };
    expect(new DrawnImages(shown(placed(), [small])).largest().get('i')).toEqual({ x: 1, y: 1, frame: 0 });
  });
});

describe('DrawnImages.at()', () => {
  it('measures the same size as the engine draws', async () => {
    const document = nested(
      { ks: { ...TRANSFORM, a: still([20, 10, 0]), p: still([100, 50, 0]), s: moving([0, 20, 40], [40, 260, 150]) } },
      {
        tm: moving([0, 0], [50, 1.3]),
        ks: { ...TRANSFORM, a: still([100, 50, 0]), p: still([100, 50, 0]), s: moving([10, 40, 60], [59, 110, 120]) },
      },
    );
    const canvas = createCanvas(40, 20);
    const context = canvas.getContext('2d');
    context.fillStyle = '#fff';
    context.fillRect(0, 0, 40, 20);
    const image = {
      assetId: 'i',
      name: 'photo',
      width: 40,
      height: 20,
      transform: {},
      bytes: canvas.toBuffer('image/png'),
    };
    const renderInput = inputOf(document.layers, {
      width: 200,
      height: 100,
      frameCount: 60,
      images: [image],
      document,
    });
    const drawn = new DrawnImages(document);
    const rasterizer = await openRasterizer(renderInput);
    for (const frame of [5, 15, 25, 35, 45, 55]) {
      await rasterizer.prepare(frame);
      const box = lightBox(rasterizer.draw(frame), 200);
      const { x, y } = drawn.at(frame).get('i')!;
      expect(Math.abs(box.width - x * 40), `width on frame ${frame}`).toBeLessThan(1);
      expect(Math.abs(box.height - y * 20), `height on frame ${frame}`).toBeLessThan(1);
    }
    rasterizer.close();
  });
});
