import { describe, expect, it } from 'vitest';
import { LINT_CASES } from './lint-cases.ts';

describe('the cases', () => {
  const share = (count: number) =>
    `${count} of ${LINT_CASES.length} (${((100 * count) / LINT_CASES.length).toFixed(1)} %)`;
  const right = LINT_CASES.filter(({ missed }) => missed === undefined).length;
  const alarms = LINT_CASES.filter(({ expected, missed }) =>
    missed?.found.some((finding) => !expected.includes(finding)),
  ).length;
  const clean = LINT_CASES.filter(({ expected }) => expected.length === 0).length;

  // The tests of the tables verify all cases except the known misses.
  it(`are judged correctly: ${share(right)}, with false alarms in ${share(alarms)}`, () => {
    expect(right / LINT_CASES.length).toBeGreaterThanOrEqual(0.95);
    expect(alarms / LINT_CASES.length).toBeLessThanOrEqual(0.02);
  });

  it(`are without any defect: ${share(clean)}`, () => {
    expect(clean).toBeGreaterThanOrEqual(LINT_CASES.length / 3);
    expect(new Set(LINT_CASES.map(({ group, name }) => `${group}/${name}`)).size).toBe(LINT_CASES.length);
  });

  it('cover every finding', () => {
    const codes = new Set(LINT_CASES.flatMap(({ expected }) => expected.map((finding) => finding.split(' ')[0])));
    expect([...codes].sort()).toEqual([
      ...['clip_cut', 'clip_ends_early', 'flashes', 'glyph_missing', 'image_too_small', 'low_contrast'],
      ...['media_truncated', 'outside_safe_area', 'sound_cut', 'sound_unused', 'text_collision', 'text_hidden'],
      ...['text_leftover', 'text_overflow', 'text_shrunk', 'text_too_small'],
    ]);
  });
});
