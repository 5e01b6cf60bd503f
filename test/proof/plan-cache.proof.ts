import { describe, expect, it } from 'vitest';
import { comparePlans } from '../support/compare-plans.ts';
import { count, IS_WHOLE, tell } from '../support/proof.ts';
import { EDITS } from '../support/random-edits.ts';

const ROUNDS = 60;

describe('the plan cache', () => {
  it('returns the same plan as a full read after random edits of every kind', async () => {
    const edits = new Map<string, number>();
    let [plans, empty, failed] = [0, 0, 0];
    for (let seed = 100; seed < 100 + count(60, 2); seed++) {
      const compared = await comparePlans(seed, ROUNDS);
      expect(compared.differences).toEqual([]);
      plans += compared.plans;
      empty += compared.empty;
      failed += compared.failed;
      for (const [name, times] of compared.edits) edits.set(name, (edits.get(name) ?? 0) + times);
    }
    const done = [...edits.values()].reduce((sum, times) => sum + times, 0);
    tell(`${plans} plans from the cache after ${done} edits of ${edits.size} kinds, none unlike one from scratch`);
    tell(`of ${plans / 2} plans from scratch ${empty} had nothing to do, ${failed} could not be made`);
    expect(plans).toBeGreaterThan(0);
    // Every kind of edit must have been possible at least once.
    if (IS_WHOLE) expect(Object.keys(EDITS).filter((name) => !edits.has(name))).toEqual([]);
  });
});
