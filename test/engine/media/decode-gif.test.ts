import { createRequire } from 'node:module';
import { describe, expect, test } from 'vitest';
import { checkClip } from '../../../src/engine/media/check-media.ts';
import { gifPictures } from '../../../src/engine/media/decode-gif.ts';
import { defined } from '../../../src/kernel/defined.ts';

// Another reader and writer of GIFs, for comparison.
const { GifReader, GifWriter } = createRequire(import.meta.url)('omggif') as {
  GifReader: new (bytes: Uint8Array) => { decodeAndBlitFrameBGRA(frame: number, into: Uint8Array): void };
  GifWriter: new (
    into: Uint8Array,
    width: number,
    height: number,
    options: object,
  ) => {
    addFrame(x: number, y: number, w: number, h: number, pixels: ArrayLike<number>, options: object): void;
    end(): number;
  };
};

/** Black, red, green, blue. */
const PALETTE = [0x000000, 0xff0000, 0x00ff00, 0x0000ff];

interface Part {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
  readonly colour: number | ArrayLike<number>;
  /** Delay in hundredths of a second. */
  readonly delay?: number;
  readonly disposal?: number;
  readonly transparent?: number;
}

function gif(width: number, height: number, parts: readonly Part[]): Uint8Array {
  const into = new Uint8Array(1_000_000);
  const writer = new GifWriter(into, width, height, { palette: PALETTE, loop: 0 });
  for (const { x, y, w, h, colour, delay = 10, disposal = 0, transparent } of parts) {
    const pixels = typeof colour === 'number' ? new Array(w * h).fill(colour) : colour;
    writer.addFrame(x, y, w, h, pixels, { delay, disposal, ...defined({ transparent }) });
  }
  return into.slice(0, writer.end());
}

/** Returns a letter per pixel, row by row: black, red, green, blue, or a dot for transparent. */
async function drawn(bytes: Uint8Array, picture: number): Promise<string> {
  const { bgra } = await gifPictures(bytes, 'a.gif').picture(picture);
  const letters: string[] = [];
  for (let at = 0; at < bgra.length; at += 4) {
    const [b, g, r, a] = bgra.subarray(at, at + 4);
    letters.push(a === 0 ? '.' : r! > 0 ? 'r' : g! > 0 ? 'g' : b! > 0 ? 'b' : 'k');
  }
  return letters.join('');
}

const whole = (colour: number, changes: Partial<Part> = {}): Part => ({ x: 0, y: 0, w: 3, h: 2, colour, ...changes });

describe('gifPictures()', () => {
  test('paints each picture according to the disposal of the previous picture', async () => {
    const spot = (colour: number, x: number, disposal: number): Part => ({ x, y: 0, w: 1, h: 1, colour, disposal });
    const bytes = gif(3, 2, [whole(1), spot(2, 0, 1), spot(3, 1, 3), spot(2, 2, 2), spot(3, 0, 0)]);
    expect(await Promise.all([0, 1, 2, 3, 4].map((index) => drawn(bytes, index)))).toEqual([
      'rrrrrr',
      'grrrrr',
      'gbrrrr',
      'grgrrr',
      'br.rrr',
    ]);
  });

  test('is transparent where nothing is painted or the colour is transparent', async () => {
    const bytes = gif(3, 1, [{ x: 0, y: 0, w: 2, h: 1, colour: [1, 2], transparent: 2 }]);
    expect(await drawn(bytes, 0)).toBe('r..');
  });

  test('seeks backwards', async () => {
    const pictures = gifPictures(gif(3, 2, [whole(1), whole(2), whole(3)]), 'a.gif');
    const shown = [];
    for (const index of [2, 0, 1]) shown.push([...(await pictures.picture(index)).bgra.subarray(0, 3)].indexOf(255));
    expect(shown).toEqual([0, 2, 1]);
  });

  test('uses the delay of each picture, and a tenth of a second for delays near zero', async () => {
    const bytes = gif(3, 2, [whole(1, { delay: 4 }), whole(2, { delay: 0 }), whole(3, { delay: 30 })]);
    const pictures = gifPictures(bytes, 'a.gif');
    expect([0, 0.039, 0.04, 0.139, 0.14, 9].map((time) => pictures.indexAt(time))).toEqual([0, 0, 1, 1, 2, 2]);
    expect(await checkClip(bytes, 'a.gif')).toMatchObject({ type: 'gif', width: 3, height: 2, hasSound: false });
    expect((await checkClip(bytes, 'a.gif')).durationSeconds).toBeCloseTo(0.44, 9);
  });

  test('decodes the output of another writer as another reader does', async () => {
    // Long runs and noise, so that codes of all lengths occur and the table fills up.
    const pixels = Array.from({ length: 200 * 100 }, (_, at) =>
      at % 200 < 60 ? 1 : Math.floor(Math.sin(at * at) * 1e4) & 3,
    );
    const bytes = gif(200, 100, [{ x: 0, y: 0, w: 200, h: 100, colour: pixels }]);
    const expected = new Uint8Array(200 * 100 * 4);
    new GifReader(bytes).decodeAndBlitFrameBGRA(0, expected);
    const { bgra } = await gifPictures(bytes, 'a.gif').picture(0);
    expect(Buffer.compare(Buffer.from(bgra.buffer), expected)).toBe(0);
  });

  test('places interlaced rows correctly', async () => {
    const rows = [0, 8, 4, 2, 6, 1, 3, 5, 7, 9];
    const bytes = gif(1, 10, [{ x: 0, y: 0, w: 1, h: 10, colour: rows.map((row) => (row < 5 ? 1 : 2)) }]);
    const image = bytes.lastIndexOf(0x2c, bytes.length - 10);
    bytes[image + 9]! |= 0x40;
    expect(await drawn(bytes, 0)).toBe('rrrrrggggg');
  });

  test('returns the complete pictures of a truncated file', async () => {
    const bytes = gif(3, 2, [whole(1), whole(2)]);
    expect((await checkClip(bytes.subarray(0, bytes.length - 8), 'a.gif')).durationSeconds).toBeCloseTo(0.1, 9);
    await expect(checkClip(bytes.subarray(0, 30), 'a.gif')).rejects.toMatchObject({ code: 'asset_decode_failed' });
  });
});
