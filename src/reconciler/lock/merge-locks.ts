import type { Diagnostic, Result } from '../../kernel/diagnostic.ts';
import { byCodeUnit, type Json } from '../../kernel/digest.ts';
import { ownValue } from '../../kernel/json.ts';
import { emptyLock, type Fingerprint, type Lock, type LockEntry } from './lock.ts';
import { entryText, parseLock } from './lock-format.ts';

type MergeSide = 'ours' | 'theirs';

/**
 * A conflict, and the side that was chosen.
 * - present: its fingerprint is that of the present definition
 * - content: only this side was rendered from changed content
 * - later: it was rendered later
 * - update: it was changed, and the other side removed it
 * - order: nothing else distinguishes the two; its text sorts last
 */
export interface MergeDecision {
  /** A video by its id, or a field of the file beside the videos by its name. */
  readonly kind: 'video' | 'field';
  readonly name: string;
  readonly side: MergeSide;
  readonly why: 'present' | 'content' | 'later' | 'update' | 'order';
}

/** A merged lock and its resolved conflicts: videos first, sorted by name. */
export interface MergedLock {
  readonly lock: Lock;
  readonly decisions: readonly MergeDecision[];
}

/** The merged value, and the decision if there was a conflict. */
interface MergedValue<T> {
  readonly value: T | undefined;
  readonly decision: Omit<MergeDecision, 'kind' | 'name'> | null;
}

/**
 * Merges two locks with a common base, entry by entry. A change of one side is taken. If both sides changed an entry,
 * one side's whole entry is chosen and reported in `decisions`; entries are never mixed, because each describes one
 * rendering. Swapping the sides gives the same lock.
 *
 * @param inputs.base common ancestor; empty when there is none
 * @param inputs.present id → fingerprint of its present definition, as far as known
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
    const { value, decision } = merge(versions, entryText, (baseEntry, ourEntry, theirEntry) => {
      return chooseEntry(baseEntry, ourEntry, theirEntry, present?.get(id));
    });
    if (value !== undefined) videos.set(id, value);
    if (decision !== null) decisions.push({ kind: 'video', name: id, ...decision });
  }
  const extra: [string, Json][] = [];
  for (const name of namesIn(Object.keys(ours.extra), Object.keys(theirs.extra))) {
    const versions = {
      base: ownValue(base.extra, name),
      ours: ownValue(ours.extra, name),
      theirs: ownValue(theirs.extra, name),
    };
    const { value, decision } = merge(versions, fieldText, (_, ourField, theirField) => {
      return { side: fieldText(ourField) > fieldText(theirField) ? 'ours' : 'theirs', why: 'order' };
    });
    if (value !== undefined) extra.push([name, value]);
    if (decision !== null) decisions.push({ kind: 'field', name, ...decision });
  }
  return { lock: { videos, extra: Object.fromEntries(extra) }, decisions };
}

function merge<T>(
  { base, ours, theirs }: Readonly<Record<'base' | MergeSide, T | undefined>>,
  textOf: (value: T) => string,
  choose: (base: T | undefined, ours: T, theirs: T) => NonNullable<MergedValue<T>['decision']>,
): MergedValue<T> {
  const same = (left: T | undefined, right: T | undefined): boolean =>
    left === undefined || right === undefined ? left === right : textOf(left) === textOf(right);
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
): NonNullable<MergedValue<LockEntry>['decision']> {
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

function fieldText(value: Json): string {
  return JSON.stringify(value);
}

/** The three texts of a merge. */
export interface LockVersions {
  /** Common ancestor; null or empty when there is none or it is unknown. */
  readonly base: string | null;
  readonly ours: string;
  readonly theirs: string;
}

/**
 * Merges the texts of three lockfiles. Rejects a side that is unreadable or newer. An unreadable base counts as empty
 * (git writes conflict markers into the base of branches that were merged back and forth): entries of one side are
 * kept, and the next plan reports those without a definition.
 *
 * @param file the lockfile's path for diagnostics, repository-relative
 */
export function mergeLockTexts(
  versions: LockVersions,
  file: string,
  present?: ReadonlyMap<string, Fingerprint>,
): Result<MergedLock> {
  const base = readBase(versions.base, file);
  const ours = parseLock(versions.ours, file);
  const theirs = parseLock(versions.theirs, file);
  if (!base.ok || !ours.ok || !theirs.ok) {
    const diagnostics = [
      ...(base.ok ? [] : base.diagnostics),
      ...(ours.ok ? [] : ours.diagnostics.map((diagnostic) => ofSide(diagnostic, 'ours'))),
      ...(theirs.ok ? [] : theirs.diagnostics.map((diagnostic) => ofSide(diagnostic, 'theirs'))),
    ];
    return { ok: false, diagnostics };
  }
  const sides = { base: base.value, ours: ours.value, theirs: theirs.value };
  return { ok: true, value: mergeLocks(present === undefined ? sides : { ...sides, present }) };
}

function readBase(text: string | null, file: string): Result<Lock> {
  if (text === null || text.trim() === '') return { ok: true, value: emptyLock };
  const read = parseLock(text, file);
  // A newer version may give the base another meaning.
  if (read.ok || read.diagnostics.some(({ code }) => code === 'lock_newer')) return read;
  return { ok: true, value: emptyLock };
}

/** Removes the location, because the text of a side is not a file on disk. */
function ofSide({ at: _, hint: __, ...diagnostic }: Diagnostic, side: MergeSide): Diagnostic {
  return {
    ...diagnostic,
    message: `${diagnostic.message} (${side})`,
    hint: `Correct that side, or use the other one: git checkout --${side === 'ours' ? 'theirs' : 'ours'}`,
  };
}

/** `all`: outside conflicts, where the sides agree. */
type ConflictPart = 'all' | 'ours' | 'base' | 'theirs';

/** Part → first character of a marker that may follow → the part after it. */
const AFTER_MARKER: Readonly<Record<ConflictPart, Readonly<Record<string, ConflictPart>>>> = {
  all: { '<': 'ours' },
  ours: { '|': 'base', '=': 'theirs' },
  base: { '=': 'theirs' },
  theirs: { '>': 'all' },
};

/**
 * Splits a text with git's conflict markers into the texts of both sides, and the base if the markers contain it
 * (`merge.conflictStyle` diff3 or zdiff3). Returns null when there are no markers, or their order is not git's.
 *
 * @see https://git-scm.com/docs/git-merge#_how_conflicts_are_presented
 */
export function splitConflicts(text: string): LockVersions | null {
  const lines = { ours: [] as string[], base: [] as string[], theirs: [] as string[] };
  const conflicts = { ours: 0, base: 0, theirs: 0 };
  let part: ConflictPart = 'all';
  for (const line of text.split('\n')) {
    const marker = /^(<{7}|\|{7}|={7}|>{7})(?: .*)?\r?$/.exec(line)?.[1]?.[0];
    if (marker !== undefined) {
      const next: ConflictPart | undefined = AFTER_MARKER[part][marker];
      if (next === undefined) return null;
      part = next;
      if (part !== 'all') conflicts[part] += 1;
    } else if (part === 'all') {
      for (const side of Object.values(lines)) side.push(line);
    } else {
      lines[part].push(line);
    }
  }
  if (conflicts.ours === 0 || part !== 'all') return null;
  return {
    base: conflicts.base === conflicts.ours ? lines.base.join('\n') : null,
    ours: lines.ours.join('\n'),
    theirs: lines.theirs.join('\n'),
  };
}
