import { EXIT } from '../diagnostic.ts';
import { diagnosticsJson, type JsonDiagnostic } from '../report/diagnostics-json.ts';
import { driftJson } from '../report/drift-json.ts';
import { driftText } from '../report/drift-text.ts';
import { directoryOf, tellDiagnostics } from './diagnose.ts';
import type { GlobalOptions } from './global-options.ts';
import { type Io, wantsColor } from './io.ts';
import { NOTHING_SEEN, openDrift } from './open-drift.ts';
import type { PlanFlags } from './plan-flags.ts';
import { tellThrown } from './thrown.ts';

export interface DriftOptions extends GlobalOptions, PlanFlags {
  readonly json?: boolean;
  /** Whether what was found shows in the exit code. */
  readonly detailedExitcode: boolean;
}

/** `reelform drift`, and `plan --refresh-only`: whether what was rendered still stands. Renders and writes nothing. */
export async function driftCommand(options: DriftOptions, io: Io): Promise<number> {
  const tell = (thrown: readonly JsonDiagnostic[]): void => io.stdout.write(driftJson(NOTHING_SEEN, thrown));
  const { repository, diagnostics, opened } = await tellThrown(options.json === true ? tell : null, () =>
    openDrift(directoryOf(options, io), options, io),
  );
  const report = opened?.report ?? NOTHING_SEEN;
  if (options.json === true) io.stdout.write(driftJson(report, diagnosticsJson(diagnostics, repository.source)));
  if (opened === null) {
    tellDiagnostics(diagnostics, repository.source, options, io);
    return EXIT.error;
  }
  // What could not be told is in the report too.
  tellDiagnostics(repository.diagnostics, repository.source, options, io);
  if (options.json !== true) {
    io.stdout.write(driftText(report, { color: wantsColor(io.stdout, io.env, options.color) }));
  }
  return options.detailedExitcode && report.findings.length > 0 ? EXIT.changes : EXIT.ok;
}
