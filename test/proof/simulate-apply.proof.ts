import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { count, tell } from '../support/proof.ts';
import { racingRuns } from '../support/racing-runs.ts';

const RUNS = count(10_000, 500);

describe('simulated racing runs', () => {
  it.each([true, false])('render nothing twice and lose nothing, with keys stored: %s', async (keepsKeys) => {
    const startedAt = performance.now();
    await fc.assert(racingRuns({ keepsKeys, comparesAndSwaps: true }), { numRuns: RUNS });
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    tell(`${RUNS} interleavings, keys ${keepsKeys ? 'kept' : 'not kept'}: 0 twice, 0 lost, in ${seconds} s`);
  });

  it('would render twice without compare-and-swap', async () => {
    const found = await fc.check(racingRuns({ keepsKeys: false, comparesAndSwaps: false }), { numRuns: RUNS });
    expect(found.failed).toBe(true);
    tell(`without the compare-and-swap: fails in run ${found.numRuns}, shrunk ${found.numShrinks} times`);
  });
});
