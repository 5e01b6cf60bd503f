import { describe, expect, it } from 'vitest';
import { checkCues, fixCues, type RuleContext } from '../../../src/contract/captions/check-cues.ts';
import type { Cue } from '../../../src/contract/captions/cue.ts';
import { RULE_PROFILES, type RuleProfile } from '../../../src/contract/captions/rule-profiles.ts';

const chars = (count: number): string => 'abcd '.repeat(count).slice(0, count).replace(/ $/, 'x');
const words = (count: number): string => new Array(count).fill('word').join(' ');
const cjk = (count: number): string => '字'.repeat(count);

/** Cues as `start end text`. */
type Written = readonly [start: number, end: number, text: string];
const cuesOf = (written: readonly Written[]): Cue[] => written.map(([start, end, text]) => ({ start, end, text }));
const context = (profile: RuleProfile, more: Partial<RuleContext> = {}): RuleContext => {
  return { rules: RULE_PROFILES[profile], rate: 24, cuts: [], ...more };
};
const f = (frames: number, rate = 24): number => frames / rate;

describe('checkCues()', () => {
  // Each is one cue of some characters for some seconds, with the rule that it breaks; '' for none.
  it.each([
    // Reading speed, per language: at the limit, and one character more.
    ['netflix', 'de', 34, 2, ''],
    ['netflix', 'de', 35, 2, 'caption_too_fast'],
    ['netflix', undefined, 35, 2, 'caption_too_fast'],
    ['netflix', 'en', 40, 2, ''],
    ['netflix', 'en', 41, 2, 'caption_too_fast'],
    ['netflix', 'en-GB', 40, 2, ''],
    ['netflix', 'EN-us', 41, 2, 'caption_too_fast'],
    ['netflix', 'ar', 40, 2, ''],
    ['netflix', 'ar', 41, 2, 'caption_too_fast'],
    ['netflix', 'hi', 22, 1, ''],
    ['netflix', 'hi', 23, 1, 'caption_too_fast'],
    ['netflix', 'fr', 17, 1, ''],
    ['netflix', 'fr', 18, 1, 'caption_too_fast'],
    ['netflix', 'es-419', 18, 1, 'caption_too_fast'],
    ['social', 'en', 20, 1, ''],
    ['social', 'en', 21, 1, 'caption_too_fast'],
    ['social', 'ar', 23, 1, ''],
    ['social', 'ar', 24, 1, 'caption_too_fast'],
    ['social', 'hi', 25, 1, ''],
    ['social', 'hi', 26, 1, 'caption_too_fast'],
    // Length of a line.
    ['netflix', 'en', 42, 4, ''],
    ['netflix', 'en', 43, 4, 'caption_line_too_long'],
    ['netflix', 'ru', 39, 4, ''],
    ['netflix', 'ru', 40, 4, 'caption_line_too_long'],
    ['netflix', 'th', 35, 4, ''],
    ['netflix', 'th', 36, 4, 'caption_line_too_long'],
    ['bbc', 'en', 37, 6, ''],
    ['bbc', 'en', 38, 6, 'caption_line_too_long'],
    ['social', 'en', 32, 4, ''],
    ['social', 'en', 33, 4, 'caption_line_too_long'],
    // Shortest and longest.
    ['netflix', 'en', 8, 0.8333, ''],
    ['netflix', 'en', 8, 0.83, 'caption_too_short'],
    ['netflix', 'en', 8, f(20), ''],
    ['netflix', 'en', 8, f(19), 'caption_too_short'],
    ['netflix', 'en', 8, 7, ''],
    ['netflix', 'en', 8, 7.002, 'caption_too_long'],
    ['social', 'en', 4, 0.3, ''],
    ['social', 'en', 4, 0.29, 'caption_too_short'],
    ['social', 'en', 8, 6, ''],
    ['social', 'en', 8, 6.01, 'caption_too_long'],
  ] as const)('%s, %s: %d characters in %d s: %s', (profile, lang, count, seconds, expected) => {
    const findings = checkCues(cuesOf([[10, 10 + seconds, chars(count)]]), context(profile, { lang }));
    expect(findings.map(({ code }) => code)).toEqual(expected === '' ? [] : [expected]);
  });

  it.each([
    ['netflix', 'ja', 4, 1, ''],
    ['netflix', 'ja', 5, 1, 'caption_too_fast'],
    ['netflix', 'ja', 23, 6, ''],
    ['netflix', 'ja', 24, 6, 'caption_line_too_long'],
    ['netflix', 'ko', 12, 1, ''],
    ['netflix', 'ko', 13, 1, 'caption_too_fast'],
    ['netflix', 'ko', 17, 2, 'caption_line_too_long'],
    ['netflix', 'zh-Hans', 9, 1, ''],
    ['netflix', 'zh-Hant', 10, 1, 'caption_too_fast'],
    ['netflix', 'zh', 16, 2, ''],
    ['netflix', 'zh', 17, 2, 'caption_line_too_long'],
    ['social', 'ja', 7, 1, ''],
    ['social', 'ja', 8, 1, 'caption_too_fast'],
    ['social', 'ko', 14, 1, ''],
    ['social', 'ko', 15, 1, 'caption_too_fast'],
    ['social', 'zh', 11, 1, ''],
    ['social', 'zh', 12, 1, 'caption_too_fast'],
  ] as const)('%s, %s: %d characters of CJK in %d s: %s', (profile, lang, count, seconds, expected) => {
    const findings = checkCues(cuesOf([[10, 10 + seconds, cjk(count)]]), context(profile, { lang }));
    expect(findings.map(({ code }) => code)).toEqual(expected === '' ? [] : [expected]);
  });

  it.each([
    ['three words in a second', 3, 1, []],
    ['four words in a second', 4, 1, ['caption_too_fast', 'caption_too_short']],
    ['180 words a minute', 6, 2, []],
    ['just above', 6, 1.99, ['caption_too_fast']],
    ['less than 0.3 s a word', 6, 1.79, ['caption_too_fast', 'caption_too_short']],
    ['0.3 s a word', 6, 1.8, ['caption_too_fast']],
  ] as const)('bbc: %s', (_, count, seconds, expected) => {
    expect(checkCues(cuesOf([[1, 1 + seconds, words(count)]]), context('bbc')).map(({ code }) => code)).toEqual(
      expected,
    );
  });

  it.each([
    ['two lines', 'one\ntwo', []],
    ['three lines', 'one\ntwo\nthree', ['caption_too_many_lines']],
    ['a long second line', `one\n${chars(43)}`, ['caption_line_too_long']],
    ['a line feed as a space', `${chars(40)}\n${chars(41)}`, ['caption_too_fast']],
  ] as const)('netflix: %s', (_, text, expected) => {
    expect(checkCues(cuesOf([[1, 5.05, text]]), context('netflix', { lang: 'en' })).map(({ code }) => code)).toEqual(
      expected,
    );
  });

  it('breaks cues that are made from words as they would be drawn', () => {
    const text = `${chars(30)} ${chars(30)}`;
    const timed = { start: 0, end: 5, text, words: [{ text, start: 0, end: 5 }] };
    expect(checkCues([timed], context('netflix', { lang: 'en' }))).toEqual([]);
    expect(checkCues([{ start: 0, end: 5, text }], context('netflix', { lang: 'en' }))).toHaveLength(1);
  });

  // Frames between two cues at 24 frames a second; the end of the first belongs at the frame `to` before the second.
  it.each([
    ['netflix', 24, 0, 2],
    ['netflix', 24, 1, 2],
    ['netflix', 24, 2, null],
    ['netflix', 24, 3, 2],
    ['netflix', 24, 11, 2],
    ['netflix', 24, 12, null],
    ['netflix', 24, 30, null],
    ['netflix', 30, 2, null],
    ['netflix', 30, 3, 2],
    ['netflix', 30, 14, 2],
    ['netflix', 30, 15, null],
    ['netflix', 25, 12, 2],
    ['netflix', 25, 13, null],
    ['bbc', 25, 0, null],
    ['bbc', 25, 1, 0],
    ['bbc', 25, 24, 0],
    ['bbc', 25, 25, null],
    ['social', 30, 1, null],
  ] as const)('%s at %d: a gap of %d frames', (profile, rate, gap, left) => {
    const end = 3;
    const cues = cuesOf([
      [1, end, 'one'],
      [end + gap / rate, end + gap / rate + 2, 'two'],
    ]);
    const [finding] = checkCues(cues, context(profile, { rate })).filter(({ code }) => code === 'caption_gap');
    if (left === null) expect(finding).toBeUndefined();
    else {
      expect(finding).toMatchObject({ index: 0, found: expect.closeTo(gap, 5), limit: left });
      expect(finding!.fix!.to).toBeCloseTo(end + (gap - left) / rate, 6);
    }
  });

  // A cut at 10 s, 24 frames a second: where a start or an end so many frames from it belongs, in frames from the cut.
  it.each([
    ['netflix', 'start', 0, null],
    ['netflix', 'start', 1, 0],
    ['netflix', 'start', 11, 0],
    ['netflix', 'start', 12, null],
    ['netflix', 'start', -1, 0],
    ['netflix', 'start', -8, 0],
    ['netflix', 'start', -9, -12],
    ['netflix', 'start', -11, -12],
    ['netflix', 'start', -12, null],
    ['netflix', 'end', -12, null],
    ['netflix', 'end', -3, null],
    ['netflix', 'end', -2, null],
    ['netflix', 'end', -1, -2],
    ['netflix', 'end', 0, -2],
    ['netflix', 'end', 11, -2],
    ['netflix', 'end', 12, null],
    ['bbc', 'start', 4, 0],
    ['bbc', 'end', 0, null],
    ['bbc', 'end', 4, 0],
    ['bbc', 'end', -1, null],
    ['social', 'start', 1, null],
  ] as const)('%s: the %s %d frames from a cut', (profile, edge, frames, expected) => {
    const at = 10 + f(frames);
    const cue: Written = edge === 'start' ? [at, at + 3, 'one'] : [at - 3, at, 'one'];
    const [finding] = checkCues(cuesOf([cue]), context(profile, { cuts: [10] }));
    if (expected === null) expect(finding).toBeUndefined();
    else {
      expect(finding).toMatchObject({ code: 'caption_at_cut', fix: { edge } });
      expect(finding!.fix!.to).toBeCloseTo(10 + f(expected), 6);
    }
  });
});

describe('fixCues()', () => {
  it('closes gaps, opens those that are too small, and moves times to cuts', () => {
    const cues = cuesOf([
      [1, 2.8, 'one'],
      [3, 5, 'two'],
      [5, 7, 'three'],
      [10.2, 12, 'four'],
    ]);
    expect(fixCues(cues, context('netflix', { rate: 25, cuts: [10] }))).toEqual([
      { index: 0, end: 2.92 },
      { index: 1, end: 4.92 },
      { index: 3, start: 10 },
    ]);
  });

  it('changes nothing that breaks another rule', () => {
    const short = cuesOf([
      [1, 1.84, 'one'],
      [1.84, 3, 'two'],
    ]);
    expect(fixCues(short, context('netflix', { rate: 25 }))).toEqual([]);
    const long = cuesOf([
      [1, 7.9, 'one'],
      [8.3, 9.5, 'two'],
    ]);
    expect(fixCues(long, context('netflix', { rate: 25 }))).toEqual([]);
  });

  it('has nothing left to do after it', () => {
    const cues = cuesOf([
      [0.3, 2.1, 'one'],
      [2.2, 3.9, 'two'],
      [4.05, 6, 'three'],
    ]);
    const rules = context('netflix', { rate: 25, cuts: [0, 4] });
    const fixed = cues.map((cue, index) => ({ ...cue, ...fixCues(cues, rules).find((move) => move.index === index) }));
    expect(fixCues(fixed, rules)).toEqual([]);
    expect(checkCues(fixed, rules)).toEqual([]);
  });
});
