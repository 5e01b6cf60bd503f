import { join } from 'node:path';
import type { Result } from '../../kernel/diagnostic.ts';
import { byCodeUnit } from '../../kernel/digest.ts';
import type { Lock } from '../lock/lock.ts';
import { readLock } from '../lock/lock-file.ts';
import { parseLock, serialiseLock } from '../lock/lock-format.ts';
import type { DesiredVideo } from '../plan/desired-video.ts';
import { isEmptyPlan, type Plan } from '../plan/plan.ts';
import { type LocalOutputs, observeOutputs } from '../project/local-outputs.ts';
import { JOURNAL_FILE, LOCK_FILE } from '../project/repository-layout.ts';
import type { CachedDefinition, CachedState, LastPlan, TextRange } from './cache-file.ts';
import { CacheDamaged, type PlanCache } from './plan-cache.ts';
import { type FsTimestamp, haveSizes, isTrusted, isUnchangedFile, readRanges, readWithStat, tupleOf } from './probe.ts';
import { byPath } from './project-state.ts';

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
        return { ...plan, idle: partial.idle };
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

/** The parts of both sides that affect the changes of a plan. */
interface PartialPlan {
  readonly desired: readonly DesiredVideo[];
  readonly lock: Lock;
  /** Ids of the videos that were left out. */
  readonly idle: NonNullable<Plan['idle']>;
  stateAfter(plan: Plan): CachedState;
}

/** Reads the texts that the state refers to. */
interface PlanTexts {
  videos(definition: CachedDefinition): DesiredVideo[];
  /** Returns the entries of the lockfile at these positions; null when the lockfile has changed. */
  entries(ranges: readonly TextRange[]): string[] | null;
}

type PlannedState = CachedState & { readonly lastPlan: LastPlan };

/**
 * Leaves out videos that needed nothing in the last plan and that cannot affect other changes: a plan pairs new videos
 * with removed ones, and adopts renderings with the same fingerprint from other ids. Keeps one unchanged video so that
 * the all-videos-removed check does not fire on a partial plan.
 *
 * @returns null when the lockfile has changed
 */
function partialPlan(state: PlannedState, texts: PlanTexts): PartialPlan | null {
  const { definitions, lastPlan } = state;
  const all = [...definitions.values()];
  const open = all.filter(({ upToDate }) => upToDate === null);
  const wanted = new Set(open.flatMap(({ fingerprintPrefixes }) => fingerprintPrefixes));
  const alike = all.filter(
    ({ upToDate, fingerprintPrefixes }) => upToDate !== null && fingerprintPrefixes.some((one) => wanted.has(one)),
  );
  const witness = alike.length > 0 ? undefined : all.find(({ upToDate, ids }) => upToDate !== null && ids.length > 0);
  if (witness !== undefined) alike.push(witness);
  const taken = [...open, ...alike];

  const ranges = [
    ...lastPlan.unmatchedEntries.map(([, ...range]) => range),
    ...alike.flatMap(({ upToDate }) => upToDate ?? []),
  ];
  const lock = readEntries(ranges, texts);
  if (lock === null || lock.videos.size !== ranges.length) return null;
  const rest = new Map(definitions);
  for (const { path } of taken) rest.delete(path);
  return {
    desired: taken.flatMap((one) => texts.videos(one)).sort((a, b) => byCodeUnit(a.id, b.id)),
    lock,
    idle: [...rest.values()].flatMap(({ ids }) => ids),
    stateAfter: (plan) => stateAfter(state, open, plan),
  };
}

function readEntries(ranges: readonly TextRange[], texts: PlanTexts): Lock | null {
  const entries = ranges.length === 0 ? [] : texts.entries(ranges);
  if (entries === null) return null;
  const lock = parseLock(`{"lockfile_version":1,"videos":{${entries.join(',')}}}`, '');
  return lock.ok ? lock.value : null;
}

/** Marks definitions whose changes were reverted as up to date. */
function stateAfter(state: PlannedState, open: readonly CachedDefinition[], plan: Plan): CachedState {
  const { lastPlan } = state;
  const idle = new Set<string>(plan.changes.flatMap(({ action, id }) => (action === 'noop' ? [id] : [])));
  const unmatched = new Map(lastPlan.unmatchedEntries.map(([id, ...range]) => [id, range] as const));
  const done = open
    .filter(({ ids }) => ids.every((id) => idle.has(id)))
    .map((one) => ({ ...one, upToDate: one.ids.map((id) => unmatched.get(id)!) }));
  for (const { ids } of done) for (const id of ids) unmatched.delete(id);
  const isEmpty =
    done.length === open.length &&
    unmatched.size === 0 &&
    plan.diagnostics.length === 0 &&
    plan.changes.every(({ action }) => action === 'noop');
  if (done.length === 0 && isEmpty === lastPlan.isEmpty) return state;
  const definitions = new Map(state.definitions);
  for (const one of done) definitions.set(one.path, one);
  const unmatchedEntries = [...unmatched].map(([id, range]) => [id, ...range] as const);
  return { ...state, definitions, lastPlan: { ...lastPlan, isEmpty, unmatchedEntries } };
}

/**
 * Returns the state after a complete plan: which definitions are up to date, and where their lock entries are.
 *
 * @param lock as read from these bytes
 * @param bytes of the lockfile; null when there is none
 * @param compared the files that the plan was compared with
 */
function withLastPlan(
  state: CachedState,
  plan: Plan,
  lock: Lock,
  bytes: Buffer | null,
  compared: Pick<LastPlan, 'lock' | 'journal' | 'outputs'>,
): CachedState {
  const ranges = bytes === null ? new Map<string, TextRange>() : entryRanges(lock, bytes);
  // Entries are found only in the layout that Reelform writes.
  if (ranges === null) return withoutLastPlan(state);
  const idle = new Set<string>(plan.changes.flatMap(({ action, id }) => (action === 'noop' ? [id] : [])));
  const unmatched = new Map(ranges);
  const definitions = Array.from(state.definitions.values(), (one): CachedDefinition => {
    if (!one.ids.every((id) => idle.has(id))) return { ...one, upToDate: null };
    const upToDate = one.ids.map((id) => {
      unmatched.delete(id);
      return ranges.get(id)!;
    });
    return { ...one, upToDate };
  });
  const lastPlan: LastPlan = {
    isEmpty: isEmptyPlan(plan) && plan.diagnostics.length === 0 && unmatched.size === 0,
    ...compared,
    unmatchedEntries: [...unmatched].map(([id, range]) => [id, ...range] as const),
  };
  return { ...state, definitions: byPath(definitions), lastPlan };
}

/** Returns the state after a change that invalidates the last plan. */
function withoutLastPlan(state: CachedState): CachedState {
  const definitions = Array.from(state.definitions.values(), (one) => ({ ...one, upToDate: null }));
  return { ...state, definitions: byPath(definitions), lastPlan: null };
}

/** Returns the position of each entry in the text that `serialiseLock` writes; null for any other text. */
function entryRanges(lock: Lock, bytes: Buffer): Map<string, TextRange> | null {
  const text = serialiseLock(lock);
  if (bytes.length !== Buffer.byteLength(text) || !bytes.equals(Buffer.from(text))) return null;
  const ranges = new Map<string, TextRange>();
  const begin = bytes.indexOf('\n  "videos": {\n');
  let at = begin + '\n  "videos": {\n'.length;
  const ids = [...lock.videos.keys()].sort(byCodeUnit);
  for (const id of ids) {
    const end = bytes.indexOf('\n    }', at) + '\n    }'.length;
    ranges.set(id, [at, end]);
    at = end + ',\n'.length;
  }
  return ranges;
}
