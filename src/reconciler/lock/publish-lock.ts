import { type Backoff, backoffMs } from '../../kernel/backoff.ts';
import { ReelformError } from '../../kernel/diagnostic.ts';
import { emptyLock, type Fingerprint, type Lock, type LockEntry } from './lock.ts';
import { entryText, parseLock, serialiseLock } from './lock-format.ts';
import { type MergeDecision, type MergedLock, mergeLocks } from './merge-locks.ts';

/** Present state of a remote branch. */
export interface LockTip {
  /** Parent of the next commit. */
  readonly commit: string;
  /** Commit whose definitions count. */
  readonly source: string;
  /** Lockfile to merge with; null when there is none. */
  readonly text: string | null;
  /** Lockfile on the branch; differs from `text` when some of its entries no longer count. */
  readonly written: string | null;
  /** URL of the branch's pull request; null when there is none. */
  readonly pull: string | null;
}

export type LockWrite =
  | {
      readonly kind: 'committed';
      readonly commit: string;
      readonly url: string | null;
      /** URL of the pull request that contains the commit; null when it is on the target branch. */
      readonly pull: string | null;
    }
  /** The pull request had nothing left to merge. */
  | { readonly kind: 'closed'; readonly pull: string }
  /** The branch has moved, or the result is unknown: read it again. */
  | { readonly kind: 'moved' }
  /** Rules of the repository reject the commit. `hint`: a remedy other than a pull request. */
  | { readonly kind: 'protected'; readonly why: string; readonly hint?: string };

/** A remote branch to which the lockfile is committed by compare-and-swap. */
export interface LockBranch {
  /** For messages. */
  readonly name: string;
  read(): Promise<LockTip>;
  /** @param seen tip returned by `read`; the write fails if the branch has moved */
  write(text: string, seen: LockTip, change: LockChange): Promise<LockWrite>;
}

/** Ids of the videos that a commit changes, sorted. */
export interface LockChange {
  readonly recorded: readonly string[];
  readonly removed: readonly string[];
}

export type Published = {
  readonly decisions: readonly MergeDecision[];
  readonly change: LockChange;
} & (
  | Extract<LockWrite, { kind: 'committed' | 'closed' }>
  | { readonly kind: 'unchanged'; readonly pull: string | null }
);

interface PublishOptions {
  readonly branch: LockBranch;
  /** Name of the lockfile for errors. */
  readonly file: string;
  /** Returns the fingerprints of all definitions of a commit, by id; null when they cannot be read. */
  present(source: string): Promise<ReadonlyMap<string, Fingerprint> | null>;
  wait(milliseconds: number): Promise<void>;
  random(): number;
}

/** Number of lost races before the commit is given up. */
const ATTEMPTS = 8;
const BACKOFF: Backoff = { firstMs: 250, maxMs: 8_000 };

/**
 * Commits the results of a run to a branch. Keeps entries that other runs committed meanwhile, and commits nothing when
 * nothing changed. Must not run concurrently.
 */
export class LockPublisher {
  readonly #options: PublishOptions;
  /** Our side at the last publication. */
  #base: Lock;

  /** @param base lockfile in the commit from which the run started */
  constructor(options: PublishOptions, base: Lock) {
    this.#options = options;
    this.#base = base;
  }

  /** Returns the number of entries that changed since the last publication. */
  waiting(ours: Lock): number {
    const { recorded, removed } = changeOf(this.#base, ours);
    return recorded.length + removed.length;
  }

  /**
   * @param ours present lockfile of the run
   * @throws ReelformError `commit_refused` when the branch is protected, or other runs always commit first; the code of
   *   `parseLock` for an unreadable lockfile on the branch
   */
  async publish(ours: Lock): Promise<Published> {
    const { branch, wait, random } = this.#options;
    for (let attempt = 1; ; attempt++) {
      const tip = await branch.read();
      const theirs = this.#parse(tip.text);
      const { lock, decisions } = await this.#merge(ours, theirs, tip.source);
      const change = changeOf(theirs, lock);
      const hasSameFields = JSON.stringify(theirs.extra) === JSON.stringify(lock.extra);
      const isSame = change.recorded.length + change.removed.length === 0 && hasSameFields;
      // A difference in formatting alone is not worth a commit.
      const text = isSame && tip.text !== null ? tip.text : serialiseLock(lock);
      if (text === tip.written || (isSame && tip.written === tip.text)) {
        this.#base = ours;
        return { kind: 'unchanged', pull: tip.pull, decisions, change };
      }
      const written = await branch.write(text, tip, change);
      if (written.kind === 'committed' || written.kind === 'closed') {
        this.#base = ours;
        return { ...written, decisions, change };
      }
      if (written.kind === 'protected') throw refused(branch.name, written);
      if (attempt === ATTEMPTS) throw raced(branch.name);
      await wait(backoffMs(attempt - 1, BACKOFF, random()));
    }
  }

  #parse(text: string | null): Lock {
    if (text === null) return emptyLock;
    const read = parseLock(text, this.#options.file);
    if (read.ok) return read.value;
    const { code, message } = read.diagnostics[0]!;
    throw new ReelformError(code, `On ${this.#options.branch.name}: ${message}`, {
      hint: 'Correct it on the branch; reelform does not overwrite it',
    });
  }

  async #merge(ours: Lock, theirs: Lock, source: string): Promise<MergedLock> {
    const sides = { base: this.#base, ours, theirs };
    const merged = mergeLocks(sides);
    const { recorded, removed } = changeOf(theirs, merged.lock);
    const isPlain = merged.decisions.every(({ kind }) => kind === 'field');
    if (isPlain && recorded.length + removed.length === 0) return merged;
    const present = await this.#options.present(source);
    if (present === null) return merged;
    const { lock, decisions } = mergeLocks({ ...sides, present });
    const videos = new Map(lock.videos);
    const overruled = new Set<string>();
    for (const id of new Set([...ours.videos.keys(), ...theirs.videos.keys()])) {
      const [was, our, their] = [this.#base.videos.get(id), ours.videos.get(id), theirs.videos.get(id)];
      const kept = keptAtTip(was, our, their, present.get(id));
      const entry = kept === 'theirs' ? their : undefined;
      if (kept === 'merged' || entry === lock.videos.get(id)) continue;
      if (entry === undefined) videos.delete(id);
      else videos.set(id, entry);
      overruled.add(id);
    }
    const isLeft = ({ kind, name }: MergeDecision): boolean => kind === 'field' || !overruled.has(name);
    return { lock: { ...lock, videos }, decisions: decisions.filter(isLeft) };
  }
}

/**
 * Decides by the definitions at the tip, which a run from an older commit cannot know. The run must not revert newer
 * entries, restore removed ones, or remove those that are wanted again; no later run would correct that.
 *
 * @param was our side before the run
 * @param wanted undefined when no definition has the video any more
 */
function keptAtTip(
  was: LockEntry | undefined,
  our: LockEntry | undefined,
  their: LockEntry | undefined,
  wanted: Fingerprint | undefined,
): 'merged' | 'theirs' | 'nothing' {
  if (wanted === undefined) return our === undefined && was !== undefined ? 'nothing' : 'theirs';
  if (our === undefined) return 'theirs';
  // Neither entry is wanted any more, and it is unknown which definition is newer, so the branch keeps its entry.
  const isOvertaken = their !== undefined && our.fingerprint !== wanted && our.fingerprint !== their.fingerprint;
  return isOvertaken ? 'theirs' : 'merged';
}

/** Returns the ids of entries that differ between two locks. */
export function changeOf(before: Lock, after: Lock): LockChange {
  const recorded: string[] = [];
  for (const [id, entry] of after.videos) {
    const was = before.videos.get(id);
    if (was !== entry && (was === undefined || entryText(was) !== entryText(entry))) recorded.push(id);
  }
  const removed = [...before.videos.keys()].filter((id) => !after.videos.has(id));
  return { recorded: recorded.sort(), removed: removed.sort() };
}

function refused(name: string, { why, hint }: Extract<LockWrite, { kind: 'protected' }>): ReelformError {
  return new ReelformError('commit_refused', `The lockfile may not be committed to ${name}: ${why}`, {
    hint: hint ?? 'Use --commit=pr, or use the token of a GitHub App that may bypass the rules of the branch',
  });
}

function raced(name: string): ReelformError {
  const message = `${name} changed ${ATTEMPTS} times while the lockfile was being committed`;
  const hint = 'Run the command again. Videos recorded in the journal or the work tree are not rendered again';
  return new ReelformError('commit_refused', message, { hint });
}
