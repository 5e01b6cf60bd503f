import { describe, expect, test } from 'vitest';
import { type YuvColour, yuvToBgra } from '../../../src/engine/color/yuv-to-bgra.ts';

/** A picture of 4 × 2 pixels of a single colour. */
function plain(format: string, y: number, u: number, v: number, a?: number) {
  const isDeep = /P1[02]/.test(format);
  const chroma = format.includes('444') ? 8 : format.includes('422') ? 4 : 2;
  const interleaved = Array.from({ length: chroma }, () => [u, v]).flat();
  const planes =
    format === 'NV12'
      ? [new Array(8).fill(y), interleaved]
      : [new Array(8).fill(y), new Array(chroma).fill(u), new Array(chroma).fill(v)];
  if (a !== undefined) planes.push(new Array(8).fill(a));
  const samples = planes.flat() as number[];
  const unit = isDeep ? 2 : 1;
  const bytes = isDeep ? new Uint8Array(Uint16Array.from(samples).buffer) : Uint8Array.from(samples);
  let offset = 0;
  const layout = planes.map((plane) => {
    const entry = {
      offset,
      stride: (plane.length / (plane.length > 4 && format !== 'NV12' ? 2 : chroma === 2 ? 1 : 2)) * unit,
    };
    offset += plane.length * unit;
    return entry;
  });
  layout[0]!.stride = 4 * unit;
  return { format, width: 4, height: 2, bytes, layout };
}

/** Conversion by definition in real numbers. @see ITU-T H.273, 8.3, equations 11 to 16 and 38 to 40, inverted */
function expected(
  [y, u, v]: readonly [number, number, number],
  { matrix, isFullRange }: YuvColour,
  bits = 8,
): number[] {
  const [kr, kb] = { bt601: [0.299, 0.114], bt709: [0.2126, 0.0722], bt2020: [0.2627, 0.0593] }[matrix] as [
    number,
    number,
  ];
  const scale = 2 ** (bits - 8);
  const most = 2 ** bits - 1;
  const light = isFullRange ? y / most : (y / scale - 16) / 219;
  const [cb, cr] = [u, v].map((c) => (isFullRange ? (c - 128 * scale) / most : (c / scale - 128) / 224)) as [
    number,
    number,
  ];
  const r = light + 2 * (1 - kr) * cr;
  const b = light + 2 * (1 - kb) * cb;
  const g = (light - kr * r - kb * b) / (1 - kr - kb);
  return [b, g, r].map((channel) => Math.min(255, Math.max(0, channel * 255)));
}

const colours: YuvColour[] = (['bt601', 'bt709', 'bt2020'] as const).flatMap((matrix) => [
  { matrix, isFullRange: false },
  { matrix, isFullRange: true },
]);
const formats: [string, number][] = [
  ['I420', 8],
  ['I422', 8],
  ['I444', 8],
  ['NV12', 8],
  ['I420P10', 10],
  ['I444P12', 12],
];

describe('yuvToBgra()', () => {
  test.each(formats)('converts %s by every matrix and range', (format, bits) => {
    const scale = 2 ** (bits - 8);
    for (const colour of colours) {
      for (const yuv of [
        [16, 128, 128],
        [235, 128, 128],
        [81, 90, 240],
        [145, 54, 34],
        [41, 240, 110],
        [255, 0, 255],
      ]) {
        const [y, u, v] = yuv.map((sample) => sample * scale) as [number, number, number];
        const bgra = yuvToBgra(plain(format, y, u, v), colour)!;
        const reference = expected([y, u, v], colour, bits);
        for (let at = 0; at < 32; at++) {
          if (at % 4 === 3) expect(bgra[at]).toBe(255);
          else expect(Math.abs(bgra[at]! - reference[at % 4]!)).toBeLessThanOrEqual(1);
        }
      }
    }
  });

  test.each([
    [8, 2],
    [21, 35],
    [1, 1],
    [64, 16],
  ])('converts I420 of %i × %i to the same pixels as the other formats', (width, height) => {
    const [stride, chromaStride, chromaRows] = [width + 3, ((width + 1) >> 1) + 5, (height + 1) >> 1];
    const [uAt, vAt] = [stride * height, stride * height + chromaStride * chromaRows];
    // Every value in an order without a pattern.
    const bytes = Uint8Array.from(
      { length: vAt + chromaStride * chromaRows },
      (_, at) => (at * at * 7 + at * 131) >> 3,
    );
    const layout = [
      { offset: 0, stride },
      { offset: uAt, stride: chromaStride },
      { offset: vAt, stride: chromaStride },
      { offset: 0, stride },
    ];
    for (const colour of colours) {
      const quick = yuvToBgra({ format: 'I420', width, height, bytes, layout }, colour)!;
      const plain = yuvToBgra({ format: 'I420A', width, height, bytes, layout }, colour)!;
      for (let at = 3; at < plain.length; at += 4) plain[at] = 255;
      expect(Buffer.from(quick.buffer).equals(Buffer.from(plain.buffer))).toBe(true);
    }
  });

  test('copies alpha unchanged', () => {
    expect(yuvToBgra(plain('I420A', 128, 128, 128, 77), colours[0]!)![3]).toBe(77);
  });

  test('rejects other formats', () => {
    expect(yuvToBgra(plain('NV21', 0, 0, 0), colours[0]!)).toBeUndefined();
  });
});
