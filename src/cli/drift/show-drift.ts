import type { Refreshed } from '../../apply/refresh-videos.ts';
import type { Lock } from '../../lock/lock.ts';
import { driftJson } from '../../report/json/command-json.ts';
import { diagnosticsJson, type JsonDiagnostic } from '../../report/json/diagnostics-json.ts';
import { type DriftReport, driftText } from '../../report/terminal/drift-text.ts';
import { directoryOf, tellDiagnostics } from '../diagnose.ts';
import type { GlobalOptions } from '../global-options.ts';
import { type Io, type Output, wantsColor } from '../io.ts';
import type { PlanFlags } from '../plan/plan-flags.ts';
import { tellThrown } from '../thrown.ts';
import { openDrift } from './open-drift.ts';

/** What was looked at, and has been told. */
export interface ShownDrift {
  /** Absolute. */
  readonly root: string;
  readonly lock: Lock;
  readonly refreshed: Refreshed;
  readonly report: DriftReport;
}

/** Of a look that was kept from looking. */
const NOTHING_SEEN: DriftReport = { checked: 0, findings: [], notes: [], unclear: [], specs: [] };

/**
 * Looks whether what was rendered still stands, and tells it: as a document on stdout where one is asked for, and in words.
 *
 * @param words where they go; null: nowhere
 * @returns null when mistakes leave nothing to look at, which has been told then
 */
export async function showDrift(
  options: GlobalOptions & PlanFlags & { readonly json?: boolean },
  words: Output | null,
  io: Io,
): Promise<ShownDrift | null> {
  const tell = (thrown: readonly JsonDiagnostic[]): void => io.stdout.write(driftJson(NOTHING_SEEN, thrown));
  const { repository, diagnostics, reported, opened } = await tellThrown(options.json === true ? tell : null, () =>
    openDrift(directoryOf(options, io), options, io),
  );
  const report = opened?.report ?? NOTHING_SEEN;
  if (options.json === true)
    io.stdout.write(driftJson(report, diagnosticsJson([...diagnostics, ...reported], repository.source)));
  tellDiagnostics(diagnostics, repository.source, options, io);
  if (opened === null) return null;
  words?.write(driftText(report, { color: wantsColor(words, io.env, options.color) }));
  return { root: repository.root, ...opened };
}
