import type { Io } from './io.ts';
import { quickPlan } from './plan/quick-plan.ts';

/**
 * One call of the command, in the shortest way: a plan that has nothing to do is told without loading what plans.
 *
 * @param argv without `node` and the script
 * @returns the exit status
 */
export async function start(argv: readonly string[], io: Io): Promise<number> {
  const quick = quickPlan(argv, io);
  if (quick !== null && 'exitCode' in quick) return quick.exitCode;
  const { run } = await import('./run.ts');
  return run(argv, io, quick?.looked);
}
