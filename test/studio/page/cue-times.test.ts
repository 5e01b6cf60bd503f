import { describe, expect, it } from 'vitest';
import { draggedTimes, joinChanges, splitChanges, timeChange } from '../../../src/studio/page/captions/cue-times.ts';
import type { CueBlock } from '../../../src/studio/timeline-protocol.ts';

const CUE: CueBlock = {
  scene: 'two',
  origin: 2,
  limit: 6,
  start: 0.5,
  end: 1.5,
  text: 'Light that\nlands softly.',
  hasWords: false,
  at: { path: 'captions/en.vtt', position: 12 },
  problems: [],
};

describe('draggedTimes()', () => {
  it.each([
    ['both', 0.52, { start: 3, end: 4 }],
    ['both', -9, { start: 2, end: 3 }],
    ['both', 9, { start: 5, end: 6 }],
    ['start', 0.52, { start: 3, end: 3.5 }],
    ['start', 9, { start: 3.4, end: 3.5 }],
    ['start', -9, { start: 2, end: 3.5 }],
    ['end', 0.26, { start: 2.5, end: 3.8 }],
    ['end', -9, { start: 2.5, end: 2.6 }],
    ['end', 9, { start: 2.5, end: 6 }],
  ] as const)('moves %s by %f s to whole frames inside the scene', (edge, by, expected) => {
    const { start, end } = draggedTimes(CUE, edge, by, 10);
    expect({ start: Number(start.toFixed(6)), end: Number(end.toFixed(6)) }).toEqual(expected);
  });
});

describe('timeChange()', () => {
  it('has only the times that differ, from the start of the scene in milliseconds', () => {
    expect(timeChange(CUE, { start: 2.5, end: 3 + 1 / 3 })).toEqual({ kind: 'change', position: 12, end: 1.333 });
    expect(timeChange(CUE, { start: 2.5, end: 3.5 })).toBeNull();
  });
});

describe('splitChanges()', () => {
  it('splits at the current frame inside the cue, else by the share of the text', () => {
    const first = { kind: 'change', position: 12, text: 'Light that' };
    const second = { kind: 'add', after: 12, end: 1.5, text: 'lands softly.' };
    expect(splitChanges(CUE, 10, 3.2, 10)).toEqual([
      { ...first, end: 1.2 },
      { ...second, start: 1.2 },
    ]);
    // 10 of 23 characters.
    expect(splitChanges(CUE, 10, 0, 10)).toEqual([
      { ...first, end: 0.9 },
      { ...second, start: 0.9 },
    ]);
    expect(splitChanges(CUE, 0, 3, 10)).toBeNull();
  });
});

describe('joinChanges()', () => {
  it('keeps both texts and the whole time', () => {
    const next = { ...CUE, start: 2, end: 2.5, text: 'Made to last.', at: { path: 'captions/en.vtt', position: 40 } };
    expect(joinChanges(CUE, next)).toEqual([
      { kind: 'change', position: 12, end: 2.5, text: 'Light that\nlands softly.\nMade to last.' },
      { kind: 'remove', position: 40 },
    ]);
  });
});
