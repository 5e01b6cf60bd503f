import { ReelformError } from '../../diagnostic.ts';
import { findRoot } from '../../project/repository-layout.ts';
import { directoryOf } from '../diagnose.ts';
import type { GlobalOptions } from '../global-options.ts';
import type { Io } from '../io.ts';

/** The repository that a command works in, absolute; null where there is none. */
export function rootOf(options: GlobalOptions, io: Io): string | null {
  try {
    return findRoot(directoryOf(options, io));
  } catch (error) {
    if (error instanceof ReelformError) return null;
    throw error;
  }
}
