import { createCanvas, loadImage } from '@napi-rs/canvas';
import { unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { withPngComment } from '../../../src/engine/images/png-file.ts';
import { encodePng, openPngSequenceWriter } from '../../../src/engine/writers/png-writer.ts';
import { bytesOf } from '../../support/in-memory.ts';
import { ALPHA_FRAMES, box, drawn, GREEN, HEIGHT, RATE_30, WHITE, WIDTH } from './drawn-frames.ts';

/** Decodes with Skia. */
async function pixelsOf(png: Uint8Array): Promise<Uint8Array> {
  const canvas = createCanvas(WIDTH, HEIGHT);
  const context = canvas.getContext('2d');
  context.drawImage(await loadImage(Buffer.from(png)), 0, 0);
  return new Uint8Array(context.getImageData(0, 0, WIDTH, HEIGHT).data);
}

const OPTIONS = { width: WIDTH, height: HEIGHT, comment: null };

describe('encodePng()', () => {
  it.each([
    ['opaque', drawn(WHITE, box(7, GREEN)), 2],
    ['transparent', drawn([255, 0, 0, 128], box(7, [0, 0, 0, 0])), 6],
  ] as const)('preserves every pixel of an %s picture', async (_, picture, colorType) => {
    const png = await encodePng(picture, OPTIONS);
    expect(png[25]).toBe(colorType);
    expect(await pixelsOf(png)).toEqual(picture);
  });

  it('has the given comment, whether written at once or inserted later', async () => {
    const picture = drawn(WHITE, box(7, GREEN));
    const plain = await encodePng(picture, OPTIONS);
    const withComment = await encodePng(picture, { ...OPTIONS, comment: 'v1:abc' });
    expect(Buffer.from(withComment).toString('latin1')).toContain('tEXtComment\0v1:abc');
    expect(Buffer.compare(withPngComment(plain, 'v1:abc'), withComment)).toBe(0);
    expect(await pixelsOf(withComment)).toEqual(picture);
  });
});

describe('openPngSequenceWriter()', () => {
  it('writes a zip of all frames in order with reproducible bytes', async () => {
    const zip = async () => {
      const writer = await openPngSequenceWriter({
        format: { width: WIDTH, height: HEIGHT, rate: RATE_30 },
        frameCount: ALPHA_FRAMES.length,
        output: { format: 'png_sequence', quality: 'high', fingerprint: 'v1:abc' },
        sound: null,
      });
      for (const [frame, pixels] of ALPHA_FRAMES.entries()) await writer.write(pixels, frame);
      return bytesOf(await writer.finish());
    };
    const bytes = await zip();
    const files = unzipSync(bytes);
    expect(Object.keys(files)).toEqual(ALPHA_FRAMES.map((_, index) => `frame_0000${index + 1}.png`));
    for (const [index, png] of Object.values(files).entries()) expect(await pixelsOf(png)).toEqual(ALPHA_FRAMES[index]);
    expect(Buffer.compare(bytes, await zip())).toBe(0);
  });
});
