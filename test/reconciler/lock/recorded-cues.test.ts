import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Cue } from '../../../src/contract/captions/cue.ts';
import { compareCues, describeCues, readCues } from '../../../src/reconciler/lock/recorded-cues.ts';
import { captionRows } from '../../../src/report/wording/caption-rows.ts';

const cue = (start: number, text: string, more: Partial<Cue> = {}): Cue => ({ start, end: start + 1.5, text, ...more });
const CUES = [cue(0.5, 'Light that'), cue(12.4, 'lands\nsoftly'), cue(20, 'at home')];

describe('describeCues()', () => {
  it('keeps times and texts, and a digest of everything else', () => {
    expect(describeCues(CUES)).toBe('0.5-2 Light that\n12.4-13.9 lands / softly\n20-21.5 at home');
    const spoken = [cue(0, 'Hi', { speaker: 'Ann' })];
    expect(describeCues(spoken)).toMatch(/^0-1\.5 Hi\n# [0-9a-f]{8}$/);
    expect(describeCues([cue(0, 'Hi', { speaker: 'Bob' })])).not.toBe(describeCues(spoken));
    expect(readCues(describeCues(spoken))).toEqual([{ start: 0, end: 1.5, text: 'Hi' }]);
  });

  it('stays small: 300 cues of 60 characters take less than 8 kB, and 5,000 one line', () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => cue(index * 2, 'x'.repeat(60)));
    expect(describeCues(many(300)).length).toBeLessThan(8_000);
    expect(readCues(describeCues(many(300)))).toHaveLength(300);
    expect(describeCues(many(5_000))).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(readCues(describeCues(many(5_000)))).toBeNull();
  });
});

describe('compareCues()', () => {
  const recorded = (cues: readonly Cue[]) => readCues(describeCues(cues))!;

  it('finds nothing in equal cues, and every cue that is changed, moved, added or removed', () => {
    const at = fc.integer({ min: 0, max: 40 });
    const cues = fc
      .uniqueArray(at, { maxLength: 12 })
      .map((starts) => starts.sort((a, b) => a - b).map((start) => cue(start, `t${start}`)));
    fc.assert(
      fc.property(cues, cues, (was, is) => {
        const changes = compareCues(recorded(was), recorded(is));
        const same = was.filter((old) => is.some(({ start }) => start === old.start)).length;
        expect(changes.length).toBe(was.length + is.length - 2 * same);
        expect(compareCues(recorded(was), recorded(was))).toEqual([]);
      }),
    );
  });
});

describe('captionRows()', () => {
  const rows = (was: readonly Cue[], is: readonly Cue[]) => {
    const shown = captionRows({ before: describeCues(was), after: describeCues(is) });
    return shown.map(({ name, heading, before, after }) => heading ?? [name, before, after]);
  };
  const text = (words: string) => ({ kind: 'text', text: words });

  it('shows each cue with its time', () => {
    const [first, second, third] = CUES as [Cue, Cue, Cue];
    expect(rows(CUES, [{ ...first, text: 'Light which' }, { ...second, start: 12.5 }, cue(30, 'new')])).toEqual([
      '4 cues changed',
      ['00:00.500', text('Light that'), text('Light which')],
      ['00:12.400', { kind: 'name', name: '00:12.400 to 00:13.900' }, { kind: 'name', name: '00:12.500 to 00:13.900' }],
      [`00:${third.start}.000`, text('at home'), null],
      ['00:30.000', null, text('new')],
    ]);
  });

  it('counts cues beyond the first six, and names what is not recorded', () => {
    const many = Array.from({ length: 9 }, (_, index) => cue(index * 2, `a${index}`));
    const shown = rows(many, many.map((found) => ({ ...found, text: `${found.text}!` }))); // biome-ignore format: one line
    expect([shown[0], shown.at(-1), shown.length]).toEqual(['9 cues changed', 'and 3 more cues', 8]);
    expect(rows([cue(0, 'Hi', { speaker: 'Ann' })], [cue(0, 'Hi', { speaker: 'Bob' })])).toEqual([
      'times of words, speakers or places changed',
    ]);
    expect(captionRows({ before: null, after: describeCues(CUES) })[0]!.heading).toBe('3 cues added');
    expect(captionRows({ before: describeCues(CUES), after: null })[0]!.heading).toBe('3 cues removed');
  });
});
