import { describe, expect, it } from 'vitest';
import { requestedWeight, weightInName } from '../../src/template/font-weight.ts';

describe('weightInName()', () => {
  it.each([
    ['Bold', 700],
    ['SemiBold Italic', 600],
    ['Extra-Light', 200],
    ['Black', 900],
    ['Inter-Regular', 400],
    ['Italic', null],
    ['', null],
  ])('reads the weight of %j', (name, weight) => expect(weightInName(name)).toBe(weight));
});

describe('requestedWeight()', () => {
  it('prefers the number to the name of the style', () => {
    expect(requestedWeight({ fWeight: '650', fStyle: 'Bold' })).toBe(650);
    expect(requestedWeight({ fWeight: '', fStyle: 'Bold' })).toBe(700);
    expect(requestedWeight({ fWeight: 'heavy', fStyle: 'Light' })).toBe(300);
    expect(requestedWeight({ fName: 'Inter-Bold' })).toBeNull();
  });
});
