import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { graphemeClusters } from '../../src/kernel/graphemes.ts';

/** Code points whose clusters have rules of their own. */
const RANGES = [
  [0x09, 0x7f],
  [0xa0, 0x24f],
  [0x300, 0x36f],
  [0x590, 0x6ff],
  [0x900, 0xdff],
  [0xe00, 0x10ff],
  [0x1100, 0x11ff],
  [0x1780, 0x17ff],
  [0x200b, 0x200f],
  [0x2060, 0x206f],
  [0x3040, 0x30ff],
  [0xac00, 0xacff],
  [0xfe00, 0xfe0f],
  [0x1f1e6, 0x1f1ff],
  [0x1f300, 0x1f64f],
  [0x1f900, 0x1f9ff],
  [0xe0020, 0xe007f],
] as const;
const character = fc
  .oneof(...RANGES.map(([min, max]) => fc.integer({ min, max })))
  .map((code) => String.fromCodePoint(code));

describe('graphemeClusters()', () => {
  it.each([
    ['cafe\u0301', ['c', 'a', 'f', 'e\u0301']],
    ['a\r\nb', ['a', '\r\n', 'b']],
    ['👩‍👩‍👧🏽🇩🇪🇯🇵', ['👩‍👩‍👧🏽', '🇩🇪', '🇯🇵']],
    ['नमस्ते', ['न', 'म', 'स्ते']],
    ['กำลัง', ['กำ', 'ลั', 'ง']],
    ['각가', ['각', '가']],
    ['', []],
  ])('divides %j', (text, clusters) => {
    expect([...graphemeClusters(text)].map(({ segment }) => segment)).toEqual(clusters);
  });

  // Node.js 20.20, 22.23 and 24.21 have the same version of Unicode as this package.
  it.runIf(process.versions.unicode === '17.0')('agrees with Node.js of the same version of Unicode', () => {
    const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
    const pairs = (segments: Iterable<{ segment: string; index: number }>) =>
      [...segments].map(({ segment, index }) => [index, segment]);
    fc.assert(
      fc.property(fc.string({ unit: character, maxLength: 12 }), (text) => {
        expect(pairs(graphemeClusters(text))).toEqual(pairs(segmenter.segment(text)));
      }),
      { numRuns: 3000 },
    );
  });
});
