// @ts-expect-error The package has no types.
import { GifReader } from 'omggif';
import { describe, expect, it } from 'vitest';
import type { FrameRate } from '../../../src/contract/timeline/frame-rate.ts';
import type { OutputQuality } from '../../../src/contract/wire/output.ts';
import { GifFileEncoder } from '../../../src/engine/writers/gif-encoder.ts';
import { ALPHA_FRAMES, box, drawn, farthest, GREEN, HEIGHT, RATE_30, WHITE, WIDTH } from './drawn-frames.ts';

interface FrameInfo {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly delay: number;
  readonly disposal: number;
}

/** Decodes with an independent reader. */
const Reader = GifReader as new (
  bytes: Uint8Array,
) => {
  numFrames(): number;
  loopCount(): number | null;
  frameInfo(index: number): FrameInfo;
  decodeAndBlitFrameRGBA(index: number, pixels: Uint8Array): void;
};

function encoded(frames: readonly Uint8Array[], rate: FrameRate = RATE_30, quality: OutputQuality = 'high') {
  const size = { width: WIDTH, height: HEIGHT };
  const encoder = new GifFileEncoder({ ...size, rate, frameCount: frames.length, quality, comment: 'v1:abc' });
  for (const [frame, pixels] of frames.entries()) encoder.add(pixels, frame);
  encoder.finish();
  return encoder.take();
}

/** Screen contents at each frame, as browsers compose them. */
function composedFrames(gif: Uint8Array): { pictures: Uint8Array[]; infos: FrameInfo[] } {
  const reader = new Reader(gif);
  const screen = new Uint8Array(WIDTH * HEIGHT * 4);
  const infos = Array.from({ length: reader.numFrames() }, (_, index) => reader.frameInfo(index));
  const pictures = infos.map(({ x, y, width, height, disposal }, index) => {
    reader.decodeAndBlitFrameRGBA(index, screen);
    const picture = screen.slice();
    if (disposal !== 2) return picture;
    for (let row = y; row < y + height; row++) screen.fill(0, (row * WIDTH + x) * 4, (row * WIDTH + x + width) * 4);
    return picture;
  });
  return { pictures, infos };
}

describe('GifFileEncoder', () => {
  it('shows every picture, also where something disappears', () => {
    const { pictures, infos } = composedFrames(encoded(ALPHA_FRAMES));
    const expected = ALPHA_FRAMES.filter((_, index) => index !== 2);
    expect(pictures).toHaveLength(expected.length);
    for (const [index, picture] of pictures.entries()) expect(farthest(picture, expected[index]!)).toBeLessThan(4);
    // The repeated frame is shown twice as long.
    expect(infos.map(({ delay }) => delay)).toEqual([3, 7, 3, 4, 3]);
  });

  it('draws only the changed area', () => {
    const { infos } = composedFrames(
      encoded([drawn(WHITE, box(0, GREEN)), drawn(WHITE, box(2, GREEN)), drawn(WHITE, box(2, GREEN))]),
    );
    expect(infos).toHaveLength(2);
    expect(infos[1]).toMatchObject({ x: 0, y: 8, width: 18, height: 16 });
  });

  it.each([
    ['29.97', { numerator: 30_000, denominator: 1001 }, 60],
    ['60', { numerator: 60, denominator: 1 }, 40],
    ['120', { numerator: 120, denominator: 1 }, 24],
    ['12.5', { numerator: 25, denominator: 2 }, 60],
  ])(
    'is as long as the video at %s frames a second, with no delay shorter than browsers support',
    (_, rate, atLeast) => {
      const frames = Array.from({ length: 60 }, (_, index) => drawn(WHITE, box(index % 40, GREEN)));
      const delays = composedFrames(encoded(frames, rate)).infos.map(({ delay }) => delay);
      expect(delays.reduce((sum, delay) => sum + delay, 0)).toBe(
        Math.round((60 * 100 * rate.denominator) / rate.numerator),
      );
      expect(Math.min(...delays.slice(0, -1))).toBeGreaterThanOrEqual(2);
      expect(delays.length).toBeGreaterThanOrEqual(atLeast);
    },
  );

  it('loops forever and has a comment and reproducible bytes', () => {
    const gif = encoded(ALPHA_FRAMES);
    expect(new Reader(gif).loopCount()).toBe(0);
    expect(Buffer.from(gif).toString('latin1')).toContain('v1:abc');
    expect(Buffer.compare(gif, encoded(ALPHA_FRAMES))).toBe(0);
  });

  it('keeps more than 256 colours close to the original, closer at higher quality', () => {
    const many = drawn(WHITE);
    for (let at = 0; at < many.length; at += 4) {
      const [x, y] = [(at / 4) % WIDTH, Math.floor(at / 4 / WIDTH)];
      many.set([x * 4, y * 7, 255 - x * 4, 255], at);
    }
    const error = (quality: OutputQuality): number => {
      const { pictures } = composedFrames(encoded([many], RATE_30, quality));
      return pictures[0]!.reduce((sum, level, at) => sum + Math.abs(level - many[at]!), 0) / (WIDTH * HEIGHT * 3);
    };
    expect(error('high')).toBeLessThan(6);
    expect(error('low')).toBeGreaterThan(error('medium'));
    expect(error('medium')).toBeGreaterThan(error('high'));
  });
});
