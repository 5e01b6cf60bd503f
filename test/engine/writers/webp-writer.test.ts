import { createCanvas, loadImage } from '@napi-rs/canvas';
import { describe, expect, it } from 'vitest';
import { openWebpWriter } from '../../../src/engine/writers/webp-writer.ts';
import { bytesOf } from '../../support/in-memory.ts';
import {
  ALPHA_FRAMES,
  box,
  drawn,
  GREEN,
  HEIGHT,
  meanDifference,
  NOTHING,
  RATE_30,
  WHITE,
  WIDTH,
} from './drawn-frames.ts';

async function encoded(frames: readonly Uint8Array[], rate = RATE_30): Promise<Buffer> {
  const writer = await openWebpWriter({
    format: { width: WIDTH, height: HEIGHT, rate },
    frameCount: frames.length,
    output: { format: 'webp', quality: 'high', fingerprint: 'v1:abc' },
    sound: null,
  });
  for (const [frame, pixels] of frames.entries()) await writer.write(pixels, frame);
  const bytes = Buffer.from(await bytesOf(await writer.finish()));
  writer.close();
  return bytes;
}

interface Chunk {
  readonly type: string;
  readonly data: Buffer;
}

function chunksOf(bytes: Buffer): Chunk[] {
  const chunks: Chunk[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = bytes.readUInt32LE(at + 4);
    chunks.push({ type: bytes.toString('latin1', at, at + 4), data: bytes.subarray(at + 8, at + 8 + size) });
    at += 8 + size + (size & 1);
  }
  return chunks;
}

/** Screen contents at each frame by the container's rules. @see WebP Container Specification, "ANMF" */
async function composedFrames(file: Buffer) {
  expect(file.toString('latin1', 0, 4) + file.toString('latin1', 8, 12)).toBe('RIFFWEBP');
  expect(file.readUInt32LE(4)).toBe(file.length - 8);
  const chunks = chunksOf(file.subarray(12));
  const canvas = createCanvas(WIDTH, HEIGHT);
  const context = canvas.getContext('2d');
  const frames = [];
  for (const { data } of chunks.filter(({ type }) => type === 'ANMF')) {
    const [x, y] = [data.readUIntLE(0, 3) * 2, data.readUIntLE(3, 3) * 2];
    const [width, height] = [data.readUIntLE(6, 3) + 1, data.readUIntLE(9, 3) + 1];
    if ((data.readUInt8(15) & 2) !== 0) context.clearRect(x, y, width, height);
    context.drawImage(await loadImage(stillOf(data.subarray(16), width, height)), x, y);
    const picture = new Uint8Array(context.getImageData(0, 0, WIDTH, HEIGHT).data);
    frames.push({ picture, durationMs: data.readUIntLE(12, 3), area: [x, y, width, height] });
    if ((data.readUInt8(15) & 1) !== 0) context.clearRect(x, y, width, height);
  }
  return { chunks, frames };
}

/** A frame's chunks as a separate file. */
function stillOf(image: Buffer, width: number, height: number): Buffer {
  const header = Buffer.alloc(18);
  header.write('VP8X', 'latin1');
  header.writeUInt32LE(10, 4);
  header.writeUInt8(0x10, 8);
  header.writeUIntLE(width - 1, 12, 3);
  header.writeUIntLE(height - 1, 15, 3);
  const head = Buffer.from('RIFF\0\0\0\0WEBP', 'latin1');
  head.writeUInt32LE(4 + header.length + image.length, 4);
  return Buffer.concat([head, header, image]);
}

describe('openWebpWriter()', () => {
  it('shows every picture with its alpha and repeated ones for longer', async () => {
    const { frames, chunks } = await composedFrames(await encoded(ALPHA_FRAMES));
    const expected = ALPHA_FRAMES.filter((_, index) => index !== 2);
    expect(frames.map(({ durationMs }) => durationMs)).toEqual([33, 67, 33, 34, 33]);
    for (const [index, { picture }] of frames.entries())
      expect(meanDifference(picture, expected[index]!)).toBeLessThan(2);
    expect(chunks[0]!.type).toBe('VP8X');
    expect(chunks[0]!.data.readUInt8(0)).toBe(0x16);
    expect(chunks[1]).toMatchObject({ type: 'ANIM', data: Buffer.alloc(6) });
    expect(chunks.at(-1)!.type).toBe('XMP ');
    expect(chunks.at(-1)!.data.toString()).toContain('>v1:abc<');
  });

  it('stores only the changed area of a frame at an even position', async () => {
    const { frames } = await composedFrames(await encoded([drawn(WHITE, box(3, GREEN)), drawn(WHITE, box(5, GREEN))]));
    expect(frames[1]!.area).toEqual([2, 8, 19, 16]);
    expect(meanDifference(frames[1]!.picture, drawn(WHITE, box(5, GREEN)))).toBeLessThan(2);
  });

  it('writes a single picture with its alpha and XMP description when all frames are equal', async () => {
    const picture = drawn(NOTHING, box(3, GREEN));
    const file = await encoded([picture, picture]);
    const types = chunksOf(file.subarray(12)).map(({ type }) => type);
    expect([types[0], types.at(-1)]).toEqual(['VP8X', 'XMP ']);
    expect(file.readUInt8(20) & 0x14).toBe(0x14);
    const canvas = createCanvas(WIDTH, HEIGHT);
    canvas.getContext('2d').drawImage(await loadImage(file), 0, 0);
    const shownPicture = new Uint8Array(canvas.getContext('2d').getImageData(0, 0, WIDTH, HEIGHT).data);
    expect(meanDifference(shownPicture, picture)).toBeLessThan(2);
  });

  it('is as long as the video at 29.97 frames a second and has reproducible bytes', async () => {
    const rate = { numerator: 30_000, denominator: 1001 };
    const frames = Array.from({ length: 40 }, (_, index) => drawn(WHITE, box(index, GREEN)));
    const file = await encoded(frames, rate);
    const { frames: read } = await composedFrames(file);
    expect(read.reduce((sum, { durationMs }) => sum + durationMs, 0)).toBe(Math.round((40 * 1_001_000) / 30_000));
    expect(Buffer.compare(file, await encoded(frames, rate))).toBe(0);
  });
});
