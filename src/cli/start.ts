import type { Io } from './io.ts';
import { quickPlan } from './plan/quick-plan.ts';

/**
 * One call of the command, in the shortest way: a plan that has nothing to do is told without loading what plans, and a
 * plain one without loading any other command.
 *
 * @param argv without `node` and the script
 * @returns the exit status
 */
export async function start(argv: readonly string[], io: Io): Promise<number> {
  const quick = quickPlan(argv, io);
  if (quick === null) {
    const { run } = await import('./run.ts');
    return run(argv, io);
  }
  if ('exitCode' in quick) return quick.exitCode;
  const { plainPlan } = await import('./plan/plain-plan.ts');
  return plainPlan(quick.flags, io, quick.probe);
}
