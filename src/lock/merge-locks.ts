import { byCodeUnit, type Json } from '../digest.ts';
import type { Fingerprint, Lock, LockEntry } from './lock.ts';
import { entryText } from './serialise-lock.ts';

export type MergeSide = 'ours' | 'theirs';

/**
 * One case in which both sides had something to say and one of them was taken.
 * - present: its fingerprint is that of the definition as it stands
 * - content: it was rendered from another content than before, the other side's was not
 * - later: it was rendered later
 * - update: it was changed, where the other side removed it
 * - order: nothing else tells the two apart, so the one whose text sorts last
 */
export interface MergeDecision {
  /** A video by its id, or a field of the file beside the videos by its name. */
  readonly kind: 'video' | 'field';
  readonly name: string;
  readonly side: MergeSide;
  readonly why: 'present' | 'content' | 'later' | 'update' | 'order';
}

/** A merged lock, and what of it was not plain: by name, videos first. */
export interface MergedLock {
  readonly lock: Lock;
  readonly decisions: readonly MergeDecision[];
}

/** What to take of one thing, and why where that is not plain. */
interface Taken<T> {
  readonly value: T | undefined;
  readonly decision: Omit<MergeDecision, 'kind' | 'name'> | null;
}

/**
 * Merges two locks that come from one, entry by entry: what one side alone changed is taken from there. Where both did, a
 * whole entry of one side is taken and `decisions` says which; an entry is never put together from two, since it tells
 * of one rendering. Which side is called ours makes no difference to the lock.
 *
 * @param inputs.base what both come from; empty when they have nothing in common
 * @param inputs.present id → the fingerprint that its definition has now, as far as that is known
 */
export function mergeLocks(inputs: {
  readonly base: Lock;
  readonly ours: Lock;
  readonly theirs: Lock;
  readonly present?: ReadonlyMap<string, Fingerprint>;
}): MergedLock {
  const { base, ours, theirs, present } = inputs;
  const decisions: MergeDecision[] = [];
  const videos = new Map<string, LockEntry>();
  for (const id of namesIn(ours.videos.keys(), theirs.videos.keys())) {
    const versions = { base: base.videos.get(id), ours: ours.videos.get(id), theirs: theirs.videos.get(id) };
    const { value, decision } = merge(versions, entryText, (was, one, other) => {
      return chooseEntry(was, one, other, present?.get(id));
    });
    if (value !== undefined) videos.set(id, value);
    if (decision !== null) decisions.push({ kind: 'video', name: id, ...decision });
  }
  const extra: [string, Json][] = [];
  for (const name of namesIn(Object.keys(ours.extra), Object.keys(theirs.extra))) {
    const versions = { base: own(base.extra, name), ours: own(ours.extra, name), theirs: own(theirs.extra, name) };
    const { value, decision } = merge(versions, fieldText, (_, one, other) => {
      return { side: fieldText(one) > fieldText(other) ? 'ours' : 'theirs', why: 'order' };
    });
    if (value !== undefined) extra.push([name, value]);
    if (decision !== null) decisions.push({ kind: 'field', name, ...decision });
  }
  return { lock: { videos, extra: Object.fromEntries(extra) }, decisions };
}

function merge<T>(
  { base, ours, theirs }: Readonly<Record<'base' | MergeSide, T | undefined>>,
  textOf: (value: T) => string,
  choose: (base: T | undefined, ours: T, theirs: T) => NonNullable<Taken<T>['decision']>,
): Taken<T> {
  const same = (one: T | undefined, other: T | undefined): boolean =>
    one === undefined || other === undefined ? one === other : textOf(one) === textOf(other);
  if (same(ours, theirs) || same(theirs, base)) return { value: ours, decision: null };
  if (same(ours, base)) return { value: theirs, decision: null };
  if (ours === undefined) return { value: theirs, decision: { side: 'theirs', why: 'update' } };
  if (theirs === undefined) return { value: ours, decision: { side: 'ours', why: 'update' } };
  const decision = choose(base, ours, theirs);
  return { value: decision.side === 'ours' ? ours : theirs, decision };
}

function chooseEntry(
  base: LockEntry | undefined,
  ours: LockEntry,
  theirs: LockEntry,
  present: Fingerprint | undefined,
): NonNullable<Taken<LockEntry>['decision']> {
  const which = (oursIs: boolean): MergeSide => (oursIs ? 'ours' : 'theirs');
  if (ours.fingerprint !== theirs.fingerprint) {
    if (ours.fingerprint === present || theirs.fingerprint === present) {
      return { side: which(ours.fingerprint === present), why: 'present' };
    }
    if (ours.fingerprint === base?.fingerprint || theirs.fingerprint === base?.fingerprint) {
      return { side: which(theirs.fingerprint === base?.fingerprint), why: 'content' };
    }
  }
  const later = Date.parse(ours.rendered_at) - Date.parse(theirs.rendered_at);
  if (later > 0 || later < 0) return { side: which(later > 0), why: 'later' };
  return { side: which(entryText(ours) > entryText(theirs)), why: 'order' };
}

function namesIn(ours: Iterable<string>, theirs: Iterable<string>): string[] {
  return [...new Set([...ours, ...theirs])].sort(byCodeUnit);
}

/** The member of an object itself, whatever its name. */
function own(fields: Readonly<Record<string, Json>>, name: string): Json | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

/** As it would be written. */
function fieldText(value: Json): string {
  return JSON.stringify(value);
}
