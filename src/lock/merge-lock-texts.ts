import type { Diagnostic, Result } from '../diagnostic.ts';
import { emptyLock, type Fingerprint, type Lock } from './lock.ts';
import { type MergedLock, type MergeSide, mergeLocks } from './merge-locks.ts';
import { parseLock } from './parse-lock.ts';

/** The three texts of a merge. */
export interface LockVersions {
  /** What both sides come from; null or empty where they have nothing in common, or nobody knows. */
  readonly base: string | null;
  readonly ours: string;
  readonly theirs: string;
}

/**
 * Merges the texts of three lockfiles. A side that cannot be read, or is newer, is refused. A base that cannot be read (git
 * makes one with conflict markers of its own for branches that were merged back and forth) counts as empty: then what one
 * side alone has stays, and the next plan says what no definition has.
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
      ...(ours.ok ? [] : ours.diagnostics.map((one) => ofSide(one, 'ours'))),
      ...(theirs.ok ? [] : theirs.diagnostics.map((one) => ofSide(one, 'theirs'))),
    ];
    return { ok: false, diagnostics };
  }
  const sides = { base: base.value, ours: ours.value, theirs: theirs.value };
  return { ok: true, value: mergeLocks(present === undefined ? sides : { ...sides, present }) };
}

function readBase(text: string | null, file: string): Result<Lock> {
  if (text === null || text.trim() === '') return { ok: true, value: emptyLock };
  const read = parseLock(text, file);
  // What a newer version says of the base may mean something else than we think.
  if (read.ok || read.diagnostics.some(({ code }) => code === 'lock_newer')) return read;
  return { ok: true, value: emptyLock };
}

/** Its place would be one in a text that is nowhere on the disk. */
function ofSide({ at: _, hint: __, ...diagnostic }: Diagnostic, side: MergeSide): Diagnostic {
  return {
    ...diagnostic,
    message: `${diagnostic.message} (${side})`,
    hint: `Look at it in git, mend that side or take the other: git checkout --${side === 'ours' ? 'theirs' : 'ours'}`,
  };
}
