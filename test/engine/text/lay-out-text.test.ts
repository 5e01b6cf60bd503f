import { describe, expect, it } from 'vitest';
import { openStack } from '../../../src/engine/text/font-stack.ts';
import { layOutText, type TextLayout } from '../../../src/engine/text/lay-out-text.ts';
import { textSpec } from '../../../src/engine/text/text-layers.ts';
import { everyScript, LATIN } from './test-fonts.ts';

const FONTS = [LATIN, ...everyScript()];

/** Lays out a paragraph at 10 pixels per em unless the style differs; also returns its lines in visual order. */
async function layOut(t: string, style: object = {}): Promise<TextLayout & { readonly seen: string[] }> {
  const spec = textSpec({ t, f: 'Latin', s: 10, lh: 12, ...style });
  const layout = layOutText(spec, await openStack(t, FONTS), 0.75);
  const seen = layout.lines.map(({ cells }) => cells.map(({ cell }) => t.slice(cell.start, cell.end)).join(''));
  return { ...layout, seen };
}

const glyphsOf = ({ lines }: TextLayout): number[][] =>
  lines.flatMap(({ cells }) => cells.map(({ cell }) => cell.glyphs.map(({ glyph }) => glyph)));

describe('layOutText()', () => {
  it('applies kerning', async () => {
    const [pair, a, v] = await Promise.all([layOut('AV'), layOut('A'), layOut('V')]);
    expect(pair.lines[0]!.width).toBeLessThan(a.lines[0]!.width + v.lines[0]!.width - 0.01);
  });

  it('uses ligatures of the font except in spaced text', async () => {
    expect((await layOut('office')).seen[0]).toBe('office');
    expect(glyphsOf(await layOut('ffi')).length).toBeLessThan(3);
    expect(glyphsOf(await layOut('ffi', { tr: 50 }))).toHaveLength(3);
  });

  it('joins Arabic letters and sets them from right to left', async () => {
    const joined = await layOut('سلم');
    expect(joined.seen).toEqual(['ملس']);
    const alone = (await Promise.all([...'ملس'].map((letter) => layOut(letter)))).flatMap(glyphsOf);
    for (const [index, glyphs] of glyphsOf(joined).entries()) expect(glyphs).not.toEqual(alone[index]);
  });

  it('keeps joined letters together despite tracking', async () => {
    expect((await layOut('سلم', { tr: 400 })).lines[0]!.width).toBe((await layOut('سلم')).lines[0]!.width);
  });

  it.each([
    ['מחיר 1,234 ש"ח', 'ח"ש 1,234 ריחמ'],
    ['one שתיים three', 'one םייתש three'],
    ['א (b) ג', 'ג (b) א'],
  ])('puts %s into visual order', async (text, seen) => {
    // Brackets in right-to-left runs are mirrored as glyphs; the characters do not change.
    expect((await layOut(text)).seen[0]!.replaceAll(/[()]/g, '')).toBe(seen.replaceAll(/[()]/g, ''));
  });

  it('makes a single glyph of a Devanagari conjunct and a single cell of a letter with its marks', async () => {
    expect(glyphsOf(await layOut('क्ष'))).toHaveLength(1);
    expect(glyphsOf(await layOut('e\u0301\u0323'))).toHaveLength(1);
    expect(glyphsOf(await layOut('กี่'))).toHaveLength(1);
  });

  it.each([
    ['by a dictionary', 'สวัสดีครับ', 30, ['สวัสดี', 'ครับ']],
    ['between Han and before no closing bracket', '「東京」の', 32, ['「東', '京」の']],
    ['between Korean words', '한국어 문장은', 45, ['한국어', '문장은']],
    ['at spaces and after hyphens', 'well-known words', 40, ['well-', 'known', 'words']],
    ['inside of a word that is too long', 'unbreakable', 40, ['unbreak', 'able']],
    ['at \\r and U+0003', 'a\rb\u0003c', 200, ['a', 'b', 'c']],
  ])('breaks lines %s', async (_, text, width, lines) => {
    const { lines: laidOut } = await layOut(text, { sz: [width, 500] });
    expect(laidOut).toHaveLength(lines.length);
    if (!text.includes('\r')) expect((await layOut(text, { sz: [width, 500] })).seen).toEqual(lines);
  });

  it('shows a soft hyphen only at a line end', async () => {
    const { lines } = await layOut('soft\u00adware\u00ad', { sz: [24, 500] });
    const hyphen = glyphsOf(await layOut('-'))[0];
    expect(lines.map(({ cells }) => cells.length)).toEqual([5, 4]);
    expect(lines[0]!.cells.at(-1)!.cell.glyphs.map(({ glyph }) => glyph)).toEqual(hyphen);
  });

  it('uses the first font that has a cluster and a colour font for emoji', async () => {
    const { lines } = await layOut('a한ひ漢😀❤️☎︎');
    const names = await Promise.all(
      lines[0]!.cells.map(async ({ cell }) => {
        const { digest } = cell.glyphs[0]!.font;
        for (const font of FONTS) if ((await openStack('', [font]))[0]!.digest === digest) return font.name;
        return undefined;
      }),
    );
    const [latin, korean, japanese, emoji] = [
      'Latin',
      'noto-sans-kr-korean',
      'noto-sans-jp-japanese',
      'noto-color-emoji-emoji',
    ];
    expect(names).toEqual([latin, korean, japanese, japanese, emoji, emoji, expect.any(String)]);
  });

  it.each(['👨‍👩‍👧‍👦', '🏳️‍🌈', '🇩🇪', '👍🏽', '1️⃣'])('makes a single coloured glyph of %s', async (emoji) => {
    const cells = (await layOut(emoji)).lines[0]!.cells.map(({ cell }) => cell);
    expect(cells).toMatchObject([{ isColored: true, isMissing: false }]);
    expect(cells[0]!.glyphs).toHaveLength(1);
  });

  it('lists each cluster missing from all fonts once', async () => {
    const { missing, lines } = await layOut('ᚠ-ᚢ-ᚠ');
    expect(missing).toEqual(['ᚠ', 'ᚢ']);
    expect(lines[0]!.width).toBeGreaterThan(1);
  });

  it('shrinks text to fit its box without breaking words', async () => {
    const { size, lineHeight, width, overflow } = await shrunk('Hamburgefontsiv stuff', [60, 30]);
    expect(size).toBeLessThan(10);
    expect(lineHeight).toBeCloseTo(size * 1.2);
    expect(width).toBeLessThanOrEqual(60.01);
    expect(width).toBeGreaterThan(55);
    expect(overflow).toBe(0);
  });

  it('keeps the size of text that fits, or enlarges it', async () => {
    expect((await shrunk('Hi', [60, 30])).size).toBe(10);
    expect((await layOut('Hi', { sz: [60, 30], rs: 1 })).size).toBeGreaterThan(15);
    expect((await layOut('Hi', { sz: [60, 30], rs: 1, xf: 14 })).size).toBe(14);
  });

  it('reports how far text overflows its box', async () => {
    expect((await layOut('Hamburgefonts', { sz: [40, 100] })).overflow).toBeGreaterThan(0.5);
    expect((await layOut('a b c d', { sz: [8, 24] })).overflow).toBeCloseTo((7.5 + 36) / 24 - 1);
    expect((await layOut('Hamburgefonts', { sz: [40, 20], rs: 2, mf: 9 })).overflow).toBeGreaterThan(0.3);
    expect((await layOut('a b', { sz: [40, 20] })).overflow).toBe(0);
  });

  it('justifies all lines but the last', async () => {
    const { lines } = await layOut('aa bb cc dd ee', { sz: [40, 100], j: 3 });
    expect(lines.map(({ width }) => width * 10).slice(0, -1)).toEqual(lines.slice(0, -1).map(() => expect.closeTo(40)));
    expect(lines.at(-1)!.width).toBeLessThan(3.5);
  });

  async function shrunk(text: string, sz: [number, number]): Promise<TextLayout & { width: number }> {
    const layout = await layOut(text, { sz, rs: 2 });
    return { ...layout, width: Math.max(...layout.lines.map(({ width }) => width)) * layout.size };
  }
});
