import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ffmpegEncoder } from '../../../src/engine/h264/ffmpeg-encoder.ts';
import { ffmpegBuild } from '../../../src/engine/h264/ffmpeg-version.ts';
import { renderScene } from '../../../src/engine/render-scene.ts';
import { hasFfprobe, probe } from '../../support/ffprobe.ts';
import { movingScene } from '../scenes.ts';

const FORMAT = { width: 64, height: 64, rate: { numerator: 30, denominator: 1 } };
const FRAME = new Uint8Array((64 * 64 * 3) / 2).fill(128);
const hasFfmpeg = await hasFfprobe();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reelform-ffmpeg-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** A program in the place of ffmpeg. */
async function program(script: string): Promise<string> {
  const path = join(folder, 'ffmpeg');
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}

describe('ffmpegEncoder()', () => {
  test.skipIf(!hasFfmpeg)('makes what another reader calls yuv420p, BT.709, with every frame at its time', async () => {
    const { video } = await renderScene(movingScene({ fps: 29.97, frameCount: 65 }), {
      encoder: ffmpegEncoder('ffmpeg'),
    });
    const path = join(folder, 'video.mp4');
    await writeFile(path, video);
    expect(await probe(path)).toMatchObject({
      ...{ codec: 'h264', pixelFormat: 'yuv420p', colorSpace: 'bt709', width: 160, height: 90 },
      ...{ frameRate: '30000/1001', frameCount: 65 },
    });
    const times = ['-v', 'error', '-of', 'csv=p=0', '-select_streams', 'v:0', '-show_entries', 'frame=pts', path];
    const { stdout } = await execa('ffprobe', times);
    expect(stdout.split('\n').map((line) => Number.parseInt(line, 10))).toEqual(
      Array.from({ length: 65 }, (_, frame) => frame * 1001),
    );
  });

  test.skipIf(!hasFfmpeg)('makes smaller files of lower quality, and the same bytes again', async () => {
    const render = async (quality: 'low' | 'medium' | 'high') => {
      const output = { format: 'mp4', quality, fingerprint: null } as const;
      return (await renderScene(movingScene({ output }), { encoder: ffmpegEncoder('ffmpeg') })).video;
    };
    const [low, medium, high, again] = [
      await render('low'),
      await render('medium'),
      await render('high'),
      await render('low'),
    ];
    expect(low.length).toBeLessThan(medium.length);
    expect(medium.length).toBeLessThan(high.length);
    expect(Buffer.compare(low, again)).toBe(0);
  });

  test('says encoder_missing for a program that is not there', async () => {
    const encoder = await ffmpegEncoder(join(folder, 'nothing'))(FORMAT, 'high');
    await expect(encoder.encode(FRAME, 0).then(() => encoder.finish())).rejects.toMatchObject({
      code: 'encoder_missing',
    });
    encoder.close();
  });

  test('says encoder_missing for one without x264', async () => {
    const path = await program('cat > /dev/null; echo "Unknown encoder \'libx264\'" >&2; exit 1');
    const encoder = await ffmpegEncoder(path)(FORMAT, 'high');
    await encoder.encode(FRAME, 0);
    await expect(encoder.finish()).rejects.toMatchObject({ code: 'encoder_missing' });
  });

  test('says encoder_missing for one that is too old, and believes one that does not say', async () => {
    const old = join(folder, 'old-ffmpeg');
    await writeFile(old, '#!/bin/sh\necho "ffmpeg version 4.4.2-0ubuntu0.22.04.1 Copyright (c) 2000-2021"\n');
    await chmod(old, 0o755);
    const refused = { code: 'encoder_missing', message: expect.stringContaining('version 4') };
    await expect(ffmpegEncoder(old)(FORMAT, 'high')).rejects.toMatchObject(refused);
    const nightly = await program('echo "ffmpeg version N-109542-g8d5c5f2"');
    (await ffmpegEncoder(nightly)(FORMAT, 'high')).close();
  });

  test('ffmpegBuild() tells apart versions, and builds of one version', async () => {
    const say = async (name: string, text: string): Promise<string> => {
      await writeFile(join(folder, name), `#!/bin/sh\necho "${text}"\n`, { mode: 0o755 });
      return ffmpegBuild(join(folder, name));
    };
    const one = 'ffmpeg version 5.1.6-0+deb12u1 Copyright\nconfiguration: --enable-libx264';
    const builds = [await say('a', one), await say('b', one), await say('c', `${one} --enable-lto`)];
    expect(builds[0]).toMatch(/^ffmpeg 5\.1\.6-0\+deb12u1 [0-9a-f]{8}$/);
    expect(new Set(builds).size).toBe(2);
    expect(builds[1]).toBe(builds[0]);
  });

  test('says encode_failed, and nothing of its environment, when it ends early', async () => {
    process.env.REELFORM_TOKEN = 'rf_secret';
    const path = await program('head -c 10 > /dev/null; env >&2; exit 3');
    const encoder = await ffmpegEncoder(path)(FORMAT, 'high');
    delete process.env.REELFORM_TOKEN;
    const error = await encoder
      .encode(FRAME, 0)
      .then(() => encoder.finish())
      .catch((thrown: unknown) => thrown as Error);
    expect(error).toMatchObject({ code: 'encode_failed' });
    expect(`${(error as Error).message} ${String((error as Error).cause)}`).not.toContain('rf_secret');
  });

  test('leaves no process when it is closed', async () => {
    const path = await program('exec sleep 1000');
    const encoder = await ffmpegEncoder(path)(FORMAT, 'high');
    encoder.close();
    await expect(encoder.finish()).rejects.toMatchObject({ code: 'encode_failed' });
    encoder.close();
  });
});
