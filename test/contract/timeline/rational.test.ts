import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  add,
  ceiling,
  compare,
  decimal,
  divide,
  floor,
  multiply,
  nearest,
  type Rational,
  rational,
  rationalJson,
  subtract,
  toNumber,
} from '../../../src/contract/timeline/rational.ts';
import { runs } from '../../support/full-run.ts';

const fractions = fc
  .tuple(fc.integer({ min: -1e9, max: 1e9 }), fc.integer({ min: 1, max: 1e6 }))
  .map(([numerator, denominator]) => rational(numerator, denominator));

/** Near the bounds of the integers that numbers hold exactly, and far beyond them. */
const integers = fc.oneof(
  fc.integer({ min: -20, max: 20 }).map(BigInt),
  fc.bigInt({ min: 2n ** 53n - 5n, max: 2n ** 53n + 5n }),
  fc.bigInt({ min: -(2n ** 54n), max: 2n ** 54n }),
  fc.bigInt({ min: -(2n ** 120n), max: 2n ** 120n }),
);
const exact = fc.tuple(
  integers,
  integers.filter((integer) => integer !== 0n),
);

test.each([
  [0.1, '1/10'],
  [-2.5, '-5/2'],
  [1e-7, '1/10000000'],
  [1.5e21, 1.5e21],
  [30, 30],
])('decimal(%d) is %s', (value, expected) => {
  expect(rationalJson(decimal(value))).toBe(expected);
});

test.each([
  [7, 2, 3, 4, 4],
  [-7, 2, -4, -3, -3],
  [5, 1, 5, 5, 5],
  [1, 3, 0, 1, 0],
  [0, 1, 0, 0, 0],
])('%d/%d has the floor %d, the ceiling %d and the nearest whole number %d', (top, bottom, ...expected) => {
  const value = rational(top, bottom);
  expect([floor(value), ceiling(value), nearest(value)]).toEqual(expected);
});

describe('the operations', () => {
  const same = (a: Rational, b: Rational): void => expect(a).toEqual(b);

  it('are exact at any size', () => {
    fc.assert(
      fc.property(exact, exact, ([p, q], [r, s]) => {
        const [a, b] = [rational(p, q), rational(r, s)];
        expect(BigInt(a.numerator) * q).toBe(p * BigInt(a.denominator));
        expect(a.denominator).toBeGreaterThan(0);
        expect(rational(a.numerator, a.denominator)).toStrictEqual(a);
        same(add(a, b), rational(p * s + r * q, q * s));
        same(subtract(a, b), rational(p * s - r * q, q * s));
        same(multiply(a, b), rational(p * r, q * s));
        if (r !== 0n) same(divide(a, b), rational(p * s, q * r));
        expect(compare(a, b)).toBe(Math.sign(Number((p * s - r * q) * q * s)) + 0);
        const [below, above] = [BigInt(floor(a)), BigInt(ceiling(a))];
        if (Number.isSafeInteger(floor(a))) {
          expect(compare(rational(below), a)).toBeLessThanOrEqual(0);
          expect(compare(rational(below + 1n), a)).toBeGreaterThan(0);
          expect(above - below).toBe(a.denominator === 1 ? 0n : 1n);
        }
      }),
      { numRuns: runs(5_000) },
    );
  });

  it('undo each other exactly', () => {
    fc.assert(
      fc.property(fractions, fractions, (a, b) => {
        same(subtract(add(a, b), b), a);
        if (b.numerator !== 0) same(multiply(divide(a, b), b), a);
      }),
    );
  });

  it('agree with floating-point numbers', () => {
    fc.assert(
      fc.property(fractions, fractions, (a, b) => {
        expect(toNumber(add(a, b))).toBeCloseTo(toNumber(a) + toNumber(b), 3);
        if (Math.abs(toNumber(a) - toNumber(b)) > 1e-3) {
          expect(Math.sign(compare(a, b))).toBe(Math.sign(toNumber(a) - toNumber(b)));
        }
      }),
    );
  });
});
