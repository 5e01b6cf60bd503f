import { describe, expect, it } from 'vitest';
import { openFont, unpackFont, withUnpackedFonts } from '../../../src/engine/text/open-font.ts';
import type { FontSettings } from '../../../src/template/render-input.ts';
import { LATIN, testFont, VARIABLE } from './test-fonts.ts';

const WOFF = testFont('noto-sans', 'latin', { ending: 'woff' });

/** Returns a copy with a 32-bit number changed. */
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
      name: 'RenderError',
      code: 'template_invalid',
      imageName: 'Broken',
      message: expect.stringContaining('Broken'),
    });
  });
});

describe('withUnpackedFonts()', () => {
  it('unpacks the first WOFF2 fonts, and leaves all others', async () => {
    const damaged = { name: 'damaged', bytes: new Uint8Array(LATIN.bytes).fill(7, 3_000), isFallback: false };
    const [latin, woff] = [LATIN, WOFF].map((font) => ({ ...font, isFallback: true }));
    const large = { name: 'large', bytes: new Uint8Array(300_000), isFallback: false };
    const last = { ...latin!, bytes: new Uint8Array(LATIN.bytes) };
    const input = { fonts: [latin!, woff!, damaged, large, last], frameCount: 3 };
    const unpacked = { ...latin!, bytes: await unpackFont('x', LATIN.bytes) };
    expect(await withUnpackedFonts(input)).toEqual({ ...input, fonts: [unpacked, woff, damaged, large, last] });
    expect((await withUnpackedFonts(input)).fonts[0]!.bytes).toBe((await withUnpackedFonts(input)).fonts[0]!.bytes);
  });
});

describe('openFont() with settings', () => {
  const widthOf = async (settings: FontSettings, text: string): Promise<number> => {
    const font = await openFont({ ...VARIABLE, ...settings });
    const glyphs = font.shape({ text, start: 0, end: text.length, isRtl: false, without: [] });
    return glyphs.reduce((sum, { advance }) => sum + advance, 0);
  };

  it('shapes and outlines the instance of a variable font', async () => {
    const [thin, regular, heavy] = await Promise.all(
      [{ wght: 100 }, {}, { wght: 900 }].map((axes) => openFont({ ...VARIABLE, axes })),
    );
    expect([thin, regular, heavy].map((font) => font!.weight)).toEqual([100, 400, 900]);
    expect(heavy!.weightRange).toEqual({ min: 100, max: 900 });
    const glyph = regular!.glyphOf(0x41);
    expect(heavy!.advanceOf(glyph)).toBeGreaterThan(regular!.advanceOf(glyph) * 1.1);
    expect(thin!.outlineOf(glyph)).not.toEqual(heavy!.outlineOf(glyph));
    expect(heavy!.boundsOf(glyph).right).toBeGreaterThan(regular!.boundsOf(glyph).right);
  });

  it('applies features', async () => {
    expect(await widthOf({}, '111')).toBeLessThan((await widthOf({}, '000')) * 0.95);
    expect(await widthOf({ features: { tnum: 1 } }, '111')).toBeCloseTo(
      await widthOf({ features: { tnum: 1 } }, '000'),
      6,
    );
    expect(await widthOf({ features: { kern: 0 } }, 'AVAV')).toBeGreaterThan(await widthOf({}, 'AVAV'));
  });

  it('opens the same instance once, and an instance without settings as the font itself', async () => {
    const font = await openFont({ ...VARIABLE, axes: { wght: 650 }, features: { tnum: 1, liga: 0 } });
    expect(await openFont({ ...VARIABLE, axes: { wght: 650 }, features: { liga: 0, tnum: 1 } })).toBe(font);
    expect(await openFont({ ...VARIABLE, axes: {}, features: {} })).toBe(await openFont(VARIABLE));
  });

  it.each([
    [
      VARIABLE,
      { axes: { wght: 950, wdth: 90 }, features: { ss42: 1, zzzz: 0 } },
      [
        /wght goes from 100 to 900, not to 950/,
        /no axis wdth: its axes are wght 100 to 900/,
        /no feature ss42: its features are ccmp,/,
      ],
    ],
    [LATIN, { axes: { wght: 700 } }, [/no axis wght: it is not a variable font/]],
    [VARIABLE, { axes: { toString: 1 } as Record<string, number> }, [/no axis toString/]],
  ])('rejects settings that a font lacks, all at once', async (font, settings, messages) => {
    const opened = openFont({ ...font, ...settings });
    for (const message of messages) {
      await expect(opened).rejects.toMatchObject({
        code: 'template_invalid',
        imageName: font.name,
        message: expect.stringMatching(message),
      });
    }
  });

  it.each([
    ['the axes', 'fvar'],
    ['the outlines of the axes', 'gvar'],
    ['the widths of the axes', 'HVAR'],
  ])('survives random changes to %s', async (_, table) => {
    const sfnt = await unpackFont('x', VARIABLE.bytes);
    const own = Buffer.from(sfnt);
    const entry = Array.from({ length: own.readUInt16BE(4) }, (_, index) => 12 + index * 16).find(
      (at) => own.toString('latin1', at, at + 4) === table,
    )!;
    const [offset, length] = [own.readUInt32BE(entry + 8), own.readUInt32BE(entry + 12)];
    for (let seed = 1; seed <= 40; seed++) {
      const damaged = new Uint8Array(sfnt);
      for (let change = 0; change < 6; change++) {
        const at = (seed * 7919 + change * 104_729) % Math.min(length, 200);
        damaged[offset + at] = (seed * 31 + change * 97) % 256;
      }
      const opened = await openFont({ name: 'Damaged', bytes: damaged, axes: { wght: 899.5 } }).catch((error) => error);
      if (opened instanceof Error) expect(opened).toMatchObject({ code: 'template_invalid' });
      else expect(opened.outlineOf(opened.glyphOf(0x41)).length).toBeLessThan(1_000);
    }
  });
});
