import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BufferSource, EncodedPacketSink, Input, MP4 } from 'mediabunny';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OutputQuality } from '../../../src/contract/wire/output.ts';
import { hasFfprobe, probe } from '../../support/ffprobe.ts';
import { renderFile } from '../../support/in-memory.ts';
import { movingInput } from '../inputs.ts';

const hasFfmpeg = await hasFfprobe();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reelform-codecs-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe.each(['hevc', 'av1'] as const)('an MP4 of %s', (codec) => {
  const render = async (quality: OutputQuality = 'high') => {
    const output = { format: 'mp4', quality, codec, fingerprint: 'v1:4f0c' } as const;
    return (await renderFile(movingInput({ fps: 10, frameCount: 25, output }))).video;
  };

  test('has every frame in order, a key frame at least every two seconds, and reproducible bytes', async () => {
    const video = await render();
    const input = new Input({ source: new BufferSource(video), formats: [MP4] });
    const track = (await input.getPrimaryVideoTrack())!;
    expect(await track.getCodec()).toBe(codec);
    const packets = [];
    for await (const packet of new EncodedPacketSink(track).packets()) packets.push(packet);
    packets.sort((a, b) => a.timestamp - b.timestamp);
    expect(packets.map(({ timestamp }) => Math.round(timestamp * 10))).toEqual(
      Array.from({ length: 25 }, (_, at) => at),
    );
    expect(packets.flatMap(({ type }, at) => (type === 'key' ? [at] : []))).toEqual([0, 13]);
    expect(Buffer.compare(video, await render())).toBe(0);
    expect((await render('low')).length).toBeLessThan(video.length);
  });

  test.skipIf(!hasFfmpeg)('is identified by ffprobe as its codec, yuv420p and BT.709', async () => {
    const path = join(folder, `${codec}.mp4`);
    await writeFile(path, await render());
    expect(await probe(path)).toMatchObject({
      codec,
      pixelFormat: 'yuv420p',
      colorSpace: 'bt709',
      width: 160,
      height: 90,
      frameRate: '10/1',
      frameCount: 25,
    });
  });
});
