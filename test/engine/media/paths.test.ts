import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { composeAnimation } from '../../../src/engine/raster/compose-animation.ts';
import { openRasterizer } from '../../../src/engine/raster/rasterizer.ts';
import { imageLayer, inputOf } from '../inputs.ts';
import { testPicture } from '../pictures.ts';
import { numberedClip } from './media-files.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reelform-secret-'));
  await writeFile(join(folder, 'secret.png'), await testPicture(64, 36).encode('png'));
});
afterAll(() => rm(folder, { recursive: true }));

// Next to the directory from which pictures of clips are read.
const outside = (): string => `../${basename(folder)}/`;

describe('composeAnimation()', () => {
  const ways: [string, (up: string) => object][] = [
    ['a path', (up) => ({ id: 'other', w: 64, h: 36, u: up, p: 'secret.png', e: 0 })],
    ['a path that says it is inside', (up) => ({ id: 'other', w: 64, h: 36, u: up, p: 'secret.png', e: 1 })],
    ['a composition with a path', (up) => ({ id: 'other', w: 64, h: 36, u: up, p: 'secret.png', e: 0, layers: [] })],
    ['a folder before data', (up) => ({ id: 'other', w: 64, h: 36, u: `${up}secret.png#`, p: 'data:,', e: 1 })],
    ['data that is a path', (up) => ({ id: 'other', w: 64, h: 36, u: '', p: `data:/../${up}secret.png`, e: 1 })],
    ['the path of a clip', (up) => ({ id: 'clip', w: 64, h: 36, u: up, p: 'secret.png', e: 0 })],
  ];
  test.each(ways)('reads no outside file for %s, even when a directory is open', async (_, asset) => {
    const clipAsset = { id: 'clip', w: 64, h: 36, u: '', p: 'clip.mp4', e: 0 };
    const bytes = await numberedClip(25, 2);
    const clips = [{ assetId: 'clip', width: 64, height: 36, bytes, transform: {}, name: 'clip.mp4' }];
    const renderInput = inputOf([imageLayer(1, 'other'), imageLayer(2, 'clip')], {
      fps: 25,
      clips,
      // Bypasses the check of an input.
      document: { assets: [clipAsset, asset(outside())] },
    });
    const json = (await composeAnimation(renderInput)).toJson([]);
    expect(json).not.toContain('secret');
    const rasterizer = await openRasterizer(renderInput);
    await rasterizer.prepare(0);
    // The clip's first picture is black; the secret file has colours.
    expect(new Set(rasterizer.draw(0).filter((_value, at) => at % 4 !== 3))).toEqual(new Set([0]));
    rasterizer.close();
  });
});
