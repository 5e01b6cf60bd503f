import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withLimitedShape } from '../../../../src/template/lottie/drawing-form/limited-values.ts';
import { propertyValue } from '../../../../src/template/lottie/property-value.ts';

const time = fc.oneof(fc.integer({ min: -5, max: 40 }), fc.constantFrom(9.999999, 10.0000001, 12.5));
const end = fc.oneof(fc.integer({ min: -1, max: 101 }), fc.constantFrom(0, 100, 99.9, 100.1));
const share = fc.constantFrom(0, 0, 1, 1, 0.33, 0.999, 1.0001, -0.2);
const handle = fc.option(fc.record({ x: share, y: fc.oneof(share, fc.array(share, { minLength: 1, maxLength: 1 })) }));
const keyframe = fc.record({ t: time, s: fc.tuple(end), o: handle, i: handle, h: fc.constantFrom(0, 0, 0, 1) });
const keyframes = fc.array(keyframe, { minLength: 1, maxLength: 5 });

describe('withLimitedShape()', () => {
  it('changes the end of a trim exactly if a frame exceeds it', () => {
    fc.assert(
      fc.property(keyframes, (k) => {
        const shape = { ty: 'tm', s: { a: 1, k }, e: { a: 0, k: 100 } };
        const times = k.map(({ t }) => t);
        const [first, last] = [Math.floor(Math.min(...times)), Math.ceil(Math.max(...times))];
        const values = Array.from(
          { length: last - first + 1 },
          (_, index) => propertyValue(shape.s, first + index)![0]!,
        );
        const exceeds = values.some((value) => value < 0 || value > 100);
        expect(withLimitedShape(shape) !== shape).toBe(exceeds);
      }),
      { numRuns: 3_000 },
    );
  });
});
