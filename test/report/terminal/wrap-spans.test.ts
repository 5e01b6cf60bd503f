import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type StyledText, wrapSpans } from '../../../src/report/terminal/wrap-spans.ts';
import { cellWidth, cutCells } from '../../../src/report/wording/cell-width.ts';

describe('cellWidth()', () => {
  test.each([
    ['', 0],
    ['plain', 5],
    ['Größe', 5],
    ['Cafe\u0301', 4],
    ['東京', 4],
    ['カタカナ', 8],
    ['ｶﾀｶﾅ', 4],
    ['한국어', 6],
    ['，', 2],
    ['👩‍👩‍👧', 2],
    ['🇩🇪', 2],
    ['⚠\ufe0f', 2],
    ['→ ↻ ≈ ■ … —', 11],
    ['العربية', 7],
    ['ไทย', 3],
  ])('returns the width of %j: %d', (text, width) => {
    expect(cellWidth(text)).toBe(width);
  });
});

describe('cutCells()', () => {
  test.each([
    ['short', 5, 'short'],
    ['shorter', 5, 'shor…'],
    ['two words', 5, 'two…'],
    ['東京の夏', 6, '東京…'],
    ['👩‍👩‍👧👩‍👩‍👧', 3, '👩‍👩‍👧…'],
  ])('cuts %j to %d', (text, width, cut) => {
    expect(cutCells(text, width)).toBe(cut);
  });
});

describe('wrapSpans()', () => {
  const wrap = (text: string, width: number): string[] => wrapSpans([{ text }], width);

  test.each([
    ['words', 'one two three', 8, ['one two', 'three']],
    ['a text that fits', 'one two', 7, ['one two']],
    ['an empty text', '', 8, ['']],
    ['line breaks', 'one\ntwo', 8, ['one', 'two']],
    ['a word longer than a line', 'extraordinary', 5, ['extra', 'ordin', 'ary']],
    ['no-break spaces', 'a 36\u00a0s b', 5, ['a', '36\u00a0s', 'b']],
    ['a script without spaces', '東京の夏', 5, ['東京', 'の夏']],
    ['several spaces', 'a    b', 4, ['a', 'b']],
  ])('lays out %s', (_, text, width, lines) => {
    expect(wrap(text, width)).toEqual(lines);
  });

  test('does not break at the end of a span', () => {
    const spans = [{ text: 'see ' }, { text: '(' }, { text: 'here' }, { text: ')' }];
    expect(wrapSpans(spans, 7)).toEqual(['see', '(here)']);
  });

  test('paints each span of a line once', () => {
    const paint = (text: string): string => `<${text}>`;
    const spans: StyledText[] = [{ text: 'one two ', paint }, { text: 'three' }];
    expect(wrapSpans(spans, 9)).toEqual(['<one two>', 'three']);
    expect(wrapSpans(spans, 20)).toEqual(['<one two >three']);
  });

  test('keeps every character except spaces, within the width', () => {
    const piece = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom(' ', '夏', 'word ', '👩‍👧', '\n'));
    fc.assert(
      fc.property(fc.array(piece), fc.integer({ min: 2, max: 30 }), (pieces, width) => {
        const lines = wrapSpans(
          pieces.map((text) => ({ text })),
          width,
        );
        for (const line of lines) expect(cellWidth(line)).toBeLessThanOrEqual(width);
        expect(lines.join('').replaceAll(/\s/g, '')).toBe(pieces.join('').replaceAll(/\s/g, ''));
      }),
    );
  });
});
