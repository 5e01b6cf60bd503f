import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { racingRuns } from '../support/racing-runs.ts';

/** Ten thousand in `npm run proof`. */
const RUNS = 100;

describe('applyPlan() in racing runs that die, over a network that loses', () => {
  it.each([true, false])('renders nothing twice and loses nothing, keys kept: %s', async (keepsKeys) => {
    await fc.assert(racingRuns({ keepsKeys, comparesAndSwaps: true }), { numRuns: RUNS });
  });

  it('would render twice without the compare-and-swap', async () => {
    const found = await fc.check(racingRuns({ keepsKeys: false, comparesAndSwaps: false }), { numRuns: 1_000 });
    expect(found.failed).toBe(true);
  });
});
