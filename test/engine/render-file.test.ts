import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadImage } from '@napi-rs/canvas';
import { execa } from 'execa';
import { ALL_FORMATS, BufferSource, EncodedPacketSink, Input } from 'mediabunny';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EncoderFactory } from '../../src/engine/codec/encoded-track.ts';
import { encoderOf, SOFTWARE } from '../../src/engine/codec/video-encoder.ts';
import type { RenderInput } from '../../src/template/render-input.ts';
import { hasFfprobe, probe } from '../support/ffprobe.ts';
import { renderFile } from '../support/in-memory.ts';
import { imageLayer, inputOf, movingInput, rectangleLayer } from './inputs.ts';

const hasFfmpeg = await hasFfprobe();
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'reelform-engine-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function videoFile(renderInput: RenderInput): Promise<string> {
  const path = join(folder, `${createHash('sha256').update(JSON.stringify(renderInput)).digest('hex')}.mp4`);
  await writeFile(path, (await renderFile(renderInput)).video);
  return path;
}

/** Every packet of the video track, read by mediabunny. */
async function readBack(video: Uint8Array) {
  const input = new Input({ source: new BufferSource(video), formats: ALL_FORMATS });
  const track = (await input.getPrimaryVideoTrack())!;
  const packets = [];
  for await (const packet of new EncodedPacketSink(track).packets()) packets.push(packet);
  // Packets are in decoding order.
  packets.sort((a, b) => a.timestamp - b.timestamp);
  return { track, packets, durationSeconds: await input.computeDuration() };
}

/** Encoder that also records a digest of each frame. */
function frameDigests(into: string[]): EncoderFactory {
  return async (format) => {
    const encoder = await encoderOf(SOFTWARE)(format, 'high');
    return {
      encode(i420, frame) {
        into.push(createHash('sha256').update(i420).digest('hex'));
        return encoder.encode(i420, frame);
      },
      finish: () => encoder.finish(),
      close: () => encoder.close(),
    };
  };
}

describe('renderFile()', () => {
  test('produces an H.264 MP4 with every frame in order', async () => {
    const { video, ...rest } = await renderFile(movingInput());
    const { track, packets, durationSeconds } = await readBack(video);
    expect(await track.getCodec()).toBe('avc');
    expect([track.codedWidth, track.codedHeight]).toEqual([160, 90]);
    expect(await track.getColorSpace()).toEqual({
      primaries: 'bt709',
      transfer: 'bt709',
      matrix: 'bt709',
      fullRange: false,
    });
    expect(packets.map((packet) => packet.timestamp)).toEqual(Array.from({ length: 12 }, (_, frame) => frame / 30));
    expect(packets.map((packet) => packet.duration)).toEqual(Array.from({ length: 12 }, () => 1 / 30));
    expect(packets[0]!.type).toBe('key');
    expect(durationSeconds).toBe(0.4);
    expect(rest).toMatchObject({ width: 160, height: 90, frameCount: 12, durationSeconds: 0.4 });
  });

  test('puts the index before the media data', async () => {
    const { video } = await renderFile(movingInput());
    const bytes = Buffer.from(video);
    expect(bytes.indexOf('moov')).toBeLessThan(bytes.indexOf('mdat'));
  });

  test.skipIf(!hasFfmpeg)('is identified by ffprobe as yuv420p and BT.709 with the same number of frames', async () => {
    expect(await probe(await videoFile(movingInput()))).toEqual({
      codec: 'h264',
      pixelFormat: 'yuv420p',
      colorSpace: 'bt709',
      width: 160,
      height: 90,
      frameRate: '30/1',
      frameCount: 12,
      durationSeconds: 0.4,
    });
  });

  test.skipIf(!hasFfmpeg)(
    'stores colour and frame rate in the stream itself, for copies without the container',
    async () => {
      const mp4 = await videoFile(movingInput({ fps: 29.97 }));
      const raw = `${mp4}.h264`;
      await execa('ffmpeg', ['-v', 'error', '-y', '-i', mp4, '-c', 'copy', '-f', 'h264', raw]);
      expect(await probe(raw)).toMatchObject({ colorSpace: 'bt709', frameRate: '30000/1001' });
    },
  );

  test('treats 29.97 frames per second as 30000/1001 with every frame on time', async () => {
    const { video, durationSeconds } = await renderFile(movingInput({ fps: 29.97, frameCount: 65 }));
    const { track, packets } = await readBack(video);
    expect(durationSeconds).toBeCloseTo((65 * 1001) / 30_000, 9);
    expect(await track.getTimeResolution()).toBe(30_000);
    expect(packets.map((packet) => Math.round(packet.timestamp * 30_000))).toEqual(
      Array.from({ length: 65 }, (_, frame) => frame * 1001),
    );
    expect(packets.map((packet) => Math.round(packet.duration * 30_000))).toEqual(
      Array.from({ length: 65 }, () => 1001),
    );
  });

  test('has a key frame at least every two seconds', async () => {
    const { packets } = await readBack((await renderFile(movingInput({ fps: 10, frameCount: 45 }))).video);
    expect(packets.flatMap((packet, frame) => (packet.type === 'key' ? [frame] : []))).toEqual([0, 20, 33]);
  });

  test('produces the same frames and bytes again', async () => {
    const [first, second]: [string[], string[]] = [[], []];
    const result = await renderFile(movingInput(), { encoder: frameDigests(first) });
    const repeated = await renderFile(movingInput(), { encoder: frameDigests(second) });
    expect(first).toHaveLength(12);
    expect(new Set(first).size).toBe(12);
    expect(second).toEqual(first);
    expect(Buffer.compare(result.video, repeated.video)).toBe(0);
    expect(repeated.stills).toEqual(result.stills);
  });

  test.skipIf(!hasFfmpeg)('preserves colours through conversion, encoding and another decoder', async () => {
    const colours: [number, number, number][] = [
      [1, 0, 0],
      [0, 1, 0],
      [0, 0, 1],
      [1, 1, 1],
      [0, 0, 0],
      [0.5, 0.5, 0.5],
      [1, 0.75, 0.2],
      [0.1, 0.3, 0.6],
    ];
    const layers = colours.map((colour, index) => rectangleLayer(index + 1, [index * 32, 0, 32, 64], colour));
    const mp4 = await videoFile(inputOf(layers, { width: 256, height: 64 }));
    const rgb = ['-frames:v', '1', '-f', 'rawvideo', '-pix_fmt', 'rgb24', '-'];
    const { stdout } = await execa(
      'ffmpeg',
      ['-v', 'error', '-i', mp4, '-vf', 'scale=in_color_matrix=auto:flags=accurate_rnd+full_chroma_int', ...rgb],
      { encoding: 'buffer' },
    );
    for (const [index, colour] of colours.entries()) {
      const at = (32 * 256 + index * 32 + 16) * 3;
      const difference = colour.map((channel, c) => Math.abs(channel * 255 - stdout[at + c]!));
      expect(Math.max(...difference)).toBeLessThan(4);
    }
  });

  test('returns a JPEG still of each named frame in full size', async () => {
    const layers = [
      rectangleLayer(1, [0, 0, 64, 36], [1, 0, 0], { ip: 3 }),
      rectangleLayer(2, [0, 0, 64, 36], [0, 0, 1]),
    ];
    const stills = [
      { name: 'late', frame: 3 },
      { name: 'early', frame: 2 },
      { name: 'also late', frame: 3 },
    ];
    const { stills: kept } = await renderFile(inputOf(layers, { stills }));
    expect(kept.map(({ name, width, height }) => [name, width, height])).toEqual([
      ['late', 64, 36],
      ['early', 64, 36],
      ['also late', 64, 36],
    ]);
    expect(kept[0]!.bytes).toEqual(kept[2]!.bytes);
    expect(kept[0]!.bytes).not.toEqual(kept[1]!.bytes);
    const picture = await loadImage(Buffer.from(kept[0]!.bytes));
    expect([picture.width, picture.height]).toEqual([64, 36]);
  });

  test('reports every frame once, in order', async () => {
    const seen: [number, number][] = [];
    await renderFile(movingInput(), { onProgress: (done, count) => seen.push([done, count]) });
    expect(seen).toEqual(Array.from({ length: 12 }, (_, index) => [index + 1, 12]));
  });

  test('stops with the reason when it is aborted', async () => {
    const controller = new AbortController();
    const seen: number[] = [];
    const onProgress = (done: number): void => {
      seen.push(done);
      if (done === 3) controller.abort(new Error('enough'));
    };
    const rendering = renderFile(movingInput({ frameCount: 1_000 }), { signal: controller.signal, onProgress });
    await expect(rendering).rejects.toThrow('enough');
    expect(seen).toEqual([1, 2, 3]);
  });

  test('does not start when it is already aborted', async () => {
    await expect(renderFile(movingInput(), { signal: AbortSignal.abort(new Error('never')) })).rejects.toThrow('never');
  });

  test('names the image that cannot be used', async () => {
    const image = {
      assetId: 'photo',
      width: 16,
      height: 16,
      bytes: new Uint8Array(9),
      transform: {},
      name: 'hero.jpg',
    };
    const document = { assets: [{ id: 'photo', w: 16, h: 16, u: '', p: 'hero.jpg', e: 0 }] };
    const renderInput = inputOf([imageLayer(1, 'photo')], { images: [image], document });
    await expect(renderFile(renderInput)).rejects.toMatchObject({
      name: 'RenderError',
      code: 'asset_type_unsupported',
      imageName: 'hero.jpg',
    });
  });

  test('names the sound that cannot be used before the last frame', async () => {
    const seen: number[] = [];
    const place = { startSeconds: 0, endSeconds: 9, transform: {}, optional: false };
    const music = { ...place, bytes: new Uint8Array(9), name: 'music' };
    const renderInput = movingInput({ frameCount: 18_000, sounds: [music] });
    await expect(renderFile(renderInput, { onProgress: (done) => seen.push(done) })).rejects.toMatchObject({
      code: 'asset_type_unsupported',
      imageName: 'music',
    });
    expect(seen.length).toBeLessThan(18_000);
  });

  test('rejects a harmful animation before drawing anything', async () => {
    const renderInput = inputOf([], { document: { op: 1e12 } });
    await expect(renderFile(renderInput)).rejects.toMatchObject({ code: 'template_invalid' });
  });

  test('passes on errors of the encoder', async () => {
    const broken: EncoderFactory = async (format) => {
      const encoder = await encoderOf(SOFTWARE)(format, 'high');
      return {
        encode: (i420, frame) => encoder.encode(frame === 2 ? i420.subarray(1) : i420, frame),
        finish: () => encoder.finish(),
        close: () => encoder.close(),
      };
    };
    await expect(renderFile(movingInput(), { encoder: broken })).rejects.toMatchObject({ code: 'encode_failed' });
  });

  test('renders 2 × 2 pixels and a single frame', async () => {
    const { video } = await renderFile(inputOf([], { width: 2, height: 2, frameCount: 1 }));
    expect((await readBack(video)).packets).toHaveLength(1);
  });
});
