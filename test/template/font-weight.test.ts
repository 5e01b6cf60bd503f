import { describe, expect, it } from 'vitest';
import { weightAskedFor, weightNamed } from '../../src/template/font-weight.ts';

describe('weightNamed()', () => {
  it.each([
    ['Bold', 700],
    ['SemiBold Italic', 600],
    ['Extra-Light', 200],
    ['Black', 900],
    ['Inter-Regular', 400],
    ['Italic', null],
    ['', null],
  ])('reads the weight of %j', (name, weight) => expect(weightNamed(name)).toBe(weight));
});

describe('weightAskedFor()', () => {
  it('prefers the number to the name of the style', () => {
    expect(weightAskedFor({ fWeight: '650', fStyle: 'Bold' })).toBe(650);
    expect(weightAskedFor({ fWeight: '', fStyle: 'Bold' })).toBe(700);
    expect(weightAskedFor({ fWeight: 'heavy', fStyle: 'Light' })).toBe(300);
    expect(weightAskedFor({ fName: 'Inter-Bold' })).toBeNull();
  });
});
