import { recordFindings } from '../apply/record-findings.ts';
import { EXIT } from '../diagnostic.ts';
import { diagnosticsJson, type JsonDiagnostic } from '../report/diagnostics-json.ts';
import { driftJson } from '../report/drift-json.ts';
import { driftText } from '../report/drift-text.ts';
import type { ApplyOptions } from './apply-options.ts';
import { approve } from './approve.ts';
import { directoryOf, tellDiagnostics } from './diagnose.ts';
import { type Io, wantsColor } from './io.ts';
import { NOTHING_SEEN, openDrift } from './open-drift.ts';
import { openLockFile } from './open-lock.ts';
import { refuseTogether } from './refuse-together.ts';
import { tellThrown } from './thrown.ts';

/**
 * `reelform apply --refresh-only`: makes the lockfile say what is, and renders nothing. The entry of a video that is lost
 * goes, so that the next plan makes the video; of a remote file that changed the new version is noted, so that the video
 * made from the old one counts as it is. A file that is missing on this machine alone is no matter of the lockfile.
 */
export async function applyDrift(options: ApplyOptions, io: Io): Promise<number> {
  refuseTogether('--refresh-only', options, {
    replace: '--replace',
    changedSince: '--changed-since',
    maxRenders: '--max-renders',
    expectPlan: '--expect-plan',
  });
  const directory = directoryOf(options, io);
  const tell = (thrown: readonly JsonDiagnostic[]): void => io.stdout.write(driftJson(NOTHING_SEEN, thrown));
  const { repository, diagnostics, opened } = await tellThrown(options.json === true ? tell : null, () =>
    openDrift(directory, options, io),
  );
  const report = opened?.report ?? NOTHING_SEEN;
  if (options.json === true) io.stdout.write(driftJson(report, diagnosticsJson(diagnostics, repository.source)));
  if (opened === null) {
    tellDiagnostics(diagnostics, repository.source, options, io);
    return EXIT.error;
  }
  tellDiagnostics(repository.diagnostics, repository.source, options, io);
  io.stderr.write(driftText(report, { color: wantsColor(io.stderr, io.env, options.color) }));
  const { findings } = opened.refreshed;
  if (findings.length === 0) return EXIT.ok;
  await approve(0, options, io);
  await openLockFile(repository.root, opened.lock).update((lock) => recordFindings(lock, findings));
  return EXIT.ok;
}
