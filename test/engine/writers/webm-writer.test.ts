import { BufferSource, EncodedPacketSink, Input, WEBM } from 'mediabunny';
import { describe, expect, it } from 'vitest';
import type { OutputQuality } from '../../../src/contract/wire/output.ts';
import { Decoder } from '../../../src/engine/codec/decoder.ts';
import type { AudioTrack } from '../../../src/engine/codec/encoded-track.ts';
import { makeSound } from '../../../src/engine/media/make-sound.ts';
import { openWebmWriter } from '../../../src/engine/writers/webm-writer.ts';
import { bytesOf } from '../../support/in-memory.ts';
import { inputOf } from '../inputs.ts';
import { stereoWav } from '../media/media-files.ts';
import { ALPHA_FRAMES, box, drawn, GREEN, HEIGHT, NOTHING, RATE_30, WHITE, WIDTH } from './drawn-frames.ts';

interface Wish {
  readonly rate?: typeof RATE_30;
  readonly quality?: OutputQuality;
  readonly sound?: AudioTrack | null;
}

async function encoded(frames: readonly Uint8Array[], wish: Wish = {}): Promise<Uint8Array> {
  const { rate = RATE_30, quality = 'high', sound = null } = wish;
  const writer = await openWebmWriter({
    format: { width: WIDTH, height: HEIGHT, rate },
    frameCount: frames.length,
    output: { format: 'webm', quality, fingerprint: 'v1:abc' },
    sound: Promise.resolve(sound),
  });
  try {
    for (const [frame, pixels] of frames.entries()) await writer.write(pixels, frame);
    return await bytesOf(await writer.finish());
  } finally {
    writer.close();
  }
}

async function read(file: Uint8Array) {
  const input = new Input({ source: new BufferSource(file), formats: [WEBM] });
  const track = (await input.getPrimaryVideoTrack())!;
  const packets = [];
  for await (const packet of new EncodedPacketSink(track).packets()) packets.push(packet);
  return { input, track, packets };
}

/** The luma of every picture of a VP9 stream. */
async function lumaOf(packets: readonly { readonly data: Uint8Array }[]): Promise<Buffer[]> {
  const pictures: Buffer[] = [];
  const decoder = await Decoder.open({ codec: 'vp9', kind: 'video', name: 'test' }, (frame) => {
    pictures.push(frame.toBuffer().subarray(0, WIDTH * HEIGHT));
  });
  for (const [index, { data }] of packets.entries()) await decoder.feed(data, index);
  await decoder.flush();
  decoder.close();
  return pictures;
}

describe('openWebmWriter()', () => {
  it('stores alpha for every frame, including those before the first transparent frame', async () => {
    const frames = [drawn(WHITE), ...ALPHA_FRAMES];
    const { packets, track, input } = await read(await encoded(frames));
    expect(await track.getCodec()).toBe('vp9');
    expect(await input.getMetadataTags()).toMatchObject({ comment: 'v1:abc' });
    expect(packets).toHaveLength(frames.length);
    const alpha = await lumaOf(packets.map(({ sideData }) => ({ data: sideData.alpha! })));
    for (const [index, plane] of alpha.entries()) {
      const expected = frames[index]!.filter((_, at) => at % 4 === 3);
      const difference = expected.reduce((sum, level, at) => sum + Math.abs(level - plane[at]!), 0) / expected.length;
      expect(difference, `frame ${index}`).toBeLessThan(2);
    }
  });

  it('omits alpha when every frame is opaque and leaves no rim otherwise', async () => {
    const opaque = await read(await encoded([drawn(WHITE), drawn(GREEN)]));
    expect(opaque.packets.every(({ sideData }) => sideData.alpha === undefined)).toBe(true);
    const { packets } = await read(await encoded([drawn(NOTHING, box(5, WHITE, 5, 20))]));
    const [luma] = await lumaOf(packets);
    // White is 235: its edge must be no darker than its middle.
    for (let y = 5; y < 25; y++) for (let x = 5; x < 25; x++) expect(luma![y * WIDTH + x]).toBeGreaterThan(225);
  });

  it('has every frame on time, a key frame every two seconds, and reproducible bytes', async () => {
    const rate = { numerator: 30_000, denominator: 1001 };
    const frames = Array.from({ length: 65 }, (_, index) => drawn(WHITE, box(index % 40, GREEN)));
    const file = await encoded(frames, { rate });
    const { packets } = await read(file);
    for (const [index, { timestamp }] of packets.entries()) {
      expect(Math.abs(timestamp - (index * 1001) / 30_000)).toBeLessThan(0.001);
    }
    expect(packets.flatMap(({ type }, index) => (type === 'key' ? [index] : []))).toEqual([0, 60]);
    expect(Buffer.compare(file, await encoded(frames, { rate }))).toBe(0);
  });

  it('has sound in Opus from start to end', async () => {
    const bytes = stereoWav(
      48_000,
      Array.from({ length: 48_000 }, (_, sample) => Math.sin(sample / 8) / 2),
    );
    const sounds = [{ bytes, startSeconds: 0, endSeconds: 9, transform: {}, name: 'music', optional: false }];
    const sound = await makeSound(inputOf([], { fps: 30, frameCount: 15, sounds }), 'opus');
    const file = await encoded(
      Array.from({ length: 15 }, () => drawn(WHITE)),
      { sound },
    );
    sound?.packets.close();
    const { input } = await read(file);
    const audio = (await input.getPrimaryAudioTrack())!;
    expect(await audio.getCodec()).toBe('opus');
    const first = await audio.getFirstTimestamp();
    expect(first).toBeGreaterThanOrEqual(0);
    expect(Math.abs((await audio.computeDuration()) - first - 0.5)).toBeLessThan(0.03);
  });

  it('is smaller at lower quality', async () => {
    let seed = 1;
    const noise = (): Uint8Array => {
      const pixels = drawn(WHITE);
      for (let at = 0; at < pixels.length; at += 4) {
        seed = (seed * 16_807) % 2_147_483_647;
        pixels.fill(seed % 256, at, at + 3);
      }
      return pixels;
    };
    const frames = Array.from({ length: 30 }, noise);
    const [low, high] = [await encoded(frames, { quality: 'low' }), await encoded(frames, { quality: 'high' })];
    expect(low.length).toBeLessThan(high.length);
  });
});
