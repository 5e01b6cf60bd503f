import { join } from 'node:path';
import type { Result } from '../diagnostic.ts';
import type { Lock } from '../lock/lock.ts';
import { readLock } from '../lock/lock-file.ts';
import type { DesiredVideo } from '../plan/desired-video.ts';
import type { Plan } from '../plan/plan.ts';
import { type LocalOutputs, observeOutputs } from '../project/local-outputs.ts';
import { JOURNAL_FILE, LOCK_FILE } from '../project/repository-layout.ts';
import type { CachedState, LastPlan } from './cached-state.ts';
import { type FsTimestamp, isTrusted } from './fs-timestamp.ts';
import { type PartialPlan, partialPlan, withLastPlan, withoutLastPlan } from './partial-plan.ts';
import { CacheDamaged, type PlanCache } from './plan-cache.ts';
import { haveSizes, isUnchangedFile, readRanges, readWithStat, tupleOf } from './probe.ts';

/** The desired state and the lock, as compared by a plan. */
export interface Comparison {
  readonly desired: readonly DesiredVideo[];
  readonly lock: Lock;
  /** Missing and damaged local files of the lock's entries. */
  readonly outputs: Pick<LocalOutputs, 'missing' | 'damaged'>;
  /**
   * Completes the plan of the two sides with the videos that were left out because they have nothing to do, and stores it in
   * the plan cache.
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
  if (cache?.state != null) cache.state = checkLock(cache.state, lockPath, cache.timestamp);
  const partial = mayBePartial && cache !== null ? comparePartially(root, lockPath, cache, restores) : null;
  if (partial !== null) return { ok: true, value: partial };

  const compared = cache === null ? null : readCompared(root, lockPath, cache.timestamp);
  const lock = await readLock(lockPath, LOCK_FILE);
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
        const isSame =
          compared !== null && isUnchangedFile(lockPath, compared.lock && { ...compared.lock, isTrusted: true });
        if (isSame && cache.state.config.journal === 'file') {
          const seen = { lock: compared.lock, journal: compared.journal, outputs: [...outputs.sizes] };
          cache.state = withLastPlan(cache.state, plan, lock.value, compared.bytes, seen);
        }
        cache.store();
        return plan;
      },
    },
  };
}

/** Discards the last plan if the lockfile has changed. */
function checkLock(state: CachedState, lockPath: string, timestamp: FsTimestamp): CachedState {
  const { lastPlan } = state;
  if (lastPlan === null || isUnchangedFile(lockPath, lastPlan.lock)) return state;
  const now = lastPlan.lock === null ? null : readWithStat(lockPath, timestamp);
  if (now !== null && now.seen.sha256 === lastPlan.lock?.sha256) {
    return { ...state, lastPlan: { ...lastPlan, lock: now.seen } };
  }
  return withoutLastPlan(state);
}

function comparePartially(root: string, lockPath: string, cache: PlanCache, restores: boolean): Comparison | null {
  const { state, timestamp } = cache;
  if (state === null || state.lastPlan === null) return null;
  const { lastPlan } = state;
  if (restores && !haveSizes(root, lastPlan.outputs)) return null;
  const isSameJournal = isUnchangedFile(join(root, JOURNAL_FILE), lastPlan.journal);
  const known = isSameJournal ? lastPlan : { ...lastPlan, journal: journalState(root, timestamp) };
  const partial = partialOrNull(
    { ...state, lastPlan: known },
    {
      videos: (one) => cache.videos(one),
      entries: (ranges) => (lastPlan.lock === null ? null : readRanges(lockPath, ranges, lastPlan.lock.tuple)),
    },
  );
  return (
    partial && {
      desired: partial.desired,
      lock: partial.lock,
      // A delivery needs the local file even when it is not restored.
      outputs: observeOutputs(root, partial.lock),
      complete(plan) {
        cache.state = partial.stateAfter(plan);
        cache.store();
        return partial.complete(plan);
      },
    }
  );
}

function partialOrNull(...inputs: Parameters<typeof partialPlan>): PartialPlan | null {
  try {
    return partialPlan(...inputs);
  } catch (error) {
    if (error instanceof CacheDamaged) return null;
    throw error;
  }
}

/** Reads the lockfile and the stat data of the journal; null if the lockfile changes meanwhile. */
function readCompared(
  root: string,
  lockPath: string,
  timestamp: FsTimestamp,
): (Pick<LastPlan, 'lock' | 'journal'> & { bytes: Buffer | null }) | null {
  const isThere = tupleOf(lockPath) !== null;
  const lock = isThere ? readWithStat(lockPath, timestamp) : null;
  if (lock === null && isThere) return null;
  return { lock: lock?.seen ?? null, bytes: lock?.bytes ?? null, journal: journalState(root, timestamp) };
}

function journalState(root: string, timestamp: FsTimestamp): LastPlan['journal'] {
  const tuple = tupleOf(join(root, JOURNAL_FILE));
  return tuple && { tuple, isTrusted: isTrusted(tuple, timestamp) };
}
