import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Word } from '../../../src/contract/captions/cue.ts';
import { cuesFromWords, joinWords } from '../../../src/contract/captions/cues-from-words.ts';
import { characterCount, textWidth } from '../../../src/contract/captions/text-width.ts';

const LIMITS = { lineWidth: 32, lines: 2 };

/** Words of 0.3 s, one after another; `|` is a pause of 0.5 s, `·` one of 0.4 s. */
function spoken(text: string): Word[] {
  const words: Word[] = [];
  let clock = 1;
  for (const part of text.split(' ')) {
    if (part === '|' || part === '·') clock += part === '|' ? 0.5 : 0.4;
    else {
      words.push({ text: part, start: clock, end: clock + 0.3 });
      clock += 0.3;
    }
  }
  return words.map((word) => ({ ...word, start: ms(word.start), end: ms(word.end) }));
}

const ms = (seconds: number): number => Math.round(seconds * 1000) / 1000;

describe('cuesFromWords()', () => {
  it.each([
    ['a pause of 0.5 s', 'Light that | lands softly', ['Light that', 'lands softly']],
    ['a shorter pause', 'Light that · lands softly', ['Light that lands softly']],
    [
      'ends of sentences',
      'It works. Does it? Yes! He said “no.” So',
      ['It works.', 'Does it?', 'Yes!', 'He said “no.”', 'So'],
    ],
    ['abbreviations', 'Mr. Smith met J. Doe vs. me', ['Mr. Smith met J. Doe vs. me']],
    [
      'what does not fit, balanced',
      'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen',
      ['one two three four five six seven eight nine', 'ten eleven twelve thirteen fourteen fifteen'],
    ],
    [
      'commas rather than the middle',
      'when the rain has stopped, we walk along the river and look at the boats that came',
      ['when the rain has stopped,', 'we walk along the river and look at the boats that came'],
    ],
    ['a word wider than a line', `so ${'a'.repeat(80)} it is`, [`so ${'a'.repeat(80)}`, 'it is']],
    ['Japanese without spaces', '今日は 天気が 良い です。 明日も', ['今日は天気が良いです。', '明日も']],
    ['Korean with spaces', '오늘은 날씨가 좋아요.', ['오늘은 날씨가 좋아요.']],
    ['punctuation as a word of its own', 'Hello , world !', ['Hello, world!']],
  ])('splits at %s', (_, text, expected) => {
    expect(cuesFromWords(spoken(text), LIMITS).map((cue) => cue.text)).toEqual(expected);
  });

  it('shows at most the words of the style', () => {
    const cues = cuesFromWords(spoken('one two three four five'), { ...LIMITS, words: 3 });
    expect(cues.map(({ text }) => text)).toEqual(['one two three', 'four five']);
  });

  it('closes short gaps, and stays half a second before long ones', () => {
    const cues = cuesFromWords(spoken('One. · Two. | | Three'), LIMITS);
    expect(cues.map(({ start, end }) => [start, end])).toEqual([
      [1, 1.7],
      [1.7, 2.5],
      [3, 3.8],
    ]);
  });

  it('has every word once, in its order, inside its cue', () => {
    const text = fc.array(fc.stringMatching(/^[a-z漢]{1,9}[.,]?$/), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(text, fc.integer({ min: 8, max: 40 }), fc.integer({ min: 1, max: 3 }), (texts, lineWidth, lines) => {
        const words = spoken(texts.join(' '));
        const cues = cuesFromWords(words, { lineWidth, lines });
        expect(cues.flatMap((cue) => cue.words)).toEqual(words);
        for (const [index, cue] of cues.entries()) {
          expect(cue.text).toBe(joinWords(cue.words!));
          expect(cue.end).toBeGreaterThanOrEqual(cue.words!.at(-1)!.end);
          expect(cue.end).toBeLessThanOrEqual(cues[index + 1]?.start ?? Number.POSITIVE_INFINITY);
        }
      }),
    );
  });
});

describe('textWidth()', () => {
  it.each([
    ['Hello', 5, 5],
    ['日本', 2, 4],
    ['한국', 2, 4],
    ['e\u0301', 1, 1],
    ['ที่', 1, 1],
    ['שָׁלוֹם', 4, 4],
    ['🙂', 1, 2],
  ])('of %s', (text, characters, width) => {
    expect([characterCount(text), textWidth(text)]).toEqual([characters, width]);
  });
});
