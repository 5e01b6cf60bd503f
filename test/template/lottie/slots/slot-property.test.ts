import { describe, expect, it } from 'vitest';
import { normalizeSlotText } from '../../../../src/contract/wire/slot-text.ts';
import type { LottieNode } from '../../../../src/template/lottie/lottie-layers.ts';
import {
  isAnimatedProperty,
  propertyKind,
  propertyText,
  writeProperty,
} from '../../../../src/template/lottie/slots/slot-property.ts';
import { still } from '../../../support/lottie-documents.ts';

const gradient = (colors: number, values: readonly number[]): LottieNode => ({ p: colors, k: still(values) });

describe('propertyKind()', () => {
  it.each<[LottieNode, ReturnType<typeof propertyKind>]>([
    [still(3), 'number'],
    [still([3]), 'number'],
    [still([3, 4]), 'point'],
    [still([100, 100, 100]), 'point'],
    [
      {
        a: 1,
        k: [
          { t: 0, s: [3] },
          { t: 9, s: [4] },
        ],
      },
      'number',
    ],
    [gradient(2, [0, 1, 0, 0, 1, 0, 1, 0]), 'gradient'],
    [still([0, 0, 1, 1]), null],
    [still({ v: [], i: [], o: [], c: true }), null],
  ])('of %j is %s', (node, kind) => {
    expect(propertyKind(node)).toBe(kind);
  });

  it('knows animated values', () => {
    expect(isAnimatedProperty({ a: 1, k: [{ t: 0, s: [3] }] })).toBe(true);
    expect(isAnimatedProperty({ p: 2, k: { a: 1, k: [{ t: 0, s: [0, 0, 0, 0] }] } })).toBe(true);
    expect(isAnimatedProperty(still([1, 2]))).toBe(false);
  });
});

describe('propertyText()', () => {
  it('joins the stops of colours and opacities, and interpolates both', () => {
    const node = gradient(2, [0, 0, 0, 0, 1, 1, 1, 1, 0, 1, 0.5, 0, 1, 1]);
    expect(propertyText('gradient', node)).toBe('#000000 0%, #80808000 50%, #FFFFFF 100%');
  });

  it('omits the third dimension of a point', () => {
    expect(propertyText('point', still([10, 20.5, 0]))).toBe('10, 20.5');
  });

  it('is a valid value for a gradient with more stops than a value may have', () => {
    const stops = Array.from({ length: 300_000 }, (_, index) => [index / 299_999, 1, 0, 0]);
    const text = propertyText('gradient', gradient(stops.length, stops.flat()));
    expect(normalizeSlotText('gradient', text)).toBe(text);
    expect(text.split(', ').filter((_, index) => index % 31 === 0)).toEqual(['#FF0000 0%', '#FF0000 100%']);
  });
});

describe('writeProperty()', () => {
  it('keeps the form of the value and its third dimension', () => {
    const [scalar, list, scale] = [still(1), still([1]), still([100, 100, 100])] as LottieNode[];
    writeProperty('number', scalar!, '2.5');
    writeProperty('number', list!, '2.5');
    writeProperty('point', scale!, '50, 60');
    expect([scalar, list, scale]).toEqual([still(2.5), still([2.5]), still([50, 60, 100])]);
  });

  it('writes opacity stops only for translucent colours', () => {
    const node = gradient(1, [0, 0, 0, 0]);
    writeProperty('gradient', node, '#FF0000 0%, #00FF00 100%');
    expect(node).toEqual(gradient(2, [0, 1, 0, 0, 1, 0, 1, 0]));
    writeProperty('gradient', node, '#FF0000 0%, #00FF0000 100%');
    expect(node).toEqual(gradient(2, [0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0]));
  });
});
