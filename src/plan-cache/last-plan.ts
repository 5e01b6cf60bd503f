import { byCodeUnit } from '../digest.ts';
import type { Lock } from '../lock/lock.ts';
import { serialiseLock } from '../lock/serialise-lock.ts';
import { isEmptyPlan, type Plan } from '../plan/plan.ts';
import type { CachedDefinition, CachedState, LastPlan, TextRange } from './cached-state.ts';
import { byPath } from './project-state.ts';

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
  // Entries are found in the layout that Reelform writes only.
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

/** Returns the state after something changed that the last plan depends on. */
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
