import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { cellWidth, graphemesOf, hasWideCells } from '../../../src/report/wording/cell-width.ts';
import { runs } from '../../support/full-run.ts';

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

function clustersOf(text: string): string[] {
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** Returns the width of each character according to string-width, two columns at most. */
function oracle(text: string): number[] {
  return clustersOf(text).map((cluster) => Math.min(2, stringWidth(cluster)));
}

function range(from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, index) => String.fromCodePoint(from + index));
}

const PIECES = [
  ...['e\u0301', 'a', ' ', '1\ufe0f\u20e3', '#\u20e3', '*', '\u20e3', '\u200d', '\ufe0f', '\ufe0e', '\u200b', '\u00ad'],
  ...['👍🏽', '👨‍👩‍👧', '🏳️‍🌈', '🇩🇪', '🇩', '❤', '❤️', '©', '©️', '↔', '☺', '✈️', '🏴󠁧󠁢󠁳󠁣󠁴󠁿', '🙂', '🏽', '👩', '🚀'],
  ...[
    '漢',
    'ｶ',
    'ﾞ',
    'ﾟ',
    'ｰ',
    'Ａ',
    '가',
    '각',
    'ㄱ',
    'क्',
    'षि',
    'ா',
    'ก็',
    'ำ',
    'བོད',
    '\ud800',
    '\u{e0001}',
    '·',
    '…',
    '→',
    '≈',
  ],
  ...range(0x1100, 0x1104),
  ...range(0x115e, 0x1163),
  ...range(0x11a6, 0x11aa),
  ...['\ua960', '\ua97c', '\ud7b0', '\ud7c6', '\ud7cb', '\ud7fb'],
];

const TEXTS = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.array(fc.constantFrom(...PIECES), { maxLength: 8 }).map((pieces) => pieces.join('')),
);

describe('the width of a text', () => {
  it('equals string-width for each character, at most two columns', () => {
    fc.assert(
      fc.property(TEXTS, (text) => {
        // Control characters never occur, because other characters replace them.
        const shown = text.replace(/\p{Control}/gu, '');
        const widths = oracle(shown);
        expect(cellWidth(shown)).toBe(widths.reduce((sum, width) => sum + width, 0));
        expect(hasWideCells(shown)).toBe(widths.some((width) => width > 1));
        expect(graphemesOf(shown)).toEqual(clustersOf(shown));
      }),
      { numRuns: runs(3_000) },
    );
  });

  it('equals string-width for each character below U+2600, alone and next to a letter', () => {
    const unlike: string[] = [];
    for (let code = 0x20; code < 0x2600; code++) {
      const character = String.fromCodePoint(code);
      if (/\p{Control}/u.test(character)) continue;
      for (const text of [character, `a${character}`]) {
        const width = oracle(text).reduce((sum, each) => sum + each, 0);
        if (cellWidth(text) !== width || graphemesOf(text).length !== clustersOf(text).length)
          unlike.push(code.toString(16));
      }
    }
    expect(unlike).toEqual([]);
  });
});
