import { describe, expect, it } from 'vitest';
import { comparePlans } from '../support/compare-plans.ts';

describe('the plan index', () => {
  // The even ones over a service behind a URL, the odd ones with a template package.
  it.each([1, 2, 3, 4])('gives the plan that reading everything gives, whatever was edited (seed %i)', async (seed) => {
    const { differences } = await comparePlans(seed, 40);
    expect(differences).toEqual([]);
  });
});
