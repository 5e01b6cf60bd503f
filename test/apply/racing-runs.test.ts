import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { racingRuns } from '../support/racing-runs.ts';

/** `npm run proof` runs ten thousand. */
const RUNS = 100;

describe('applyPlan() in racing runs that die, over a lossy network', () => {
  it.each([true, false])('renders nothing twice and loses nothing (service keeps keys: %s)', async (keepsKeys) => {
    await fc.assert(racingRuns({ keepsKeys, comparesAndSwaps: true }), { numRuns: RUNS });
  });

  it('would render twice without the compare-and-swap', async () => {
    const found = await fc.check(racingRuns({ keepsKeys: false, comparesAndSwaps: false }), { numRuns: 1_000 });
    expect(found.failed).toBe(true);
  });
});
