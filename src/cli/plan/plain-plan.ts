import type { CacheProbe } from '../../plan-cache/probe.ts';
import { explainThrown } from '../explain-thrown.ts';
import type { Io } from '../io.ts';
import { planCommand } from './plan-command.ts';
import type { PlainFlag } from './quick-plan.ts';

/**
 * `reelform plan` with flags that take no value, without what reads all other command lines. The build makes one file of
 * it and of nearly all that it needs.
 *
 * @param probe the plan cache, opened
 * @returns the exit status
 */
export async function plainPlan(flags: readonly PlainFlag[], io: Io, probe: CacheProbe | null): Promise<number> {
  const has = (flag: PlainFlag): boolean => flags.includes(flag);
  try {
    return await planCommand(
      {
        json: has('--json'),
        detailedExitcode: has('--detailed-exitcode'),
        ignoreMissingOutputs: has('--ignore-missing-outputs'),
        allowEmpty: has('--allow-empty'),
        verbose: has('--verbose'),
        lint: !has('--no-lint'),
        color: !has('--no-color'),
      },
      io,
      probe,
    );
  } catch (error) {
    return explainThrown(error, io);
  }
}
