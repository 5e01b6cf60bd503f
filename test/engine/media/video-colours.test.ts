import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { videoPictures } from '../../../src/engine/media/video-pictures.ts';
import { hasFfprobe } from '../../support/ffprobe.ts';
import { mediaFile } from './media-files.ts';

const hasFfmpeg = await hasFfprobe();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reelform-colours-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe('videoPictures()', () => {
  const kinds: [string, string[]][] = [
    ['unsaid.mp4', ['-pix_fmt', 'yuv420p']],
    ['bt709.mp4', ['-pix_fmt', 'yuv420p', '-colorspace', 'bt709', '-vf', 'scale=out_color_matrix=bt709']],
    [
      'full.mp4',
      [
        '-pix_fmt',
        'yuvj420p',
        '-color_range',
        'pc',
        '-colorspace',
        'bt709',
        '-vf',
        'scale=out_color_matrix=bt709:out_range=full',
      ],
    ],
    ['deep.mp4', ['-pix_fmt', 'yuv420p10le']],
    ['sharp.mp4', ['-pix_fmt', 'yuv444p']],
  ];
  test.skipIf(!hasFfmpeg).each(kinds)('returns the same colours of %s as FFmpeg', async (name, options) => {
    const path = join(folder, name);
    const source = ['-v', 'error', '-f', 'lavfi', '-i', 'testsrc2=s=64x36:r=25:d=0.4'];
    await execa('ffmpeg', [...source, ...options, '-c:v', 'libx264', '-bf', '2', path]);
    const exact = 'scale=flags=accurate_rnd+full_chroma_int+full_chroma_inp+neighbor';
    const raw = ['-vf', exact, '-f', 'rawvideo', '-pix_fmt', 'bgra', '-vsync', '0', '-'];
    const { stdout } = await execa('ffmpeg', ['-v', 'error', '-i', path, ...raw], { encoding: 'buffer' });
    const pictures = await videoPictures(await readFile(path), name, { from: 0, to: 1 });
    for (const index of [0, 4, 9]) {
      const { bgra } = await pictures.picture(index);
      const reference = stdout.subarray(index * bgra.length, (index + 1) * bgra.length);
      expect(bgra.every((value, at) => Math.abs(value - reference[at]!) <= 2)).toBe(true);
    }
    pictures.close();
  });

  test.each(['hevc-pq-25.mp4', 'hevc-hlg-25.mp4'])('maps the reference white of %s to white', async (name) => {
    const pictures = await videoPictures(mediaFile(name), name, { from: 0, to: 1 });
    const { bgra, width } = await pictures.picture(0);
    const pixel = (x: number) => [...bgra.subarray((18 * width + x) * 4, (18 * width + x) * 4 + 4)];
    for (const value of pixel(8)) expect(value).toBeGreaterThan(248);
    expect(pixel(56)).toEqual([0, 0, 0, 255]);
    pictures.close();
  });
});
