import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BufferSource, EncodedPacketSink, Input, QTFF } from 'mediabunny';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { OutputCodec, OutputQuality } from '../../../src/contract/wire/output.ts';
import { loadLibav } from '../../../src/engine/codec/libav.ts';
import type { RenderInput } from '../../../src/template/render-input.ts';
import { hasFfprobe, probe } from '../../support/ffprobe.ts';
import { renderFile } from '../../support/in-memory.ts';
import { inputOf, placed, rectangleLayer } from '../inputs.ts';
import { stereoWav } from '../media/media-files.ts';

const hasFfmpeg = await hasFfprobe();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reelform-prores-'));
});
afterAll(() => rm(folder, { recursive: true }));

const CODECS = { prores422: undefined, prores4444: 'prores4444' } as const;

/** Red at half opacity on the left, nothing on the right; a tone of 48 kHz. */
function renderInput(codec: OutputCodec | undefined, quality: OutputQuality = 'high'): RenderInput {
  const tone = Float32Array.from({ length: 60_000 }, (_, at) => 0.5 * Math.sin(at / 20));
  const bytes = stereoWav(48_000, tone);
  return inputOf([rectangleLayer(1, [0, 0, 32, 36], [1, 0, 0], { ks: placed(0, 0, { o: { a: 0, k: 50 } }) })], {
    fps: 10,
    frameCount: 25,
    output: { format: 'mov', quality, fingerprint: 'v1:4f0c', ...(codec && { codec }) },
    sounds: [{ bytes, startSeconds: 0, endSeconds: 9, transform: {}, name: 'tone', optional: false }],
  });
}

const opened = (video: Uint8Array): Input => new Input({ source: new BufferSource(video), formats: [QTFF] });

/** Returns the planes of a frame, 16 bits each sample. */
async function decoded(frame: Uint8Array): Promise<{ format: string | null; samples: Uint16Array }> {
  const { Codec, CodecContext, Dictionary, Frame, Packet, avGetPixFmtName } = loadLibav();
  const [context, options, packet, picture] = [new CodecContext(), new Dictionary(), new Packet(), new Frame()];
  for (const native of [options, packet, picture]) native.alloc();
  const codec = Codec.findDecoderByName('prores')!;
  context.allocContext3(codec);
  Object.assign(context, { width: 64, height: 36 });
  expect(await context.open2(codec, options)).toBe(0);
  packet.data = Buffer.from(frame);
  expect(await context.sendPacket(packet)).toBe(0);
  expect(await context.receiveFrame(picture)).toBe(0);
  const planes = Uint8Array.from(picture.toBuffer());
  const result = { format: avGetPixFmtName(picture.format), samples: new Uint16Array(planes.buffer) };
  for (const native of [options, packet, picture]) native.free();
  context.freeContext();
  return result;
}

async function firstFrame(video: Uint8Array): Promise<Uint8Array> {
  const track = (await opened(video).getPrimaryVideoTrack())!;
  return (await new EncodedPacketSink(track).getFirstPacket())!.data;
}

describe.each(['prores422', 'prores4444'] as const)('a MOV of %s', (codec) => {
  test('has every frame as a key frame, sound in PCM, and the same bytes again', async () => {
    const { video } = await renderFile(renderInput(CODECS[codec]));
    expect(video.length).toBeGreaterThan(10_000);
    const input = opened(video);
    const track = (await input.getPrimaryVideoTrack())!;
    expect(await track.getCodec()).toBe('prores');
    const times: number[] = [];
    for await (const { timestamp, type } of new EncodedPacketSink(track).packets()) {
      expect(type).toBe('key');
      times.push(Math.round(timestamp * 10));
    }
    expect(times).toEqual(Array.from({ length: 25 }, (_, at) => at));
    const sound = (await input.getPrimaryAudioTrack())!;
    expect([await sound.getCodec(), await sound.getSampleRate()]).toEqual(['pcm-s24', 48_000]);
    expect(await sound.computeDuration()).toBeCloseTo(2.5, 4);
    const first = (await new EncodedPacketSink(sound).getFirstPacket())!;
    expect(Buffer.from(first.data).readIntLE(60 * 6, 3) / 2 ** 23).toBeCloseTo(0.5 * Math.sin(3), 3);
    expect(Buffer.from(video).includes('v1:4f0c')).toBe(true);
    expect(Buffer.compare(video, (await renderFile(renderInput(CODECS[codec]))).video)).toBe(0);
  });

  test.skipIf(!hasFfmpeg)('is identified by ffprobe as its codec, ten bits and BT.709', async () => {
    const path = join(folder, `${codec}.mov`);
    await writeFile(path, (await renderFile(renderInput(codec))).video);
    // ffmpeg's decoder pads alpha to twelve bits.
    const pixelFormat = codec === 'prores422' ? 'yuv422p10le' : 'yuva444p12le';
    expect(await probe(path)).toMatchObject({
      codec: 'prores',
      pixelFormat,
      colorSpace: 'bt709',
      width: 64,
      height: 36,
      frameRate: '10/1',
      frameCount: 25,
    });
  });
});

test('prores422 shows an input over black, in BT.709 with limited range', async () => {
  const { format, samples } = await decoded(await firstFrame((await renderFile(renderInput('prores422'))).video));
  expect(format).toBe('yuv422p10le');
  // Red of 128: 64 + 876 × 0.2126 × 128 / 255.
  expect(Math.abs(samples[18 * 64 + 8]! - 157.5)).toBeLessThan(4);
  expect(Math.abs(samples[18 * 64 + 56]! - 64)).toBeLessThan(4);
});

test('prores4444 keeps alpha, and the colour that it applies to', async () => {
  const { format, samples } = await decoded(await firstFrame((await renderFile(renderInput('prores4444'))).video));
  expect(format).toMatch(/^yuva444p1[02]le$/);
  const bits = format === 'yuva444p12le' ? 4 : 1;
  const [luma, alpha] = [samples.subarray(0, 64 * 36), samples.subarray(64 * 36 * 3)];
  // Red of 255: 64 + 876 × 0.2126, at half opacity.
  expect(Math.abs(luma[18 * 64 + 8]! / bits - 250)).toBeLessThan(4);
  expect(Math.abs(alpha[18 * 64 + 8]! / bits - 512)).toBeLessThan(4);
  expect(alpha[18 * 64 + 56]).toBe(0);
});

test('prores422 has a profile for each quality', async () => {
  const tags = await Promise.all(
    (['low', 'medium', 'high'] as const).map(async (quality) => {
      const track = (await opened((await renderFile(renderInput('prores422', quality))).video).getPrimaryVideoTrack())!;
      return (await track.getDecoderConfig())?.codec;
    }),
  );
  expect(tags).toEqual(['apcs', 'apcn', 'apch']);
});
