import { join } from 'node:path';
import { type Diagnostic, hasErrors } from '../../../kernel/diagnostic.ts';
import { byCodeUnit } from '../../../kernel/digest.ts';
import type { Refreshed } from '../../../reconciler/apply/refresh-videos.ts';
import type { Lock } from '../../../reconciler/lock/lock.ts';
import { readLock } from '../../../reconciler/lock/lock-file.ts';
import { isSelected, unmatchedGlobs } from '../../../reconciler/plan/select-changes.ts';
import { findSwappedOutputs, notDelivered, observeOutputs } from '../../../reconciler/project/local-outputs.ts';
import { LOCK_FILE } from '../../../reconciler/project/repository-layout.ts';
import { type DriftFinding, type DriftReport, unverifiedIds } from '../../../report/wording/drift-words.ts';
import type { Io } from '../../io.ts';
import { type DesiredState, loadDesiredState, serviceName } from '../../state/load-desired-state.ts';
import type { PlanFlags } from '../plan-options.ts';
import { readGlobs } from '../select-videos.ts';
import { runRefresh } from './run-refresh.ts';

/** Result of a check. */
export interface DriftCheck {
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
export async function checkDrift(directory: string, flags: PlanFlags, io: Io): Promise<DriftCheck> {
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
  const local = flags.ignoreMissingOutputs === true ? [] : await localFindings(root, lock.value, isOfThis);
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

/** Checks local outputs by size, and by digest if it is recorded. */
async function localFindings(root: string, lock: Lock, isAsked: (id: string) => boolean): Promise<DriftFinding[]> {
  const { missing, damaged } = observeOutputs(root, lock);
  const swapped = await findSwappedOutputs(root, lock, isAsked);
  const findings = (ids: Iterable<string>, what: DriftFinding['what']): DriftFinding[] =>
    [...ids]
      .filter(isAsked)
      .map((id) => ({ id, what, url: damaged.get(id) ?? swapped.get(id) ?? lock.videos.get(id)!.video_url }));
  return [
    ...findings(notDelivered(missing, lock), 'output_missing'),
    ...findings([...damaged.keys(), ...swapped.keys()], 'output_damaged'),
  ];
}
