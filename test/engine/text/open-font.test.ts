import { describe, expect, it } from 'vitest';
import { openFont, unpackFont } from '../../../src/engine/text/open-font.ts';
import { LATIN, testFont } from './test-fonts.ts';

const WOFF = testFont('noto-sans', 'latin', { ending: 'woff' });

/** Returns a copy with one 32-bit number changed. */
function changed(bytes: Uint8Array, offset: number, value: number): Uint8Array {
  const copy = new Uint8Array(bytes);
  new DataView(copy.buffer).setUint32(offset, value);
  return copy;
}

describe('openFont()', () => {
  it('shapes TrueType, WOFF and WOFF2 alike', async () => {
    const request = { text: 'AV fi', start: 0, end: 5, isRtl: false, without: [] };
    const ttf = await unpackFont('x', WOFF.bytes);
    const shaped = await Promise.all(
      [LATIN.bytes, WOFF.bytes, ttf].map(async (bytes) => (await openFont({ name: 'x', bytes })).shape(request)),
    );
    expect(shaped[1]).toEqual(shaped[0]);
    expect(shaped[2]).toEqual(shaped[0]);
  });

  it('opens a file once, whatever its name', async () => {
    const first = await openFont(LATIN);
    expect(await openFont({ name: 'another', bytes: new Uint8Array(LATIN.bytes) })).toBe(first);
  });

  it.each([
    ['cut off', LATIN.bytes.slice(0, 2_000)],
    ['of another kind', new TextEncoder().encode('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['empty', new Uint8Array()],
    ['WOFF2 with damaged data', new Uint8Array(LATIN.bytes).fill(7, 3_000)],
    ['WOFF2 that unpacks to 4 GB', changed(LATIN.bytes, 16, 0xffffffff)],
    ['WOFF with damaged data', new Uint8Array(WOFF.bytes).fill(7, 2_000)],
    ['WOFF with a table outside of the file', changed(WOFF.bytes, 44 + 4, 0xfffffff0)],
    ['WOFF with a table of 4 GB', changed(WOFF.bytes, 44 + 12, 0xfffffff0)],
  ])('rejects a file that is %s', async (_, bytes) => {
    await expect(openFont({ name: 'Broken', bytes })).rejects.toMatchObject({
      name: 'SceneError',
      code: 'template_invalid',
      imageName: 'Broken',
      message: expect.stringContaining('Broken'),
    });
  });
});
