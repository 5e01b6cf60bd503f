import { EXIT } from '../../diagnostic.ts';
import { hasDrift } from '../../report/terminal/drift-text.ts';
import type { GlobalOptions } from '../global-options.ts';
import type { Io } from '../io.ts';
import type { PlanFlags } from '../plan/plan-flags.ts';
import { showDrift } from './show-drift.ts';

export interface DriftOptions extends GlobalOptions, PlanFlags {
  readonly json?: boolean;
  /** Whether one issue on GitHub tells it. */
  readonly issue?: boolean;
  /** Whether what was found shows in the exit code. */
  readonly detailedExitcode: boolean;
}

/** `reelform drift`, and `plan --refresh-only`: whether what was rendered still stands. Renders and writes nothing. */
export async function driftCommand(options: DriftOptions, io: Io): Promise<number> {
  const shown = await showDrift(options, options.json === true ? null : io.stdout, io);
  if (shown === null) return EXIT.error;
  if (options.issue === true) {
    const { reportDrift } = await import('../commit/report-drift.ts');
    await reportDrift(shown.root, shown.report, !isSelective(options), io);
  }
  if (options.detailedExitcode && hasDrift(shown.report)) return EXIT.changes;
  return shown.refreshed.sessions === 'nothing' ? EXIT.error : EXIT.ok;
}

/** Whether some videos were left out on demand: then nobody knows whether all stand. */
function isSelective({ target, targetFile, exclude, excludeFile }: DriftOptions): boolean {
  return [target, targetFile, exclude, excludeFile].some((globs) => globs !== undefined);
}
