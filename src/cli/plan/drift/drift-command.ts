import { EXIT } from '../../../kernel/diagnostic.ts';
import type { Refreshed } from '../../../reconciler/apply/refresh-videos.ts';
import type { Lock } from '../../../reconciler/lock/lock.ts';
import { driftJson } from '../../../report/json/command-json.ts';
import { diagnosticsJson, type JsonDiagnostic } from '../../../report/json/diagnostics-json.ts';
import { driftText } from '../../../report/terminal/drift-text.ts';
import { type DriftReport, hasDrift } from '../../../report/wording/drift-words.ts';
import { withErrorReport } from '../../errors.ts';
import { type JsonOptions, workingDirectory } from '../../global-options.ts';
import { type Io, type OutputStream, wantsColor } from '../../io.ts';
import { printDiagnostics, printJson } from '../../output.ts';
import type { PlanFlags } from '../plan-options.ts';
import { checkDrift } from './check-drift.ts';
import { updateDriftIssue } from './drift-issue.ts';

interface DriftOptions extends JsonOptions, PlanFlags {
  /** True to maintain an issue on GitHub. */
  readonly issue?: boolean;
  /** False to exit with 0 also if there are findings. */
  readonly detailedExitcode?: boolean;
}

/**
 * `reelform drift`, and `plan --refresh-only`: checks that rendered videos still exist and are unchanged. Renders and
 * writes nothing.
 */
export async function driftCommand(options: DriftOptions, io: Io): Promise<number> {
  const shown = await printDrift(options, options.json === true ? null : io.stdout, io);
  if (shown === null) return EXIT.error;
  if (options.issue === true) {
    await updateDriftIssue(shown.root, shown.report, !isSelective(options), io);
  }
  if (options.detailedExitcode !== false && hasDrift(shown.report)) return EXIT.changes;
  return shown.refreshed.sessions === 'nothing' ? EXIT.error : EXIT.ok;
}

/** True if the options exclude videos, so that the state of those is unknown. */
function isSelective({ target, targetFile, exclude, excludeFile }: DriftOptions): boolean {
  return [target, targetFile, exclude, excludeFile].some((globs) => globs !== undefined);
}

/** Result of a check that was printed. */
interface PrintedDrift {
  /** Absolute. */
  readonly root: string;
  readonly lock: Lock;
  readonly refreshed: Refreshed;
  readonly report: DriftReport;
}

const NOTHING_SEEN: DriftReport = { checked: 0, findings: [], notes: [], unclear: [], specs: [] };

/**
 * Checks that rendered videos still exist, and prints the report: as JSON on stdout if requested, and as text.
 *
 * @param words stream for the text; null for none
 * @returns null if errors prevented the check; they are printed
 */
export async function printDrift(
  options: JsonOptions & PlanFlags,
  words: OutputStream | null,
  io: Io,
): Promise<PrintedDrift | null> {
  const printErrors = (thrown: readonly JsonDiagnostic[]): void => printJson(driftJson(NOTHING_SEEN, thrown), io);
  const { repository, diagnostics, reported, opened } = await withErrorReport(
    options.json === true ? printErrors : null,
    () => checkDrift(workingDirectory(options, io), options, io),
  );
  const report = opened?.report ?? NOTHING_SEEN;
  if (options.json === true)
    printJson(driftJson(report, diagnosticsJson([...diagnostics, ...reported], repository.source)), io);
  printDiagnostics(diagnostics, repository.source, options, io);
  if (opened === null) return null;
  words?.write(driftText(report, { color: wantsColor(words, io.env, options.color) }));
  return { root: repository.root, ...opened };
}
