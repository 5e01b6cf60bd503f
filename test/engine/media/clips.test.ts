import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import type { Transform } from '../../../src/contract/wire/mapping.ts';
import { openRasterizer } from '../../../src/engine/raster/rasterizer.ts';
import type { RenderInput } from '../../../src/template/render-input.ts';
import { imageLayer, inputOf, placed, rectangleLayer } from '../inputs.ts';
import { mediaFile, numberedClip, numberIn } from './media-files.ts';

interface Playing {
  readonly fps: number;
  /** Frame rate of the animation, where it differs. */
  readonly rate?: number;
  readonly transform?: Transform;
  readonly layer?: object;
  readonly layers?: unknown[];
  readonly changes?: Partial<RenderInput>;
  readonly assets?: object[];
}

function playing(bytes: Uint8Array, frameCount: number, options: Playing): RenderInput {
  const { fps, rate = fps, transform = {}, layer = {}, changes = {}, assets = [] } = options;
  const clip = { assetId: 'clip', width: 64, height: 36, bytes, transform, name: 'clip.mp4' };
  const asset = { id: 'clip', w: 64, h: 36, u: '', p: 'clip.mp4', e: 0 };
  const layers = options.layers ?? [{ ...imageLayer(1, 'clip'), ...layer }];
  const document = { fr: rate, op: Math.ceil((frameCount * rate) / fps), assets: [asset, ...assets] };
  return inputOf(layers, { fps, frameCount, clips: [clip], document, ...changes });
}

/** Returns the content that `read` finds in each frame. */
async function seen<Result>(renderInput: RenderInput, frames: Iterable<number>, read: (rgba: Uint8Array) => Result) {
  const rasterizer = await openRasterizer(renderInput);
  try {
    const results: Result[] = [];
    for (const frame of frames) {
      await rasterizer.prepare(frame);
      results.push(read(rasterizer.draw(frame)));
    }
    return results;
  } finally {
    rasterizer.close();
  }
}

const numbers = (count: number, from = 0): number[] => Array.from({ length: count }, (_, index) => index + from);

/** Expected picture of a clip at `rate` for each frame of a video at `fps`, in integers. */
function expected(count: number, fps: number, rate: number, trimPictures = 0, length = 256): number[] {
  return numbers(count).map((frame) => Math.min(length - 1, trimPictures + Math.floor((frame * rate) / fps + 1e-9)));
}

describe('clips', () => {
  test('shows each picture in its frame and the last picture after the end', async () => {
    const renderInput = playing(await numberedClip(25, 40), 45, { fps: 25 });
    expect(await seen(renderInput, numbers(45), numberIn)).toEqual(expected(45, 25, 25, 0, 40));
  });

  test('starts exactly at the trim point', async () => {
    const clip = await numberedClip(25, 40);
    for (const picture of [1, 7, 24, 39]) {
      const renderInput = playing(clip, 3, { fps: 25, transform: { trim_start_time: picture / 25 } });
      expect(await seen(renderInput, [0, 1], numberIn)).toEqual(expected(2, 25, 25, picture, 40));
    }
    const within = { trim_start_time: 7.999 / 25 };
    expect(await seen(playing(clip, 1, { fps: 25, transform: within }), [0], numberIn)).toEqual([7]);
    const untrimmed = { trim_strategy: 'none', trim_start_time: 1 } as const;
    expect(await seen(playing(clip, 1, { fps: 25, transform: untrimmed }), [0], numberIn)).toEqual([0]);
  });

  test.each([24, 30, 50, 60])('is resampled to %i frames per second', async (fps) => {
    const renderInput = playing(mediaFile('b-frames-25.mp4'), 60, { fps, transform: { trim_start_time: 1 } });
    expect(await seen(renderInput, numbers(60), numberIn)).toEqual(expected(60, fps, 25, 25));
  });

  // [file, rate of the file, pictures, trimmed by]
  const files: [string, number, number, number][] = [
    ['b-frames-25.mp4', 25, 100, 0],
    ['vp9-29.97.webm', 29.97, 90, 0],
    ['vp9-29.97.webm', 29.97, 90, 31],
    ['hevc-open-gop-60.mov', 60, 180, 59],
    ['vp8-hidden-30.webm', 30, 90, 0],
    ['av1-24.mp4', 24, 72, 36],
  ];
  test.each(files)('plays %s exactly at %f frames per second from picture %i', async (file, fps, length, trim) => {
    const renderInput = playing(mediaFile(file), 80, {
      fps,
      transform: { trim_start_time: trim === 0 ? 0 : trim / fps + 1e-4 },
    });
    expect(await seen(renderInput, numbers(80), numberIn)).toEqual(expected(80, fps, fps, trim, length));
  });

  test('starts where the edit list of the file starts', async () => {
    const clip = mediaFile('edit-list-25.mp4');
    expect(await seen(playing(clip, 80, { fps: 25 }), numbers(80), numberIn)).toEqual(expected(80, 25, 25, 18, 100));
    const trimmed = playing(clip, 2, { fps: 25, transform: { trim_start_time: 0.4 } });
    expect(await seen(trimmed, [0, 1], numberIn)).toEqual([28, 29]);
  });

  test('returns frames in any order', async () => {
    const renderInput = playing(mediaFile('b-frames-25.mp4'), 100, { fps: 25 });
    expect(await seen(renderInput, [80, 3, 50, 51, 52, 10, 99], numberIn)).toEqual([80, 3, 50, 51, 52, 10, 99]);
  });

  test('starts with its layer and stretches with it', async () => {
    const clip = await numberedClip(25, 40);
    const late = playing(clip, 12, { fps: 25, layer: { st: 5, ip: 5, sr: 2 } });
    // Black before the layer starts.
    expect(await seen(late, numbers(12), numberIn)).toEqual([0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 3]);
  });

  test('follows time remapping, including backwards', async () => {
    const straight = { o: { x: [0.167], y: [0.167] }, i: { x: [0.833], y: [0.833] } };
    const tm = {
      a: 1,
      k: [
        { t: 0, s: [1.22], ...straight },
        { t: 20, s: [0.42] },
      ],
    };
    const renderInput = playing(await numberedClip(25, 40), 20, { fps: 25, layer: { tm } });
    expect(await seen(renderInput, numbers(20), numberIn)).toEqual(numbers(20).map((frame) => 30 - frame));
  });

  test('plays for each layer from its own start, also within a precomposition', async () => {
    const inside = { id: 'inside', layers: [{ ...imageLayer(1, 'clip'), st: 2, ip: 2 }] };
    const half = (ind: number, refId: string, y: number, changes: object) => ({
      ...imageLayer(ind, refId, 0, y),
      ...changes,
    });
    const layers = [half(1, 'inside', 18, { ty: 0, w: 64, h: 36, st: 3, ip: 3 }), half(2, 'clip', 0, { st: 1, ip: 1 })];
    const renderInput = playing(await numberedClip(25, 40), 10, { fps: 25, layers, assets: [inside] });
    const both = await seen(renderInput, [8, 9], (rgba) => [numberIn(rgba, 5), numberIn(rgba, 30)]);
    expect(both).toEqual([
      [7, 3],
      [8, 4],
    ]);
  });

  test('respects masks, mattes and opacity of the layer and is not read outside it', async () => {
    const layers = [
      { ...imageLayer(1, 'clip'), ks: placed(0, 0, { o: { a: 0, k: 50 } }) },
      rectangleLayer(2, [0, 0, 64, 36], [1, 0, 0]),
    ];
    const renderInput = playing(await numberedClip(25, 4), 4, { fps: 25, layers });
    const [white] = await seen(renderInput, [1], (rgba) => [
      ...rgba.subarray((18 * 64 + 4) * 4, (18 * 64 + 4) * 4 + 3),
    ]);
    for (const [channel, value] of [255, 128, 128].entries())
      expect(Math.abs(white![channel]! - value)).toBeLessThan(4);
  });

  test.each(['vp9-alpha-25.webm', 'prores-4444.mov', 'qtrle-alpha.mov', 'png-alpha.mov'])(
    'preserves the alpha of %s',
    async (name) => {
      const layers = [imageLayer(1, 'clip'), rectangleLayer(2, [0, 0, 64, 36], [0, 0, 1])];
      const renderInput = playing(mediaFile(name), 10, { fps: 25, layers });
      const [pixels] = await seen(renderInput, [1], (rgba) =>
        [5, 30].map((row) => [...rgba.subarray((row * 64 + 4) * 4, (row * 64 + 4) * 4 + 3)]),
      );
      const expected = [
        [255, 255, 255],
        [64, 64, 255],
      ];
      for (const [at, colour] of expected.entries()) {
        for (const [channel, value] of colour.entries())
          expect(Math.abs(pixels![at]![channel]! - value)).toBeLessThan(8);
      }
    },
  );

  test('applies the rotation stored in the file', async () => {
    const bytes = Buffer.from(await numberedClip(25, 4));
    // A quarter turn clockwise, as phones record it. @see ISO/IEC 14496-12, 8.3.2 (tkhd: matrix)
    const matrix = bytes.indexOf('tkhd') + 4 + 40;
    for (const [index, value] of [0, 0x10000, 0, -0x10000, 0, 0, 36 * 0x10000, 0].entries()) {
      bytes.writeInt32BE(value, matrix + index * 4);
    }
    const clip = { assetId: 'clip', width: 36, height: 64, bytes, transform: {}, name: 'clip.mp4' };
    const document = { assets: [{ id: 'clip', w: 36, h: 64, u: '', p: '', e: 0 }] };
    const renderInput = inputOf([imageLayer(1, 'clip')], { width: 36, height: 64, fps: 25, clips: [clip], document });
    // The columns of bits have become rows, the lowest bit on top.
    const [bits] = await seen(renderInput, [1], (rgba) => [4, 12, 60].map((row) => rgba[(row * 36 + 18) * 4]! > 127));
    expect(bits).toEqual([true, false, false]);
  });

  test('crops as images do', async () => {
    const clip = await numberedClip(25, 4);
    const right = { crop_strategy: 'manual', crop_x: 0, crop_y: 0, crop_width: 16, crop_height: 9 } as const;
    const readPoints = (rgba: Uint8Array) => [4, 28, 36, 60].map((x) => rgba[(18 * 64 + x) * 4]! > 127);
    expect(await seen(playing(clip, 3, { fps: 25, transform: right }), [1, 2], readPoints)).toEqual([
      [true, true, false, false],
      [false, false, true, true],
    ]);
    const beside = playing(clip, 2, { fps: 25, transform: { crop_strategy: 'manual', crop_x: 64 } });
    await expect(seen(beside, [0], readPoints)).rejects.toMatchObject({
      code: 'asset_decode_failed',
      imageName: 'clip.mp4',
    });
  });

  test('leaves no file behind', async () => {
    // Of its own: other test files draw images at the same time.
    const folder = await mkdtemp(join(tmpdir(), 'reelform-clips-'));
    vi.stubEnv('TMPDIR', folder);
    try {
      await seen(playing(await numberedClip(25, 4), 4, { fps: 25 }), [0, 3], numberIn);
      expect(await readdir(folder)).toEqual([]);
    } finally {
      vi.unstubAllEnvs();
    }
  });
});
