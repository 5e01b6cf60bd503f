import { readFile, writeFile } from 'node:fs/promises';
import { type Canvas, createCanvas, loadImage } from '@napi-rs/canvas';
import { describe, expect, it } from 'vitest';
import { openFont, unpackFont } from '../../../src/engine/text/open-font.ts';
import { textFindings } from '../../../src/engine/text/text-findings.ts';
import { typesetTexts } from '../../../src/engine/text/typeset-texts.ts';
import type { LottieDocument } from '../../../src/template/render-input.ts';
import { placed } from '../inputs.ts';
import { oneColor, sbix, withTables } from './modified-fonts.ts';
import { drawScriptSheet } from './script-sheet.ts';
import { everyScript, LATIN, testFont, VARIABLE } from './test-fonts.ts';
import { drawAnimation, drawTexts, text, textAnimation } from './text-input.ts';

const EMOJI = testFont('noto-color-emoji', 'emoji', { ending: 'woff' });
const BOX = { sz: [220, 150], ps: [100, 30] };
/** Text without kerning pairs. */
const WORDS = 'Hn ohm nonimH pH';

/** Measures the dark area of a picture: its edges and its amount in whole pixels. */
function inkOf(canvas: Canvas): { edges: [number, number, number, number]; ink: number } {
  const { width, height } = canvas;
  const { data } = canvas.getContext('2d').getImageData(0, 0, width, height);
  let [left, top, right, bottom, ink] = [width, height, 0, 0, 0];
  for (let index = 0; index < width * height; index++) {
    const dark = 255 - data[index * 4 + 1]!;
    ink += dark / 255;
    if (dark < 64) continue;
    const [x, y] = [index % width, Math.floor(index / width)];
    [left, top, right, bottom] = [Math.min(left, x), Math.min(top, y), Math.max(right, x), Math.max(bottom, y)];
  }
  return { edges: [left, top, right, bottom], ink: Math.round(ink) };
}

/** Embeds the font in the animation, so that the rasteriser sets its texts itself. */
function withEmbeddedFont(animation: LottieDocument): LottieDocument {
  const fPath = `data:font/woff2;base64,${Buffer.from(LATIN.bytes).toString('base64')}`;
  const list = (animation.fonts as { list: object[] }).list.map((font) => ({ ...font, fPath }));
  return { ...animation, fonts: { list } };
}

/** An animator with a selector of all characters, or as given by `changes`. */
function animator(properties: object, changes: object = {}): object {
  const still = (k: number): object => ({ a: 0, k });
  const range = { s: still(0), e: still(100), o: still(0), a: still(100), ne: still(0), xe: still(0), sm: still(100) };
  return { nm: 'animator', s: { t: 0, r: 1, rn: 0, b: 1, sh: 1, ...range, ...changes }, a: properties };
}

const TURNED = animator({ r: { a: 0, k: 40 } });
const around = (g: number, y: number): object => ({ a: [TURNED], m: { g, a: { a: 0, k: [30, y] } } });
const FIRST_HALF = { e: { a: 0, k: 50 } };
const LARGE = { s: 90, lh: 110 };

describe('typesetTexts()', () => {
  it.each<[string, object, object]>([
    ...[0, 1, 2].map((j): [string, object, object] => [`a text at a point, j ${j}`, { ps: [200, 100], j }, {}]),
    ...[0, 1, 2].map((j): [string, object, object] => [`a text in a box, j ${j}`, { ...BOX, j }, {}]),
    ...[0, 1, 2, 3, 4, 5].map((vj): [string, object, object] => [`a box with vj ${vj}`, { ...BOX, vj }, {}]),
    ['tracking', { ...BOX, tr: -50, j: 1 }, {}],
    ['a baseline shift', { ...BOX, ls: 12 }, {}],
    ['lines below the box', { ...BOX, lh: 90 }, {}],
    ['a text that grows into its box', { ...BOX, rs: 1 }, {}],
    ['a text that shrinks into its box', { ...BOX, ...LARGE, rs: 2, vj: 1 }, {}],
    ['a stroke that shrinks with its text', { ...BOX, ...LARGE, rs: 2, sc: [0, 0, 0], sw: 6 }, {}],
    ['white space around', { ps: [200, 100], t: ' Hn  ', j: 2 }, {}],
    ['empty lines', { ...BOX, t: 'H\r\rH' }, {}],
    ['characters turned around their own middle', BOX, around(1, 60)],
    ['characters turned around that of their word', BOX, around(2, -60)],
    ['characters turned around that of their line', BOX, around(3, 60)],
    ['characters turned around that of the box', BOX, around(4, -60)],
    ...[1, 2, 3, 4].map((b): [string, object, object] => [
      `a range of characters, b ${b}`,
      BOX,
      { a: [animator({ p: { a: 0, k: [0, 40] } }, { b, ...FIRST_HALF })] },
    ]),
    ['animated tracking', { ...BOX, j: 2 }, { a: [animator({ t: { a: 0, k: 20 } })] }],
  ])('puts %s where the rasteriser itself would', async (_, style, changes) => {
    const animation = textAnimation([text(WORDS, style as never, changes as never)]);
    const theirs = inkOf(drawAnimation(withEmbeddedFont(animation)));
    const ours = inkOf(await drawTexts(animation, [LATIN]));
    for (const [side, edge] of ours.edges.entries())
      expect(Math.abs(edge - theirs.edges[side]!)).toBeLessThanOrEqual(1);
    expect(Math.abs(ours.ink - theirs.ink)).toBeLessThanOrEqual(theirs.ink * 0.02);
  });

  it('animates characters in sequence, right-to-left text in reading order', async () => {
    const rising = (changes: object): object => animator({ o: { a: 0, k: 0 } }, changes);
    const draw = async (words: string): Promise<[number, number, number, number]> => {
      const half = { a: [rising({ s: { a: 0, k: 50 } })] };
      return inkOf(await drawTexts(textAnimation([text(words, BOX, half)]), [LATIN, ...everyScript()])).edges;
    };
    const [left] = await draw('HHHHHH');
    expect(left).toBeLessThan(106);
    const whole = inkOf(await drawTexts(textAnimation([text('ממממממ', BOX)]), [LATIN, ...everyScript()])).edges;
    const [firstRead, , lastRead] = await draw('ממממממ');
    expect(lastRead).toBe(whole[2]);
    expect(firstRead).toBeGreaterThan((whole[0] + whole[2]) / 2 - 10);
  });

  it('draws emoji in colour, also within animated and coloured text', async () => {
    const moved = { a: [animator({ p: { a: 0, k: [0, 20] } })] };
    const canvas = await drawTexts(textAnimation([text('❤️', { ps: [100, 100], s: 100 }, moved)]), [LATIN, EMOJI]);
    const [red, green, blue] = canvas.getContext('2d').getImageData(162, 90, 1, 1).data;
    expect([red! > 200, green! < 100, blue! < 100]).toEqual([true, true, true]);
  });

  it('fades emoji together with letters', async () => {
    const layer = text('O❤️', { ps: [20, 150], s: 100 }, { a: [animator({ o: { a: 0, k: 60 } })] });
    layer.ks = placed(0, 0, { o: { a: 0, k: 50 } });
    const context = (await drawTexts(textAnimation([layer]), [LATIN, EMOJI])).getContext('2d');
    const [letter] = context.getImageData(30, 115, 1, 1).data;
    const [red, green] = context.getImageData(160, 115, 1, 1).data;
    // Half of 60 % black over white, and half of the heart's red.
    expect(Math.abs(letter! - 255 * 0.7)).toBeLessThan(4);
    expect([red! > 240, Math.abs(green! - (255 * 0.7 + 67 * 0.3)) < 25]).toEqual([true, true]);
  });

  it.each(['bitmaps', 'layers'])('draws coloured glyphs from %s', async (kind) => {
    const sfnt = await unpackFont('Latin', LATIN.bytes);
    const latin = await openFont(LATIN);
    const [a, o, count] = [latin.glyphOf(65), latin.glyphOf(79), new DataView(sfnt.buffer).getUint16(maxpAt(sfnt) + 4)];
    const red = createCanvas(50, 50);
    red.getContext('2d').fillStyle = '#f00';
    red.getContext('2d').fillRect(0, 0, 50, 50);
    const tables =
      kind === 'bitmaps' ? { sbix: sbix(a, count, red.toBuffer('image/png'), 50) } : oneColor(a, o, [255, 0, 0]);
    const font = { ...LATIN, bytes: withTables(sfnt, tables) };
    const canvas = await drawTexts(textAnimation([text('A', { ps: [100, 150], s: 100 })]), [font]);
    const context = canvas.getContext('2d');
    const colorAt = (x: number, y: number): number[] => [...context.getImageData(x, y, 1, 1).data.subarray(0, 3)];
    // The middle of an O is empty.
    expect(colorAt(132, 115)).toEqual(kind === 'bitmaps' ? [255, 0, 0] : [255, 255, 255]);
    expect(colorAt(110, 115)).toEqual([255, 0, 0]);
  });

  it('sets every keyframe of a text in its own style', async () => {
    const layer = text('one', { ps: [20, 100] });
    const { d } = layer.t as { d: { k: { t: number; s: object }[] } };
    d.k.push({ t: 15, s: { ...d.k[0]!.s, t: 'other words', s: 60 } });
    const animation = textAnimation([layer]);
    const [first, second] = await Promise.all(
      [0, 20].map(async (at) => inkOf(await drawTexts(animation, [LATIN], at))),
    );
    expect(second!.edges[2]).toBeGreaterThan(first!.edges[2] * 2);
  });

  it('sets texts of compositions without changing its input', async () => {
    const layers = [text('inside', { ps: [20, 100] })];
    const animation = { ...textAnimation([{ ty: 0, refId: 'c', ip: 0, op: 30, st: 0, ks: {}, w: 400, h: 200 }]) };
    animation.assets = [{ id: 'c', layers }];
    const before = structuredClone(animation);
    expect(inkOf(await drawTexts(animation, [LATIN])).ink).toBeGreaterThan(100);
    expect(animation).toEqual(before);
  });

  it('leaves texts with outlines in the animation unchanged', async () => {
    const drawn = await typesetTexts(textAnimation([text('AB', { ps: [20, 100] })]), [LATIN]);
    const again = await typesetTexts(drawn.animation, []);
    expect(again.animation.layers).toEqual(drawn.animation.layers);
  });

  it('rejects a text without its font, for which the rasteriser would use a system font', async () => {
    await expect(typesetTexts(textAnimation([text('AB')]), [])).rejects.toMatchObject({
      code: 'template_invalid',
      imageName: 'Latin',
    });
  });

  it('uses a font from the document and a fallback for a missing font', async () => {
    const animation = textAnimation([text('AB', { ps: [20, 100] })]);
    const own = inkOf(await drawTexts(animation, [LATIN]));
    expect(inkOf(await drawTexts(withEmbeddedFont(animation), []))).toEqual(own);
    expect(inkOf(await drawTexts(animation, [{ ...LATIN, name: 'Other', isFallback: true }]))).toEqual(own);
  });

  it.each<[name: string, style: Record<string, unknown>, options: object]>([
    ['left', { j: 0 }, {}],
    ['centred', { j: 2 }, {}],
    ['at a margin', { j: 0 }, { f: { a: 0, k: 60 } }],
  ])('draws a text on a path as the rasteriser does with the font: %s', async (_, style, options) => {
    const arc = {
      c: false,
      v: [
        [20, 170],
        [200, 60],
        [380, 170],
      ],
      i: [
        [0, 0],
        [-90, 0],
        [0, 0],
      ],
      o: [
        [0, 0],
        [90, 0],
        [0, 0],
      ],
    };
    const masks = { hasMask: true, masksProperties: [{ mode: 'n', pt: { a: 0, k: arc }, o: { a: 0, k: 100 } }] };
    const zero = { a: 0, k: 0 };
    const p = { m: 0, f: zero, l: zero, r: zero, a: zero, p: { a: 0, k: 1 }, ...options };
    const layer = text(WORDS, style) as { t: object };
    const animation = textAnimation([{ ...layer, ...masks, t: { ...layer.t, p } }]);
    const [own, raw] = [await drawTexts(animation, [LATIN]), drawAnimation(withEmbeddedFont(animation))];
    expect(differing(own, raw)).toBeLessThan(0.01);
  });

  it('draws the instance of a font and of a text, and fits texts by its widths', async () => {
    const box = { f: 'Geist', s: 60, lh: 70, sz: [200, 80], ps: [10, 10], rs: 2 };
    const inkWith = async (fontAxes: object, style: object): Promise<ReturnType<typeof inkOf>> => {
      const words = { ...box, ...style };
      const canvas = await drawTexts(textAnimation([text('Weights', words)]), [{ ...VARIABLE, ...fontAxes }]);
      return inkOf(canvas);
    };
    const regular = await inkWith({}, { sz: [380, 80] });
    const heavy = await inkWith({ axes: { wght: 900 } }, { sz: [380, 80] });
    const heavyText = await inkWith({ axes: { wght: 100 } }, { sz: [380, 80], font_settings: { axes: { wght: 900 } } });
    expect(heavy.ink).toBeGreaterThan(regular.ink * 1.4);
    expect(heavy.edges[2]).toBeGreaterThan(regular.edges[2] * 1.05);
    expect(heavyText).toEqual(heavy);
    const shrunk = await inkWith({ axes: { wght: 900 } }, {});
    expect(shrunk.edges[2]).toBeLessThanOrEqual(211);
    expect(shrunk.edges[2]).toBeGreaterThan(195);
  });

  it('draws the script sheet as stored', async () => {
    const path = new URL('script-sheet.png', import.meta.url);
    const sheet = await drawScriptSheet();
    const small = createCanvas(sheet.width / 2, sheet.height / 2);
    small.getContext('2d').drawImage(sheet, 0, 0, small.width, small.height);
    if (process.env.UPDATE_FRAMES === '1') await writeFile(path, small.toBuffer('image/png'));
    const kept = createCanvas(small.width, small.height);
    kept.getContext('2d').drawImage(await loadImage(await readFile(path)), 0, 0);
    expect(differing(small, kept)).toBeLessThan(0.002);
  });
});

describe('textFindings()', () => {
  it('reports missing characters and overflowing texts once each', async () => {
    const box = { sz: [100, 100], ps: [0, 0] };
    const layer = (): Record<string, unknown> => text('Runes: ᚠᚢᚠ\rHamburgefonts', box, { editable: 't_01' });
    const animation = textAnimation([layer(), layer(), text('fine', box), { ...layer(), hd: true }]);
    const about = { editable: 't_01', text: 'Runes: ᚠᚢᚠ\nHamburgefonts', font: 'Latin' };
    const findings = await textFindings(animation, [LATIN]);
    expect(findings).toEqual([
      { code: 'glyph_missing', ...about, characters: ['ᚠ', 'ᚢ'], overflow: 0 },
      { code: 'text_overflow', ...about, characters: [], overflow: expect.any(Number) },
    ]);
    expect((await typesetTexts(animation, [LATIN])).findings).toEqual(findings);
  });

  it('counts an emoji that a font has only as SVG as missing', async () => {
    expect(await textFindings(textAnimation([text('😀')]), [LATIN, testFont('noto-color-emoji', '9')])).toMatchObject([
      { code: 'glyph_missing', characters: ['😀'] },
    ]);
  });

  it('reports nothing when a fallback has the characters', async () => {
    const animation = textAnimation([text('שלום 한국 漢字 😀')]);
    expect(await textFindings(animation, [LATIN, ...everyScript()])).toEqual([]);
    expect(await textFindings(animation, [LATIN])).toMatchObject([
      { characters: ['ש', 'ל', 'ו', 'ם', '한', '국', '漢', '字', '😀'], editable: null },
    ]);
  });
});

/** Offset of the table that contains the number of glyphs. */
function maxpAt(sfnt: Uint8Array): number {
  const entry = Buffer.from(sfnt).indexOf('maxp', 12, 'latin1');
  return new DataView(sfnt.buffer).getUint32(entry + 8);
}

/** Share of pixels that differ by more than a quarter in any channel. */
function differing(first: Canvas, second: Canvas): number {
  const [before, after] = [pixelsOf(first), pixelsOf(second)];
  let count = 0;
  for (let index = 0; index < before.length; index += 4) {
    if ([0, 1, 2].some((channel) => Math.abs(before[index + channel]! - after[index + channel]!) > 64)) count++;
  }
  return count / (before.length / 4);
}

function pixelsOf(canvas: Canvas): Uint8ClampedArray {
  return canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
}
