import fc from 'fast-check';
import { type Fate, Simulation } from './simulated-runs.ts';

const fate = fc.oneof(
  { weight: 5, arbitrary: fc.constant<Fate>('well') },
  fc.constantFrom<Fate>('request lost', 'answer lost'),
);

/**
 * Property: two or three runs race over one journal. Some of them die; requests, responses and pushes are lost;
 * sessions answer 404 for a while or for longer than a run waits. A last run then completes undisturbed. Holds if no
 * video was rendered twice or reported by two runs as their own, and each one is in the lockfile of the last run, or is
 * reported as unknown: by an earlier run, or where no record says that the service keeps keys.
 */
export function racingRuns(options: { readonly keepsKeys: boolean; readonly comparesAndSwaps: boolean }) {
  const runs = fc.array(fc.record({ diesAfter: fc.option(fc.integer({ min: 0, max: 40 })) }), {
    minLength: 2,
    maxLength: 3,
  });
  const fates = fc.array(fate, { maxLength: 12 });
  const missing = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 120 }));
  return fc.asyncProperty(fc.scheduler(), runs, fates, missing, async (scheduler, racing, lost, missingLooks) => {
    const videos = ['a', 'b', 'c'];
    const simulation = new Simulation({ ...options, scheduler, videos, fates: lost, missingLooks });
    const race = Promise.all(racing.map((run, index) => simulation.run(`run-${index}`, run).catch(() => null)));
    await scheduler.waitFor(race);
    simulation.calm();
    const mayBeUnknown = !simulation.isKnownToKeepKeys;
    const reported = simulation.reportedUnknown;
    const last = await scheduler.waitFor(simulation.run('last', { diesAfter: null }));
    const unknown = last?.outcome.unknown.map(({ id }) => id as string) ?? [];
    const left = videos.filter((id) => last?.lock.videos.has(id) !== true && !unknown.includes(id));
    const renders = [...simulation.renders];
    const claims = [...simulation.claims];
    const isOnce = renders.every(([, count]) => count === 1) && claims.every(([, claimants]) => claimants.length === 1);
    if (isOnce && left.length === 0 && (mayBeUnknown || unknown.every((id) => reported.has(id)))) return;
    throw new Error(
      `renders ${JSON.stringify(renders)}, claims ${JSON.stringify(claims)}, missing ${left}, unknown ${unknown}`,
    );
  });
}
