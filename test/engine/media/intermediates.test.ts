import { describe, expect, test } from 'vitest';
import { checkClip, checkSound } from '../../../src/engine/media/check-media.ts';
import { openSound } from '../../../src/engine/media/open-sound.ts';
import type { Picture } from '../../../src/engine/media/picture.ts';
import { videoPictures } from '../../../src/engine/media/video-pictures.ts';
import { onset, rms } from './decoded-track.ts';
import { mediaFile, numberIn } from './media-files.ts';

async function picturesOf(bytes: Uint8Array, seconds: readonly number[]): Promise<Picture[]> {
  await checkClip(bytes, 'clip');
  const opened = await videoPictures(bytes, 'clip', { from: 0, to: 10 });
  try {
    const pictures: Picture[] = [];
    for (const time of seconds) pictures.push(await opened.picture(opened.indexAt(time)));
    return pictures;
  } finally {
    opened.close();
  }
}

/** Times in the middle of the first `count` pictures at 25 a second. */
const times = (count: number): number[] => Array.from({ length: count }, (_, index) => (index + 0.5) / 25);

/** Alpha in the middle of the upper and the lower half. */
const alphaOf = ({ bgra }: Picture): number[] => [9, 27].map((row) => bgra[(row * 64 + 32) * 4 + 3]!);

describe('clips as editors export them', () => {
  test.each([
    ['prores-422.mov', 10, [255, 255]],
    ['prores-4444.mov', 10, [255, 64]],
    ['qtrle-alpha.mov', 10, [255, 64]],
    ['qtrle-16.mov', 10, [255, 255]],
    ['png-alpha.mov', 10, [255, 64]],
    ['png-ya8.mov', 10, [255, 64]],
    ['h264-rgb.mp4', 25, [255, 255]],
  ])('%s gives its %i pictures with their alpha', async (name, count, alpha) => {
    const pictures = await picturesOf(mediaFile(name), times(count));
    expect(pictures.map(({ bgra }) => numberIn(new Uint8Array(bgra)))).toEqual([...times(count).keys()]);
    for (const picture of pictures)
      for (const half of [0, 1]) expect(Math.abs(alphaOf(picture)[half]! - alpha[half]!)).toBeLessThanOrEqual(1);
    expect(pictures.every(({ isOpaque }) => isOpaque)).toBe(alpha[1] === 255);
  });

  test('black and white keep their values in RGB', async () => {
    const [picture] = await picturesOf(mediaFile('h264-rgb.mp4'), [0.06]);
    const at = (column: number) => picture!.bgra[(18 * 64 + column) * 4]!;
    expect([at(4), at(20)]).toEqual([255, 0]);
  });

  test('QuickTime Animation repeats its picture while its packets are empty', async () => {
    const pictures = await picturesOf(mediaFile('qtrle-still.mov'), [0.5, 1.1, 1.3]);
    expect(pictures.map(({ bgra }) => bgra[0]! > 127)).toEqual([false, false, true]);
  });

  test('names QuickTime Animation with a palette, and what keeps alpha', async () => {
    const bytes = mediaFile('qtrle-16.mov');
    bytes.writeUInt16BE(8, bytes.indexOf('rle ') + 4 + 74);
    await expect(checkClip(bytes, 'clip')).rejects.toMatchObject({
      code: 'asset_type_unsupported',
      message:
        "The video's codec QuickTime Animation with a palette is not supported; convert it to H.264 in MP4, or, to keep its alpha, to ProRes 4444 in MOV or VP9 in WebM",
    });
  });
});

async function heard(bytes: Uint8Array): Promise<Float32Array> {
  await checkSound(bytes, 'sound');
  const sound = (await openSound(bytes, 'sound'))!;
  const samples: number[] = [];
  for await (const { left } of sound.samples(0)) samples.push(...left);
  sound.close();
  return Float32Array.from(samples);
}

describe('sounds as editors export them', () => {
  test.each(['alac.m4a', 'beep.aiff'])('%s is silent up to 0.25 s, then a tone of 1 kHz at its level', async (name) => {
    const samples = await heard(mediaFile(name));
    expect(Math.abs(samples.length - 24_000)).toBeLessThanOrEqual(48);
    expect(Math.abs(onset(samples) / 48_000 - 0.25)).toBeLessThan(0.001);
    expect(rms(samples, 13_000, 23_000)).toBeCloseTo(0.3 * Math.SQRT1_2, 2);
    const crossings = samples
      .subarray(13_000, 23_000)
      .filter((sample, at, all) => at > 0 && all[at - 1]! < 0 && sample >= 0);
    expect(Math.abs(crossings.length - 1000 * (10_000 / 48_000))).toBeLessThanOrEqual(1);
  });
});
