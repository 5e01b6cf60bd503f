import { byCodeUnit } from '../digest.ts';
import type { Lock, LockEntry } from '../lock/lock.ts';
import { parseLock } from '../lock/parse-lock.ts';
import { serialiseLock } from '../lock/serialise-lock.ts';
import type { DesiredVideo } from '../plan/desired-video.ts';
import { type Change, isEmptyPlan, type Plan } from '../plan/plan.ts';
import { type CachedDefinition, type CachedState, countVideos, type LastPlan, type TextRange } from './cached-state.ts';
import { byPath } from './project-state.ts';

/** The parts of both sides that affect the changes of a plan. */
export interface PartialPlan {
  readonly desired: readonly DesiredVideo[];
  readonly lock: Lock;
  /** Returns the complete plan for a plan of the parts. */
  complete(plan: Plan): Plan;
  /** Returns the state after the plan. */
  stateAfter(plan: Plan): CachedState;
}

/** Reads the texts that the state refers to. */
export interface PlanTexts {
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
export function partialPlan(state: PlannedState, texts: PlanTexts): PartialPlan | null {
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
    complete(plan) {
      const changes = (): Change[] => [...rest.values()].flatMap((one) => idleChanges(one, texts));
      return { ...plan, idle: { count: countVideos(rest), changes } };
    },
    stateAfter: (plan) => stateAfter(state, open, plan),
  };
}

function readEntries(ranges: readonly TextRange[], texts: PlanTexts): Lock | null {
  const entries = ranges.length === 0 ? [] : texts.entries(ranges);
  if (entries === null) return null;
  const lock = parseLock(`{"lockfile_version":1,"videos":{${entries.join(',')}}}`, '');
  return lock.ok ? lock.value : null;
}

/** Reads both sides of each change on first access. */
function idleChanges(definition: CachedDefinition, texts: PlanTexts): Change[] {
  let videos: DesiredVideo[] | null = null;
  let entries: LockEntry[] | null = null;
  return definition.ids.map((id, index): Change => {
    return {
      action: 'noop',
      id: id as Change['id'],
      previousId: null,
      reason: null,
      inputs: [],
      fields: [],
      destinations: [],
      get desired() {
        videos ??= texts.videos(definition);
        return videos[index]!;
      },
      get before() {
        entries ??= [...(readEntries(definition.upToDate!, texts) ?? lockHasChanged()).videos.values()];
        return entries[index]!;
      },
    };
  });
}

function lockHasChanged(): never {
  throw new Error('Internal error: the lockfile changed while a plan was shown');
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
export function withLastPlan(
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
export function withoutLastPlan(state: CachedState): CachedState {
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
