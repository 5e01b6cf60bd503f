import { join } from 'node:path';
import type { Lock } from '../lock/lock.ts';
import { isEmptyPlan, type Plan } from '../plan/plan.ts';
import { JOURNAL_FILE } from '../project/repository-layout.ts';
import { byPath, type CachedDefinition, type CachedState, type LastPlan, type TextRange } from './cached-state.ts';
import { isUnchangedFile, readWithStat, tupleOf } from './file-state.ts';
import { type FsTimestamp, isTrusted } from './file-times.ts';
import { entryRanges } from './lock-entries.ts';

/** A state with a last plan. */
type PlannedState = CachedState & { readonly lastPlan: LastPlan };

export function hasLastPlan(state: CachedState): state is PlannedState {
  return state.lastPlan !== null;
}

/** The files that a plan is compared with. */
type ComparedFiles = Pick<LastPlan, 'lock' | 'journal'> & {
  /** Content of the lockfile; null when there is none. */
  readonly bytes: Buffer | null;
};

/** Reads the lockfile and the stat data of the journal; null if the lockfile changes meanwhile. */
export function readComparedFiles(root: string, lockPath: string, timestamp: FsTimestamp): ComparedFiles | null {
  const exists = tupleOf(lockPath) !== null;
  const lock = exists ? readWithStat(lockPath, timestamp) : null;
  if (lock === null && exists) return null;
  return { lock: lock?.seen ?? null, bytes: lock?.bytes ?? null, journal: readJournalState(root, timestamp) };
}

function readJournalState(root: string, timestamp: FsTimestamp): LastPlan['journal'] {
  const tuple = tupleOf(join(root, JOURNAL_FILE));
  return tuple && { tuple, isTrusted: isTrusted(tuple, timestamp) };
}

/** Returns the state with the present stat data of the journal. */
export function withJournalState(state: PlannedState, root: string, timestamp: FsTimestamp): PlannedState {
  const { lastPlan } = state;
  if (isUnchangedFile(join(root, JOURNAL_FILE), lastPlan.journal)) return state;
  return { ...state, lastPlan: { ...lastPlan, journal: readJournalState(root, timestamp) } };
}

/** Discards the last plan if the lockfile has other content. */
export function withLockChecked(state: CachedState, lockPath: string, timestamp: FsTimestamp): CachedState {
  const { lastPlan } = state;
  if (lastPlan === null || isUnchangedFile(lockPath, lastPlan.lock)) return state;
  const lock = lastPlan.lock === null ? null : readWithStat(lockPath, timestamp);
  if (lock !== null && lock.seen.sha256 === lastPlan.lock?.sha256) {
    return { ...state, lastPlan: { ...lastPlan, lock: lock.seen } };
  }
  return withoutLastPlan(state);
}

/** Returns the state after a change that invalidates the last plan. */
function withoutLastPlan(state: CachedState): CachedState {
  const definitions = Array.from(state.definitions.values(), (definition) => ({ ...definition, upToDate: null }));
  return { ...state, definitions: byPath(definitions), lastPlan: null };
}

/**
 * Returns the state after a complete plan: which definitions are up to date, and where their lock entries are.
 *
 * @param lock as read from the compared bytes
 */
export function withLastPlan(
  state: CachedState,
  plan: Plan,
  lock: Lock,
  { bytes, ...compared }: ComparedFiles & Pick<LastPlan, 'outputs'>,
): CachedState {
  const ranges = bytes === null ? new Map<string, TextRange>() : entryRanges(lock, bytes);
  // Entries are found only where Reelform writes them.
  if (ranges === null) return withoutLastPlan(state);
  const noops = noopIds(plan);
  const unmatched = new Map(ranges);
  const definitions = Array.from(state.definitions.values(), (definition): CachedDefinition => {
    if (!definition.ids.every((id) => noops.has(id))) return { ...definition, upToDate: null };
    for (const id of definition.ids) unmatched.delete(id);
    return { ...definition, upToDate: definition.ids.map((id) => ranges.get(id)!) };
  });
  const lastPlan: LastPlan = {
    ...compared,
    isEmpty: isEmptyPlan(plan) && plan.diagnostics.length === 0 && unmatched.size === 0,
    unmatchedEntries: [...unmatched].map(([id, range]) => [id, ...range] as const),
  };
  return { ...state, definitions: byPath(definitions), lastPlan };
}

/**
 * Returns the state after a partial plan: definitions whose changes were reverted are up to date again.
 *
 * @param compared definitions that were not up to date
 */
export function withPartialPlan(state: PlannedState, plan: Plan, compared: readonly CachedDefinition[]): CachedState {
  const { lastPlan } = state;
  const noops = noopIds(plan);
  const unmatched = new Map(lastPlan.unmatchedEntries.map(([id, ...range]) => [id, range] as const));
  const reverted = compared
    .filter(({ ids }) => ids.every((id) => noops.has(id)))
    .map((definition) => ({ ...definition, upToDate: definition.ids.map((id) => unmatched.get(id)!) }));
  for (const { ids } of reverted) for (const id of ids) unmatched.delete(id);
  const isEmpty =
    reverted.length === compared.length && unmatched.size === 0 && plan.diagnostics.length === 0 && isEmptyPlan(plan);
  if (reverted.length === 0 && isEmpty === lastPlan.isEmpty) return state;
  const definitions = new Map(state.definitions);
  for (const definition of reverted) definitions.set(definition.path, definition);
  const unmatchedEntries = [...unmatched].map(([id, range]) => [id, ...range] as const);
  return { ...state, definitions, lastPlan: { ...lastPlan, isEmpty, unmatchedEntries } };
}

/** Returns the ids of the videos that need nothing. */
function noopIds({ changes }: Plan): Set<string> {
  return new Set(changes.flatMap(({ action, id }) => (action === 'noop' ? [id] : [])));
}
