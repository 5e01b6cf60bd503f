import { EXIT } from '../../diagnostic.ts';
import { ForgeError } from '../../forge/forge-error.ts';
import type { Io } from '../io.ts';
import { tellWarning } from './tell-warning.ts';

/**
 * Does one thing after the other. What a forge does not do is told, and keeps nothing else from being done.
 *
 * @param strict whether it fails the command
 * @returns the exit status
 */
export async function writeAll(works: readonly (() => Promise<void>)[], strict: boolean, io: Io): Promise<number> {
  let exitCode: number = EXIT.ok;
  for (const work of works) {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof ForgeError)) throw error;
      tellWarning(error, io);
      if (strict) exitCode = EXIT.error;
    }
  }
  return exitCode;
}
