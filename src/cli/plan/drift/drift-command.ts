import { join } from 'node:path';
import type { ProbeUrl } from '../../../contract/urls.ts';
import { type Diagnostic, EXIT, hasErrors, ReelformError } from '../../../kernel/diagnostic.ts';
import { byCodeUnit } from '../../../kernel/digest.ts';
import type { Refreshed } from '../../../reconciler/apply/refresh-videos.ts';
import { repositoryPath } from '../../../reconciler/git/revisions.ts';
import type { Lock } from '../../../reconciler/lock/lock.ts';
import { readLock } from '../../../reconciler/lock/lock-file.ts';
import { isSelected, unmatchedGlobs } from '../../../reconciler/plan/select-changes.ts';
import { findSwappedOutputs, notDelivered, observeOutputs } from '../../../reconciler/project/local-outputs.ts';
import { LOCK_FILE } from '../../../reconciler/project/repository-layout.ts';
import { driftJson } from '../../../report/json/command-json.ts';
import { diagnosticsJson, type JsonDiagnostic } from '../../../report/json/diagnostics-json.ts';
import { DRIFT_TITLE, driftMarkdown } from '../../../report/markdown/issue-bodies.ts';
import { driftText } from '../../../report/terminal/drift-text.ts';
import { type DriftFinding, type DriftReport, hasDrift, unverifiedIds } from '../../../report/wording/drift-words.ts';
import { withErrorReport } from '../../errors.ts';
import { loadGitHubJob, openJobGitHub, printWarning } from '../../forge/forge-job.ts';
import { reuseIssue } from '../../forge/github/issues.ts';
import { type JsonOptions, workingDirectory } from '../../global-options.ts';
import { type Io, type OutputStream, wantsColor } from '../../io.ts';
import { printDiagnostics, printJson } from '../../output.ts';
import { openUrlProbe } from '../../service/open-remote-service.ts';
import { type DesiredState, loadDesiredState, serviceName } from '../../state/load-desired-state.ts';
import type { PlanFlags } from '../plan-options.ts';
import { readGlobs } from '../select-videos.ts';
import { changedDeliveries } from './changed-deliveries.ts';
import { runRefresh } from './run-refresh.ts';

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

/**
 * Maintains an issue on GitHub that lists lost and changed videos, and closes it when there are none. Leaves the issue
 * as it is if nothing was found but not everything could be verified. Errors become warnings.
 */
async function updateDriftIssue(root: string, report: DriftReport, isWhole: boolean, io: Io): Promise<void> {
  try {
    const [{ runUrl }, path] = [await loadGitHubJob({}, io), await repositoryPath(root, LOCK_FILE)];
    const body = driftMarkdown(report, runUrl);
    const isUnclear = report.unclear.length > 0 || report.specs.some(({ kind }) => kind === 'unclear');
    if (body === null && (isUnclear || !isWhole)) return;
    const marker = `<!-- reelform:drift:${encodeURIComponent(path)} -->`;
    const mended = 'All rendered videos exist and are unchanged.';
    await reuseIssue(await openJobGitHub(io), { marker, title: DRIFT_TITLE, body, mended });
  } catch (error) {
    if (!(error instanceof ReelformError)) throw error;
    printWarning(error, io);
  }
}

/** Result of a check. */
interface DriftCheck {
  readonly repository: DesiredState;
  readonly diagnostics: readonly Diagnostic[];
  /** Diagnostics that the report contains as well. */
  readonly reported: readonly Diagnostic[];
  /** Null if errors prevented the check. */
  readonly opened: { readonly lock: Lock; readonly refreshed: Refreshed; readonly report: DriftReport } | null;
}

/**
 * Checks that rendered videos still exist and are unchanged, independent of the present definitions.
 *
 * @throws ReelformError `token_missing`, `service_unauthorized`
 */
async function checkDrift(directory: string, flags: PlanFlags, io: Io): Promise<DriftCheck> {
  const globs = await readGlobs(flags, directory, io);
  const isAsked = isSelected(globs);
  const repository = await loadDesiredState(directory, { cache: flags.cache !== false });
  const { root, config } = repository;
  const lock = await readLock(join(root, LOCK_FILE), LOCK_FILE);
  // A glob may match a video that was never rendered.
  const ids = lock.ok ? [...lock.value.videos.keys(), ...repository.desired.map(({ id }) => id)] : [];
  const wrong = lock.ok ? unmatchedGlobs(globs, ids) : lock.diagnostics;
  const diagnostics = [...repository.diagnostics, ...wrong];
  if (!lock.ok || hasErrors(diagnostics)) return { repository, diagnostics, reported: [], opened: null };

  const { refreshed, specs, question, warnings } = await runRefresh(repository, lock.value, isAsked, io);
  const found = new Set(refreshed.findings.map(({ id }) => id));
  const isOfThis = (id: string): boolean =>
    isAsked(id) && !found.has(id) && lock.value.videos.get(id)?.service === serviceName(config);
  const local = flags.ignoreMissingOutputs === true ? [] : await localFindings({ root, lock: lock.value, probeUrl: openUrlProbe(config, io) }, isOfThis); // biome-ignore format: one line
  const resized = refreshed.resized
    .filter(({ id }) => !found.has(id))
    .map(({ id, url }): DriftFinding => ({ id, what: 'video_changed', url }));
  const findings: DriftFinding[] = [...refreshed.findings, ...resized, ...local];
  const report: DriftReport = {
    checked: refreshed.checked - unverifiedIds({ findings, unclear: refreshed.unclear }).size,
    findings: findings.sort((a, b) => byCodeUnit(a.id, b.id)),
    notes: refreshed.notes,
    unclear: [...refreshed.unclear, ...ofOtherServices(lock.value, serviceName(config), isAsked)],
    specs,
  };
  return {
    repository,
    diagnostics: [...diagnostics, ...question],
    reported: warnings,
    opened: { lock: lock.value, refreshed, report },
  };
}

/** Returns the videos that another service rendered, which the configured service cannot verify. */
function ofOtherServices(lock: Lock, service: string, isAsked: (id: string) => boolean): DriftReport['unclear'] {
  return [...lock.videos]
    .filter(([id, entry]) => isAsked(id) && entry.service !== service)
    .map(([id, entry]) => {
      const why = `rendered by ${entry.service}, but reelform.yaml names ${service}`;
      return { id, url: entry.video_url, why };
    });
}

/** Checks local outputs by size, and by digest if it is recorded, and captions here and at their destinations. */
async function localFindings(
  { root, lock, probeUrl }: { readonly root: string; readonly lock: Lock; readonly probeUrl: ProbeUrl },
  isAsked: (id: string) => boolean,
): Promise<DriftFinding[]> {
  const { missing, damaged, missingCaptions } = observeOutputs(root, lock);
  const swapped = await findSwappedOutputs(root, lock, isAsked);
  const captions = new Map([
    ...[...missingCaptions].map((id) => [id, lock.videos.get(id)!.caption_files![0]!.path] as const),
    ...(await changedDeliveries(lock, probeUrl)),
  ]);
  const findings = (ids: Iterable<string>, what: DriftFinding['what']): DriftFinding[] =>
    [...ids]
      .filter(isAsked)
      .map((id) => ({ id, what, url: damaged.get(id) ?? swapped.get(id) ?? lock.videos.get(id)!.video_url }));
  const ofVideos = [
    ...findings(notDelivered(missing, lock), 'output_missing'),
    ...findings([...damaged.keys(), ...swapped.keys()], 'output_damaged'),
  ];
  const found = new Set(ofVideos.map(({ id }) => id));
  const ofCaptions = [...captions].filter(([id]) => isAsked(id) && !found.has(id));
  return [...ofVideos, ...ofCaptions.map(([id, url]): DriftFinding => ({ id, what: 'captions_changed', url }))];
}
