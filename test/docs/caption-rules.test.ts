import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type CaptionRules, RULE_PROFILES } from '../../src/contract/captions/rule-profiles.ts';

const text = readFileSync(join(import.meta.dirname, '../../docs/reference/captions.md'), 'utf8');

/** Writes the numbers of a rule: the default, then those of languages. */
const perLanguage = ({ default: others, ...languages }: CaptionRules['lineLength']): string[] => [
  String(others),
  ...Object.entries(languages).map(([language, number]) => `${language} ${number}`),
];

const seconds = (number: number): string => (number === 5 / 6 ? '5/6 s' : `${number} s`);

/** Writes each number of a profile as the page does. */
const NUMBERS: { readonly [Rule in keyof CaptionRules]-?: (value: never) => readonly [string, readonly string[]] } = {
  lineLength: (value: CaptionRules['lineLength']) => ['caption_line_too_long', perLanguage(value)],
  lines: (value: number) => ['caption_too_many_lines', [String(value)]],
  charactersPerSecond: (value: CaptionRules['lineLength']) => ['caption_too_fast', perLanguage(value)],
  wordsPerMinute: (value: number) => ['caption_too_fast', [`${value} words a minute`]],
  minSeconds: (value: number) => ['caption_too_short', [seconds(value)]],
  secondsPerWord: (value: number) => ['caption_too_short', [`${value} s a word`]],
  maxSeconds: (value: number) => ['caption_too_long', [seconds(value)]],
  minGapFrames: (value: number) => ['caption_gap', [`${value} frames`]],
  closedGapSeconds: (value: number) => ['caption_gap', [seconds(value)]],
  cutSeconds: (value: number) => ['caption_at_cut', [seconds(value)]],
};

it('names a source for each number of the rules of captions, and for no other', () => {
  const rows = [...text.matchAll(/^\| `(\w+)` \| `(caption_\w+)` \| ([^|]+) \| ([^|]+) \|$/gm)];
  const sourced = rows.flatMap(([, profile, rule, numbers]) =>
    numbers!.split(', ').map((number) => `${profile} ${rule} ${number}`),
  );
  const known = Object.entries(RULE_PROFILES).flatMap(([profile, rules]) =>
    Object.entries(rules).flatMap(([name, value]) => {
      const [rule, numbers] = NUMBERS[name as keyof CaptionRules](value as never);
      return numbers.map((number) => `${profile} ${rule} ${number}`);
    }),
  );
  expect(sourced.sort()).toEqual(known.sort());
  expect(rows.every(([, , , , source]) => source!.trim().length > 3)).toBe(true);
});
