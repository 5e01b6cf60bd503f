import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  createFrameRing,
  frameBytes,
  RING_SLOTS,
  type RingFormat,
  ringFrame,
} from '../../../src/engine/raster/frame-ring.ts';

const i420 = (width: number, height: number): RingFormat => ({ width, height, pixels: 'i420' });

/** BT.709 in floating point with limited range; chroma of the mean of 2×2 pixels. */
function referenceI420(rgba: Uint8Array, width: number, height: number): Float64Array {
  const out = new Float64Array(frameBytes(i420(width, height)));
  const pixel = (x: number, y: number) => [0, 1, 2].map((c) => rgba[(y * width + x) * 4 + c]! / 255) as number[];
  const luma = ([r, g, b]: number[]) => 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
  const area = width * height;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) out[y * width + x] = 16 + 219 * luma(pixel(x, y));
  }
  for (let y = 0; y < height; y += 2) {
    for (let x = 0; x < width; x += 2) {
      const block = [pixel(x, y), pixel(x + 1, y), pixel(x, y + 1), pixel(x + 1, y + 1)];
      const mean = [0, 1, 2].map((c) => block.reduce((sum, p) => sum + p[c]!, 0) / 4);
      const at = area + (y / 2) * (width / 2) + x / 2;
      out[at] = 128 + (224 * (mean[2]! - luma(mean))) / 1.8556;
      out[at + area / 4] = 128 + (224 * (mean[0]! - luma(mean))) / 1.5748;
    }
  }
  return out;
}

function convert(rgba: Uint8Array, width: number, height: number, slot = 0): Uint8Array {
  const ring = createFrameRing(i420(width, height));
  ring.put(rgba, slot);
  return ringFrame(ring.buffer, i420(width, height), slot);
}

function filled(width: number, height: number, [r, g, b]: readonly number[]): Uint8Array {
  const rgba = new Uint8Array(width * height * 4);
  for (let at = 0; at < rgba.length; at += 4) rgba.set([r!, g!, b!, 255], at);
  return rgba;
}

describe('createFrameRing().put()', () => {
  const colours: [string, number[], number[]][] = [
    ['white', [255, 255, 255], [235, 128, 128]],
    ['black', [0, 0, 0], [16, 128, 128]],
    ['grey', [128, 128, 128], [126, 128, 128]],
    ['red', [255, 0, 0], [63, 102, 240]],
    ['green', [0, 255, 0], [173, 42, 26]],
    ['blue', [0, 0, 255], [32, 240, 118]],
    ['yellow', [255, 255, 0], [219, 16, 138]],
  ];
  test.each(colours)('converts %s to its BT.709 sample', (_, rgb, [y, u, v]) => {
    const frame = convert(filled(34, 4, rgb), 34, 4);
    expect(new Set(frame.subarray(0, 136))).toEqual(new Set([y]));
    expect(new Set(frame.subarray(136, 170))).toEqual(new Set([u]));
    expect(new Set(frame.subarray(170))).toEqual(new Set([v]));
  });

  test('differs by at most 1 from the floating-point reference for any size and pixels', () => {
    const side = fc.integer({ min: 1, max: 25 }).map((n) => n * 2);
    fc.assert(
      fc.property(side, side, fc.integer(), (width, height, seed) => {
        const rgba = noise(width * height * 4, seed);
        const expected = referenceI420(rgba, width, height);
        const frame = convert(rgba, width, height, RING_SLOTS - 1);
        const worst = frame.reduce((max, value, at) => Math.max(max, Math.abs(value - expected[at]!)), 0);
        expect(worst).toBeLessThan(0.6);
      }),
    );
  });

  test('copies pixels with alpha unchanged', () => {
    const format: RingFormat = { width: 6, height: 4, pixels: 'rgba' };
    const ring = createFrameRing(format);
    const pixels = noise(6 * 4 * 4, 7);
    ring.put(pixels, 1);
    expect(ringFrame(ring.buffer, format, 1)).toEqual(pixels);
  });

  test('leaves other slots unchanged', () => {
    const ring = createFrameRing(i420(32, 18));
    const slots = Array.from({ length: RING_SLOTS }, (_, slot) => slot);
    for (const slot of slots) ring.put(filled(32, 18, [slot * 60, 0, 0]), slot);
    const red = (RING_SLOTS - 1) * 60;
    expect(ringFrame(ring.buffer, i420(32, 18), RING_SLOTS - 1)[0]).toBe(16 + Math.round((219 * 0.2126 * red) / 255));
    for (const slot of slots) {
      const others = slots.filter((other) => other !== slot);
      const before = others.map((other) => ringFrame(ring.buffer, i420(32, 18), other).slice());
      ring.put(filled(32, 18, [9, 200, 77]), slot);
      expect(others.map((other) => ringFrame(ring.buffer, i420(32, 18), other))).toEqual(before);
    }
  });
});

/** Pseudo-random bytes for a seed. */
function noise(length: number, seed: number): Uint8Array {
  let state = seed | 1;
  return Uint8Array.from({ length }, () => {
    state = Math.imul(state, 1_664_525) + 1_013_904_223;
    return state >>> 24;
  });
}
