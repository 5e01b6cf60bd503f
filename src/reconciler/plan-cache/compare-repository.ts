import { join } from 'node:path';
import type { Result } from '../../kernel/diagnostic.ts';
import { byCodeUnit } from '../../kernel/digest.ts';
import type { Lock } from '../lock/lock.ts';
import { parseLockBytes, readLock } from '../lock/lock-file.ts';
import type { DesiredVideo } from '../plan/desired-video.ts';
import type { Plan } from '../plan/plan.ts';
import { type LocalOutputs, observeOutputs } from '../project/local-outputs.ts';
import { LOCK_FILE } from '../project/repository-layout.ts';
import type { CachedDefinition } from './cached-state.ts';
import { haveSizes, isUnchangedFile } from './file-state.ts';
import {
  hasLastPlan,
  readComparedFiles,
  withJournalState,
  withLastPlan,
  withLockChecked,
  withPartialPlan,
} from './last-plan.ts';
import { readEntries } from './lock-entries.ts';
import { CacheDamaged, type PlanCache } from './plan-cache.ts';

/** The desired state and the lock, as compared by a plan. */
export interface Comparison {
  readonly desired: readonly DesiredVideo[];
  readonly lock: Lock;
  /** Missing and damaged local files of the lock's entries. */
  readonly outputs: Pick<LocalOutputs, 'missing' | 'damaged' | 'missingCaptions'>;
  /**
   * Adds the videos that were left out because they have nothing to do to the plan of both sides, and stores it in the plan
   * cache.
   *
   * @param plan of all videos, without demands beyond what the definitions say
   */
  complete(plan: Plan): Plan;
}

export interface CompareOptions {
  /** True if videos without changes may be left out of both sides. */
  readonly mayBePartial: boolean;
  /** True if missing or damaged local outputs are restored; otherwise they cause no change. */
  readonly restores: boolean;
}

/**
 * Reads the desired videos, the lockfile, and which of its outputs exist.
 *
 * @param cache up to date; null when nothing is cached
 * @param desired returns all videos
 */
export async function compareRepository(
  root: string,
  cache: PlanCache | null,
  desired: () => readonly DesiredVideo[],
  { mayBePartial, restores }: CompareOptions,
): Promise<Result<Comparison>> {
  const lockPath = join(root, LOCK_FILE);
  if (cache?.state != null) cache.state = withLockChecked(cache.state, lockPath, cache.timestamp);
  const partial = mayBePartial && cache !== null ? comparePartially(root, lockPath, cache, restores) : null;
  if (partial !== null) return { ok: true, value: partial };

  const compared = cache === null ? null : readComparedFiles(root, lockPath, cache.timestamp);
  const bytes = compared?.bytes ?? null;
  const lock = bytes === null ? await readLock(lockPath, LOCK_FILE) : parseLockBytes(bytes, LOCK_FILE);
  if (!lock.ok) return lock;
  const outputs = observeOutputs(root, lock.value);
  return {
    ok: true,
    value: {
      desired: desired(),
      lock: lock.value,
      outputs,
      complete(plan) {
        if (cache?.state == null) return plan;
        const isSameLock =
          compared !== null && isUnchangedFile(lockPath, compared.lock && { ...compared.lock, isTrusted: true });
        if (isSameLock && cache.state.config.journal === 'file') {
          cache.state = withLastPlan(cache.state, plan, lock.value, { ...compared, outputs: [...outputs.sizes] });
        }
        cache.store();
        return plan;
      },
    },
  };
}

/**
 * Compares only what affects the changes of a plan.
 *
 * @returns null when everything has to be compared: there is no last plan, an output is missing, the lockfile changed, or
 * the cache is damaged
 */
function comparePartially(root: string, lockPath: string, cache: PlanCache, restores: boolean): Comparison | null {
  const { state, timestamp } = cache;
  if (state === null || !hasLastPlan(state)) return null;
  const { lastPlan } = state;
  if (restores && !haveSizes(root, lastPlan.outputs)) return null;
  const planned = withJournalState(state, root, timestamp);
  const { open, alike, idle } = selectDefinitions([...state.definitions.values()]);
  const ranges = [
    ...lastPlan.unmatchedEntries.map(([, ...range]) => range),
    ...alike.flatMap(({ upToDate }) => upToDate ?? []),
  ];
  const lock = readEntries(lockPath, ranges, lastPlan.lock?.tuple ?? null);
  const desired = lock && videosOrNull(cache, [...open, ...alike]);
  if (lock === null || desired === null) return null;
  return {
    desired: desired.sort((a, b) => byCodeUnit(a.id, b.id)),
    lock,
    // A delivery needs the local file even when it is not restored.
    outputs: observeOutputs(root, lock),
    complete(plan) {
      cache.state = withPartialPlan(planned, plan, open);
      cache.store();
      return { ...plan, idle: idle.flatMap(({ ids }) => ids) };
    },
  };
}

/**
 * Leaves out videos that needed nothing in the last plan and that cannot affect other changes: a plan pairs new videos
 * with removed ones, and adopts renderings with the same fingerprint from other ids. Keeps one unchanged video so that
 * the all-videos-removed check does not fire on a partial plan.
 */
function selectDefinitions(definitions: readonly CachedDefinition[]): {
  /** Not up to date. */
  readonly open: readonly CachedDefinition[];
  /** Up to date, but compared. */
  readonly alike: readonly CachedDefinition[];
  readonly idle: readonly CachedDefinition[];
} {
  const open = definitions.filter(({ upToDate }) => upToDate === null);
  const upToDate = definitions.filter((definition) => definition.upToDate !== null);
  const prefixes = new Set(open.flatMap(({ fingerprintPrefixes }) => fingerprintPrefixes));
  const sharing = upToDate.filter((definition) =>
    definition.fingerprintPrefixes.some((prefix) => prefixes.has(prefix)),
  );
  const alike = sharing.length > 0 ? sharing : upToDate.filter(({ ids }) => ids.length > 0).slice(0, 1);
  const compared = new Set(alike);
  return { open, alike, idle: upToDate.filter((definition) => !compared.has(definition)) };
}

function videosOrNull(cache: PlanCache, definitions: readonly CachedDefinition[]): DesiredVideo[] | null {
  try {
    return definitions.flatMap((definition) => cache.videos(definition));
  } catch (error) {
    if (error instanceof CacheDamaged) return null;
    throw error;
  }
}
