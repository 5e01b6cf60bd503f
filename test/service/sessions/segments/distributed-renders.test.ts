import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  chunkCountOf,
  chunkSpans,
  type DistributionInput,
} from '../../../../src/service/sessions/segments/distributed-renders.ts';

/** A one-minute video that takes a minute to render, with seven idle slots besides its own. */
const MINUTE = { pieceCount: 30, videoSeconds: 60, renderSeconds: 60, inputBytes: 1e6, idleSlots: 7 };

describe('chunkCountOf()', () => {
  it.each<[string, Partial<DistributionInput>, number]>([
    ['takes the idle places and the own one', {}, 8],
    ['is one piece where nothing is idle', { idleSlots: 0 }, 1],
    ['makes no chunk shorter than four seconds', { idleSlots: 99 }, 15],
    ['makes no chunk that is rendered in less than three seconds', { renderSeconds: 10 }, 3],
    ['is one piece where two chunks would be too short', { pieceCount: 4, videoSeconds: 7.9 }, 1],
    ['never has more chunks than segments', { pieceCount: 2 }, 2],
    ['is one piece of what is no MP4', { pieceCount: 0 }, 1],
    ['is one piece of an input that is large to fetch', { inputBytes: 300e6 }, 1],
  ])('%s', (_, change, chunks) => {
    expect(chunkCountOf({ ...MINUTE, ...change })).toBe(chunks);
  });

  it('ignores a minimum of zero', () => {
    const rules = { chunkSeconds: 2, chunkRenderSeconds: 0, inputBytes: 1e9 };
    expect(chunkCountOf({ ...MINUTE, renderSeconds: 0 }, rules)).toBe(8);
  });
});

describe('chunkSpans()', () => {
  it('covers each piece once and in order, and no chunk is larger than its share by more than a piece', () => {
    const pieces = fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(pieces, fc.integer({ min: 1, max: 12 }), (frames, count) => {
        const spans = chunkSpans(frames, count);
        const all = spans.flatMap(({ first, end }) => Array.from({ length: end - first }, (_, at) => first + at));
        expect(all).toEqual([...frames.keys()]);
        expect(spans.length).toBeLessThanOrEqual(count);
        const total = frames.reduce((sum, one) => sum + one, 0);
        for (const { first, end } of spans) {
          expect(end).toBeGreaterThan(first);
          const own = frames.slice(first, end).reduce((sum, one) => sum + one, 0);
          expect(own).toBeLessThanOrEqual(total / count + Math.max(...frames));
        }
      }),
    );
  });

  it('covers each segment once and in order, with chunk sizes that differ by one at most', () => {
    const counts = fc
      .integer({ min: 1, max: 200 })
      .chain((segments) =>
        fc.record({ segments: fc.constant(segments), chunks: fc.integer({ min: 1, max: segments }) }),
      );
    fc.assert(
      fc.property(counts, ({ segments, chunks }) => {
        const ranges = chunkSpans(
          Array.from({ length: segments }, () => 60),
          chunks,
        );
        expect(ranges).toHaveLength(chunks);
        const all = ranges.flatMap(({ first, end }) => Array.from({ length: end - first }, (_, at) => first + at));
        expect(all).toEqual(Array.from({ length: segments }, (_, at) => at));
        const lengths = ranges.map(({ first, end }) => end - first);
        expect(Math.max(...lengths) - Math.min(...lengths)).toBeLessThanOrEqual(1);
        expect(Math.min(...lengths)).toBeGreaterThan(0);
      }),
    );
  });
});
