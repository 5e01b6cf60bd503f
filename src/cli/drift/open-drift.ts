import { join } from 'node:path';
import type { Refreshed } from '../../apply/refresh-videos.ts';
import { type Diagnostic, hasErrors } from '../../diagnostic.ts';
import { byCodeUnit } from '../../digest.ts';
import type { Lock } from '../../lock/lock.ts';
import { readLock } from '../../lock/lock-file.ts';
import { isSelected, unmatchedGlobs } from '../../plan/select-changes.ts';
import { findSwappedOutputs, notDelivered, observeOutputs } from '../../project/local-outputs.ts';
import { LOCK_FILE } from '../../project/repository-layout.ts';
import type { DriftFinding, DriftReport } from '../../report/terminal/drift-text.ts';
import type { Io } from '../io.ts';
import { type OpenDesired, openDesired, serviceName } from '../plan/open-desired.ts';
import type { PlanFlags } from '../plan/plan-flags.ts';
import { readGlobs } from '../plan/read-globs.ts';
import { runRefresh } from './run-refresh.ts';

export interface OpenDrift {
  readonly repository: OpenDesired;
  readonly diagnostics: readonly Diagnostic[];
  /** Those whose words are in the report too. */
  readonly reported: readonly Diagnostic[];
  /** Null when mistakes leave nothing to look at. */
  readonly opened: { readonly lock: Lock; readonly refreshed: Refreshed; readonly report: DriftReport } | null;
}

/**
 * Looks whether what was rendered still stands, whatever the definitions want by now.
 *
 * @throws ReelformError `token_missing`, `service_unauthorized`
 */
export async function openDrift(directory: string, flags: PlanFlags, io: Io): Promise<OpenDrift> {
  const globs = await readGlobs(flags, directory, io);
  const isAsked = isSelected(globs);
  const repository = await openDesired(directory, { cache: flags.cache !== false });
  const { root, config } = repository;
  const lock = await readLock(join(root, LOCK_FILE), LOCK_FILE);
  // A video that was never rendered is known, and has nothing to look at.
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
    checked: refreshed.checked,
    findings: findings.sort((a, b) => byCodeUnit(a.id, b.id)),
    notes: refreshed.notes,
    unclear: refreshed.unclear,
    specs,
  };
  return {
    repository,
    diagnostics: [...diagnostics, ...question],
    reported: warnings,
    opened: { lock: lock.value, refreshed, report },
  };
}

/** What is wrong with local outputs: by their sizes, and for those that have them by their digests. */
async function localFindings(root: string, lock: Lock, isAsked: (id: string) => boolean): Promise<DriftFinding[]> {
  const { missing, damaged } = observeOutputs(root, lock);
  const swapped = await findSwappedOutputs(root, lock, isAsked);
  const findings = (ids: Iterable<string>, what: DriftFinding['what']): DriftFinding[] =>
    [...ids].filter(isAsked).map((id) => ({ id, what, url: damaged.get(id) ?? lock.videos.get(id)!.video_url }));
  return [
    ...findings(notDelivered(missing, lock), 'output_missing'),
    ...findings([...damaged.keys(), ...swapped], 'output_damaged'),
  ];
}
