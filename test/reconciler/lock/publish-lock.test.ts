import { describe, expect, test } from 'vitest';
import { CommitRun } from '../../../src/cli/commit/open-commit.ts';
import type { Diagnostic } from '../../../src/kernel/diagnostic.ts';
import { emptyLock, type Fingerprint, type Lock } from '../../../src/reconciler/lock/lock.ts';
import { parseLock, serialiseLock } from '../../../src/reconciler/lock/lock-format.ts';
import {
  LockPublisher,
  type LockTip,
  type LockWrite,
  type Published,
} from '../../../src/reconciler/lock/publish-lock.ts';
import { entryOf } from './journal-arbitrary.ts';

const lockOf = (videos: Readonly<Record<string, string>>): Lock => ({
  ...emptyLock,
  videos: new Map(Object.entries(videos).map(([id, digit]) => [id, entryOf(digit)])),
});

/** A branch in memory. Before each write, the next commit of `others` is made. */
class MemoryBranch {
  readonly name = 'main';
  commits = 0;
  text: string | null;
  readonly others: (Lock | LockWrite)[];

  constructor(lock: Lock | null, ...others: (Lock | LockWrite)[]) {
    this.text = lock && serialiseLock(lock);
    this.others = others;
  }

  async read(): Promise<LockTip> {
    return {
      commit: String(this.commits),
      source: `source ${this.commits}`,
      text: this.text,
      written: this.text,
      pull: null,
    };
  }

  async write(text: string, seen: LockTip): Promise<LockWrite> {
    const other = this.others.shift();
    if (other !== undefined && 'kind' in other) return other;
    if (other !== undefined) this.#put(serialiseLock(other));
    if (seen.commit !== String(this.commits)) return { kind: 'moved' };
    this.#put(text);
    return { kind: 'committed', commit: String(this.commits), url: null, pull: null };
  }

  get videos(): Readonly<Record<string, string>> {
    const lock = parseLock(this.text!, 'lock');
    if (!lock.ok) throw new Error('unreadable');
    return Object.fromEntries([...lock.value.videos].map(([id, { fingerprint }]) => [id, fingerprint.slice(-1)]));
  }

  #put(text: string): void {
    this.text = text;
    this.commits += 1;
  }
}

const MOVED: LockWrite = { kind: 'moved' };

function publisherFor(branch: MemoryBranch, base: Lock, present: Readonly<Record<string, string>> | null = null) {
  const waits: number[] = [];
  const asked: string[] = [];
  const publisher = new LockPublisher(
    {
      branch,
      file: 'reelform.lock.json',
      async present(source) {
        asked.push(source);
        if (present === null) return null;
        return new Map(Object.entries(present).map(([id, digit]) => [id, entryOf(digit).fingerprint as Fingerprint]));
      },
      wait: async (milliseconds) => void waits.push(milliseconds),
      random: () => 1,
    },
    base,
  );
  return { publisher, waits, asked };
}

describe('LockPublisher', () => {
  test('keeps entries that others recorded before it and in the meantime', async () => {
    const base = lockOf({ a: '1', gone: '1' });
    const branch = new MemoryBranch(
      lockOf({ a: '1', gone: '1', b: '2' }),
      lockOf({ a: '1', gone: '1', b: '2', c: '3' }),
    );
    const { publisher, waits } = publisherFor(branch, base);
    expect(await publisher.publish(lockOf({ a: '4' }))).toMatchObject({
      kind: 'committed',
      change: { recorded: ['a'], removed: ['gone'] },
    });
    expect(branch.videos).toEqual({ a: '4', b: '2', c: '3' });
    expect(waits).toEqual([250]);
  });

  test('commits nothing if everything is recorded, even in another layout', async () => {
    const branch = new MemoryBranch(lockOf({ a: '1' }));
    branch.text = JSON.stringify(JSON.parse(branch.text!));
    const { publisher } = publisherFor(branch, emptyLock);
    expect(await publisher.publish(lockOf({ a: '1' }))).toMatchObject({ kind: 'unchanged' });
    const nothing = new MemoryBranch(null);
    expect(await publisherFor(nothing, emptyLock).publisher.publish(emptyLock)).toMatchObject({ kind: 'unchanged' });
    expect([branch.commits, nothing.commits]).toEqual([0, 0]);
  });

  test('prefers the rendering that the definitions at the tip want', async () => {
    const branch = new MemoryBranch(lockOf({ a: '2' }));
    const { publisher, asked } = publisherFor(branch, lockOf({ a: '1' }), { a: '2', b: '4', c: '5' });
    expect(await publisher.publish(lockOf({ a: '3', b: '4' }))).toMatchObject({
      decisions: [{ name: 'a', why: 'present' }],
    });
    expect([branch.videos, asked]).toEqual([{ a: '2', b: '4' }, ['source 0']]);
    // The next publication keeps that decision.
    await publisher.publish(lockOf({ a: '3', b: '4', c: '5' }));
    expect(branch.videos).toEqual({ a: '2', b: '4', c: '5' });
  });

  test('does not restore entries that were removed while it rendered', async () => {
    const branch = new MemoryBranch(lockOf({ a: '1' }));
    const { publisher } = publisherFor(branch, lockOf({ a: '1', changed: '1' }), { a: '1' });
    const ours = lockOf({ a: '1', changed: '2', added: '3' });
    expect(await publisher.publish(ours)).toMatchObject({ kind: 'unchanged' });
    expect(await publisher.publish(ours)).toMatchObject({ kind: 'unchanged' });
    expect([branch.videos, branch.commits]).toEqual([{ a: '1' }, 0]);
  });

  test('keeps the rendering on the branch if the tip wants neither', async () => {
    for (const [mine, theirs, wanted] of ['234', '324', '23', '32']) {
      const branch = new MemoryBranch(lockOf({ a: theirs! }));
      const { publisher } = publisherFor(branch, lockOf({ a: '1' }), wanted === undefined ? {} : { a: wanted });
      expect(await publisher.publish(lockOf({ a: mine! }))).toMatchObject({ kind: 'unchanged' });
      expect(branch.videos).toEqual({ a: theirs });
    }
  });

  test('follows the definitions at the tip in keeping and removing entries', async () => {
    const cases = [
      // Removed here, and rendered again by a slow run that started earlier.
      { base: { a: '1' }, ours: {}, theirs: { a: '2' }, wanted: {}, after: {} },
      // Rendered again here, by a run that started before the removal: the removing run finds its entry unchanged.
      { base: { a: '1' }, ours: { a: '2' }, theirs: { a: '1' }, wanted: {}, after: { a: '1' } },
      // Removed here, and wanted again.
      { base: { a: '1' }, ours: {}, theirs: { a: '1' }, wanted: { a: '1' }, after: { a: '1' } },
      { base: { a: '1' }, ours: {}, theirs: { a: '2' }, wanted: { a: '2' }, after: { a: '2' } },
      // Recorded by another run, which is responsible for its removal.
      { base: {}, ours: { b: '1' }, theirs: { a: '1' }, wanted: { b: '1' }, after: { a: '1', b: '1' } },
      { base: { a: '1' }, ours: {}, theirs: { a: '1' }, wanted: {}, after: {} },
    ];
    for (const { base, ours, theirs, wanted, after } of cases) {
      const branch = new MemoryBranch(lockOf(theirs as Record<string, string>));
      const { publisher } = publisherFor(
        branch,
        lockOf(base as Record<string, string>),
        wanted as Record<string, string>,
      );
      await publisher.publish(lockOf(ours as Record<string, string>));
      expect(branch.videos).toEqual(after);
    }
  });

  test('tries eight times with increasing waits', async () => {
    const moved = Array.from({ length: 8 }, () => MOVED);
    const branch = new MemoryBranch(emptyLock, ...moved.slice(1));
    const { publisher, waits } = publisherFor(branch, emptyLock);
    expect(await publisher.publish(lockOf({ a: '1' }))).toMatchObject({ kind: 'committed' });
    expect(waits).toEqual([250, 500, 1000, 2000, 4000, 8000, 8000]);
    const refused = publisherFor(new MemoryBranch(emptyLock, ...moved), emptyLock).publisher;
    await expect(refused.publish(lockOf({ a: '1' }))).rejects.toMatchObject({ code: 'commit_refused' });
  });

  test('refuses to overwrite an unreadable lockfile', async () => {
    const branch = new MemoryBranch(emptyLock);
    branch.text = '<<<<<<< ours\n';
    const { publisher } = publisherFor(branch, emptyLock);
    await expect(publisher.publish(lockOf({ a: '1' }))).rejects.toMatchObject({ code: 'lock_conflict' });
  });
});

describe('CommitRun', () => {
  const opened = (branch: MemoryBranch, every: number | null) => {
    const told: (Published | Diagnostic)[] = [];
    const { publisher } = publisherFor(branch, emptyLock);
    return { run: new CommitRun(publisher, every, (one) => told.push(one)), told };
  };

  test('commits after every given number of results, and the rest at the end', async () => {
    const branch = new MemoryBranch(null);
    const { run, told } = opened(branch, 2);
    const locks = [{ a: '1' }, { a: '1', b: '1' }, { a: '1', b: '1', c: '1' }].map(lockOf);
    run.saved(locks[0]!);
    run.saved(locks[1]!);
    // Waits for a commit in progress.
    run.saved(locks[2]!);
    expect(await run.finish(locks[2]!)).toBe(true);
    expect(told.map((one) => 'change' in one && one.change.recorded)).toEqual([['a', 'b'], ['c']]);
  });

  test('reports a failed commit during the run and succeeds if the last one does', async () => {
    const branch = new MemoryBranch(null, { kind: 'protected', why: 'a rule' });
    const { run, told } = opened(branch, 1);
    run.saved(lockOf({ a: '1' }));
    expect(await run.finish(lockOf({ a: '1' }))).toBe(true);
    expect(told).toMatchObject([
      { code: 'commit_refused', hint: expect.stringContaining('--commit=pr') },
      { kind: 'committed' },
    ]);
    expect(run.problem).toBeNull();
  });
});
