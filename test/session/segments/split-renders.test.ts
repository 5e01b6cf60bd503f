import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { partRanges, partsOf, type SplitQuestion } from '../../../src/session/segments/split-renders.ts';

/** A one-minute video that takes a minute to render, with seven idle slots besides the own one. */
const MINUTE = { segmentCount: 30, videoSeconds: 60, renderSeconds: 60, sceneBytes: 1e6, idlePlaces: 7 };

describe('partsOf()', () => {
  it.each<[string, Partial<SplitQuestion>, number]>([
    ['takes the idle places and the own one', {}, 8],
    ['is one piece where nothing is idle', { idlePlaces: 0 }, 1],
    ['makes no part shorter than four seconds', { idlePlaces: 99 }, 15],
    ['makes no part that is rendered in less than three seconds', { renderSeconds: 10 }, 3],
    ['is one piece where two parts would be too short', { segmentCount: 4, videoSeconds: 7.9 }, 1],
    ['never has more parts than segments', { segmentCount: 2 }, 2],
    ['is one piece of what is no MP4', { segmentCount: 0 }, 1],
    ['is one piece of a scene that is large to fetch', { sceneBytes: 300e6 }, 1],
  ])('%s', (_, change, parts) => {
    expect(partsOf({ ...MINUTE, ...change })).toBe(parts);
  });

  it('ignores a minimum of zero', () => {
    const rules = { partSeconds: 2, partRenderSeconds: 0, sceneBytes: 1e9 };
    expect(partsOf({ ...MINUTE, renderSeconds: 0 }, rules)).toBe(8);
  });
});

describe('partRanges()', () => {
  it('covers each segment once and in order, with part sizes that differ by one at most', () => {
    const counts = fc
      .integer({ min: 1, max: 200 })
      .chain((segments) =>
        fc.record({ segments: fc.constant(segments), parts: fc.integer({ min: 1, max: segments }) }),
      );
    fc.assert(
      fc.property(counts, ({ segments, parts }) => {
        const ranges = partRanges(segments, parts);
        const all = ranges.flatMap(({ first, end }) => Array.from({ length: end - first }, (_, at) => first + at));
        expect(all).toEqual(Array.from({ length: segments }, (_, at) => at));
        const lengths = ranges.map(({ first, end }) => end - first);
        expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThanOrEqual(1);
        expect(Math.min(...lengths)).toBeGreaterThan(0);
      }),
    );
  });
});
