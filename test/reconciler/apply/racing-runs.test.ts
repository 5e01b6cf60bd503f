import fc, { type Scheduler } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runs } from '../../support/full-run.ts';
import { racingRuns } from '../../support/racing-runs.ts';
import { Simulation } from '../../support/simulated-runs.ts';

describe('applyPlan() in racing runs that die, over a lossy network', () => {
  it.each([true, false])('renders nothing twice and loses nothing (service keeps keys: %s)', async (keepsKeys) => {
    // `npm run proof` runs ten thousand.
    await fc.assert(racingRuns({ keepsKeys, comparesAndSwaps: true }), { numRuns: runs(100) });
  });

  it('counts each video as rendered in one run, and as found in the other', async () => {
    const scheduler = { schedule: (task: Promise<unknown>) => task } as unknown as Scheduler;
    const world = { keepsKeys: true, comparesAndSwaps: true, videos: ['a', 'b', 'c'], fates: [], missingLooks: 0 };
    const simulation = new Simulation({ ...world, scheduler });
    const runs = await Promise.all(['first', 'second'].map((name) => simulation.run(name, { diesAfter: null })));
    const counts = runs.map((run) => [run!.outcome.rendered, run!.outcome.renderedByOtherRuns ?? 0]);
    expect(counts.map(([own, found]) => own! + found!)).toEqual([3, 3]);
    expect(counts[0]![0]! + counts[1]![0]!).toBe(3);
    expect(runs.map((run) => [...run!.lock.videos.keys()])).toEqual([
      ['a', 'b', 'c'],
      ['a', 'b', 'c'],
    ]);
  });

  it('would render twice without the compare-and-swap', async () => {
    const found = await fc.check(racingRuns({ keepsKeys: false, comparesAndSwaps: false }), { numRuns: 1_000 });
    expect(found.failed).toBe(true);
  });
});
