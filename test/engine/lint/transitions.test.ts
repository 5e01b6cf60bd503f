import { describe, expect, it, vi } from 'vitest';

const [PIXELS, FRAMES] = [40, 70];

/** Returns repeatable numbers below a limit. */
function numbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % limit;
  };
}

/** A video whose pixels often keep their colours, as bytes of each frame. */
function videoOf(seed: number, changed: (pixel: number, frame: number) => boolean, isDark = false): Uint8Array[] {
  const [base, other] = [numbers(7), numbers(seed)];
  const colors = new Uint8Array(4 * PIXELS);
  return Array.from({ length: FRAMES }, (_, frame) => {
    const picture = new Uint8Array(4 * PIXELS);
    for (let pixel = 0; pixel < PIXELS; pixel++) {
      if (base(3) === 0) colors.set([base(256), base(256), base(60), 255], 4 * pixel);
      picture.set(colors.subarray(4 * pixel, 4 * pixel + 4), 4 * pixel);
      if (changed(pixel, frame)) picture.set([other(256), isDark ? 0 : other(256), other(30), 255], 4 * pixel);
    }
    return picture;
  });
}

/** Videos that share all, some and none of their pixels with the first, for some and all of the time. */
const VIDEOS = [
  videoOf(1, () => false),
  videoOf(2, () => false),
  videoOf(3, (pixel) => pixel % 5 === 0),
  videoOf(4, (pixel, frame) => pixel < 9 && frame > 16 && frame < 50),
  videoOf(5, (pixel, frame) => pixel % 2 === 1 && frame >= 32, true),
  videoOf(6, () => true),
  videoOf(7, (pixel, frame) => pixel === 3 && frame === 31),
];

async function freshFinder(): Promise<typeof import('../../../src/engine/lint/transitions.ts').TransitionFinder> {
  vi.resetModules();
  return (await import('../../../src/engine/lint/transitions.ts')).TransitionFinder;
}

type Finder = Awaited<ReturnType<typeof freshFinder>>;

function transitionsOf(TransitionFinder: Finder, video: readonly Uint8Array[]): unknown[] {
  const finder = new TransitionFinder({ pixelCount: PIXELS, frameCount: FRAMES });
  const found = video.map((picture) => {
    const { general, red } = finder.next(picture);
    return [general.rises, general.falls, red.rises, red.falls].map((pixels) => [...pixels].sort((a, b) => a - b));
  });
  finder.finish();
  return found;
}

describe('TransitionFinder', () => {
  it('finds the same in videos that share pixels with an earlier video as in each video alone', async () => {
    const alone: unknown[] = [];
    for (const video of VIDEOS) alone.push(transitionsOf(await freshFinder(), video));
    expect(alone.flat(2).some((pixels) => (pixels as number[]).length > 0)).toBe(true);
    const shared = await freshFinder();
    expect(VIDEOS.map((video) => transitionsOf(shared, video))).toEqual(alone);
    expect([...VIDEOS].reverse().map((video) => transitionsOf(shared, video))).toEqual([...alone].reverse());
  });
});
