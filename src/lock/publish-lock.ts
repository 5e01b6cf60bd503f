import { ReelformError } from '../diagnostic.ts';
import { emptyLock, type Fingerprint, type Lock, type LockEntry } from './lock.ts';
import { type MergeDecision, type MergedLock, mergeLocks } from './merge-locks.ts';
import { parseLock } from './parse-lock.ts';
import { entryText, serialiseLock } from './serialise-lock.ts';

/** What a branch of a remote is at. */
export interface LockTip {
  /** The commit that the next one is put onto. */
  readonly commit: string;
  /** The commit whose definitions count. */
  readonly source: string;
  /** What is merged with; null: there is no lockfile. */
  readonly text: string | null;
  /** What the branch says; the same text, save where something of it does not count any more. */
  readonly written: string | null;
  /** The page of the pull request that it is part of; null where there is none. */
  readonly pull: string | null;
}

export type LockWrite =
  | {
      readonly kind: 'committed';
      readonly commit: string;
      /** Of the commit. */
      readonly url: string | null;
      /** Of the pull request that it waits in; null: it is where it should be. */
      readonly pull: string | null;
    }
  /** A pull request that had nothing left to merge. */
  | { readonly kind: 'closed'; readonly pull: string }
  /** Somebody was first, or nobody knows: reading it tells. */
  | { readonly kind: 'moved' }
  /** Rules of the repository keep us from it. `hint`: what else than a pull request would help. */
  | { readonly kind: 'protected'; readonly why: string; readonly hint?: string };

/** A branch of a remote that the lockfile is committed to, by compare-and-swap. */
export interface LockBranch {
  /** For people. */
  readonly name: string;
  read(): Promise<LockTip>;
  /** @param seen as `read` told it: any other tip is left as it is */
  write(text: string, seen: LockTip, change: LockChange): Promise<LockWrite>;
}

/** What a commit changes: ids, sorted. */
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

export interface PublishOptions {
  readonly branch: LockBranch;
  /** The lockfile's name for errors. */
  readonly file: string;
  /** By id, the fingerprints that all definitions of a commit have; null where that cannot be told. */
  present(source: string): Promise<ReadonlyMap<string, Fingerprint> | null>;
  wait(milliseconds: number): Promise<void>;
  /** 0 up to 1. */
  random(): number;
}

/** So often somebody else may be first. */
const ATTEMPTS = 8;
const PAUSE = { firstMs: 250, mostMs: 8_000 };

/**
 * Brings what a run records onto a branch: entries that others recorded meanwhile stay, and nothing is committed where
 * nothing changed. Not for two calls at once.
 */
export class LockPublisher {
  readonly #options: PublishOptions;
  /** What our side was when it was published last. */
  #base: Lock;

  /** @param base as the commit has it that the run began from */
  constructor(options: PublishOptions, base: Lock) {
    this.#options = options;
    this.#base = base;
  }

  /** How many entries are not as they were published last. */
  waiting(ours: Lock): number {
    const { recorded, removed } = changeOf(this.#base, ours);
    return recorded.length + removed.length;
  }

  /**
   * @param ours the lockfile as the run has it
   * @throws ReelformError `commit_refused` for a branch that is protected, or that others are always first on; the code of
   *   `parseLock` for a lockfile on the branch that cannot be read
   */
  async publish(ours: Lock): Promise<Published> {
    const { branch, wait, random } = this.#options;
    for (let attempt = 1; ; attempt++) {
      const tip = await branch.read();
      const theirs = this.#parse(tip.text);
      const { lock, decisions } = await this.#merge(ours, theirs, tip.source);
      const change = changeOf(theirs, lock);
      const isSame = change.recorded.length + change.removed.length === 0 && sameFields(theirs, lock);
      // A file that says the same in another form is no reason for a commit.
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
      await wait(Math.min(PAUSE.mostMs, PAUSE.firstMs * 2 ** (attempt - 1)) * (0.5 + random() / 2));
    }
  }

  #parse(text: string | null): Lock {
    if (text === null) return emptyLock;
    const read = parseLock(text, this.#options.file);
    if (read.ok) return read.value;
    const { code, message } = read.diagnostics[0]!;
    throw new ReelformError(code, `On ${this.#options.branch.name}: ${message}`, {
      hint: 'Mend it there: nothing is written over it',
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
 * What becomes of a video by the definitions at the tip, which a run from an older commit cannot have known: it takes nothing
 * back, puts nothing back that was removed, and removes nothing that is wanted again; no run would come to mend that.
 *
 * @param was what our side was before the run
 * @param wanted undefined: no definition has it any more
 */
function keptAtTip(
  was: LockEntry | undefined,
  our: LockEntry | undefined,
  their: LockEntry | undefined,
  wanted: Fingerprint | undefined,
): 'merged' | 'theirs' | 'nothing' {
  if (wanted === undefined) return our === undefined && was !== undefined ? 'nothing' : 'theirs';
  if (our === undefined) return 'theirs';
  // Of two that nobody wants any more the branch keeps its own: which is the newer definition's nobody can tell.
  const isOvertaken = their !== undefined && our.fingerprint !== wanted && our.fingerprint !== their.fingerprint;
  return isOvertaken ? 'theirs' : 'merged';
}

/** Entries that one lock has otherwise than another. */
export function changeOf(before: Lock, after: Lock): LockChange {
  const recorded: string[] = [];
  for (const [id, entry] of after.videos) {
    const was = before.videos.get(id);
    if (was !== entry && (was === undefined || entryText(was) !== entryText(entry))) recorded.push(id);
  }
  const removed = [...before.videos.keys()].filter((id) => !after.videos.has(id));
  return { recorded: recorded.sort(), removed: removed.sort() };
}

function sameFields(one: Lock, other: Lock): boolean {
  return JSON.stringify(one.extra) === JSON.stringify(other.extra);
}

function refused(name: string, { why, hint }: Extract<LockWrite, { kind: 'protected' }>): ReelformError {
  return new ReelformError('commit_refused', `The lockfile may not be committed to ${name}: ${why}`, {
    hint:
      hint ??
      'Use --commit=pr, which keeps one pull request, or let the token of a GitHub App pass the rules of the branch',
  });
}

function raced(name: string): ReelformError {
  return new ReelformError('commit_refused', `${name} moved ${ATTEMPTS} times while the lockfile was committed`, {
    hint: 'Run it again: what was rendered is not rendered again where a journal or the work tree keeps it',
  });
}
