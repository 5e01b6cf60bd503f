import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { formerEntries, historyKey, mayHaveFormer } from '../../src/git/lock-history.ts';
import type { Fingerprint, Lock, LockEntry } from '../../src/lock/lock.ts';
import { serialiseLock } from '../../src/lock/lock-format.ts';
import { cloneOf, type GitRepository, gitIn, newRemote, newRepository } from '../support/git-repository.ts';
import { temporaryRepository } from '../support/temporary-repository.ts';

const LOCK = 'reelform.lock.json';
const fingerprintOf = (digit: string): Fingerprint => `v1:${digit.repeat(64)}` as Fingerprint;

const entryOf = (digit: string, session: string): LockEntry => ({
  fingerprint: fingerprintOf(digit),
  title: 'V',
  service: 'https://api.example.com',
  template: 'launch',
  style_version: 'tsv_1',
  inputs: { t_01: '-    "fingerprint": "v1:no"' },
  session,
  video_url: 'https://x.test/v.mp4',
  thumbnails: [],
  rendered_at: '2026-01-01T00:00:00.000Z',
});

/** @param videos id → digit of its fingerprint */
const lockText = (videos: Readonly<Record<string, string>>, session = 's'): string => {
  const lock: Lock = {
    videos: new Map(Object.entries(videos).map(([id, digit]) => [id, entryOf(digit, session)])),
    extra: {},
  };
  return serialiseLock(lock);
};

const look = (repository: GitRepository, ...digits: string[]) =>
  formerEntries({ root: repository.root, lockFile: LOCK, fingerprints: new Set(digits.map(fingerprintOf)) });

describe('formerEntries()', () => {
  test('finds the latest version of entries that were replaced or removed, including uncommitted removals', async () => {
    const repository = await newRepository();
    await repository.commit({ [LOCK]: lockText({ x: 'a', y: 'b' }, 'old') });
    await repository.commit({ [LOCK]: lockText({ x: 'c', y: 'b' }) });
    const commit = await repository.commit({ [LOCK]: lockText({ x: 'c', z: 'a' }, 'late') });
    await repository.commit({ [LOCK]: lockText({ x: 'c' }) });
    const head = await repository.commit({ other: '1' });
    const found = await look(repository, 'a', 'b', 'c', 'd');
    expect(found.get(fingerprintOf('a'))).toEqual({ commit, id: 'z', entry: entryOf('a', 'late') });
    expect(found.get(fingerprintOf('b'))).toMatchObject({ id: 'y' });
    expect(found.get(fingerprintOf('c'))).toMatchObject({ commit: head, id: 'x' });
    expect(found.has(fingerprintOf('d'))).toBe(false);
  });

  test('finds entries that a merge dropped from either side', async () => {
    for (const kept of ['b', 'c']) {
      const repository = await newRepository();
      await repository.commit({ [LOCK]: lockText({ x: 'a' }) });
      await repository.git('checkout', '--quiet', '-b', 'theirs');
      const theirs = await repository.commit({ [LOCK]: lockText({ x: 'b' }) });
      await repository.git('checkout', '--quiet', '-');
      const ours = await repository.commit({ [LOCK]: lockText({ x: 'c' }) });
      await repository.git('merge', '--quiet', '--strategy=ours', '--no-commit', 'theirs');
      await repository.commit({ [LOCK]: lockText({ x: kept }) });
      await repository.commit({ other: '1' });
      const found = await look(repository, 'a', 'b', 'c');
      expect([...found.keys()].sort()).toEqual(['a', 'b', 'c'].map(fingerprintOf));
      expect(found.get(fingerprintOf(kept === 'b' ? 'c' : 'b'))?.commit).toBe(kept === 'b' ? ours : theirs);
    }
  });

  test('skips versions of the lockfile that were unreadable', async () => {
    const repository = await newRepository();
    await repository.commit({ [LOCK]: lockText({ x: 'a' }) });
    await repository.commit({ [LOCK]: `<<<<<<< ours\n${lockText({ x: 'b' })}` });
    await repository.commit({ [LOCK]: lockText({}) });
    expect([...(await look(repository, 'a', 'b')).keys()]).toEqual([fingerprintOf('a')]);
  });

  test('finds nothing without git, without commits, and in a shallow repository', async () => {
    expect(await look(gitIn(temporaryRepository({})), 'a')).toEqual(new Map());
    expect(await look(await newRepository(), 'a')).toEqual(new Map());
    const remote = await newRemote();
    const clone = await cloneOf(remote);
    await clone.commit({ [LOCK]: lockText({ x: 'a' }) });
    await clone.commit({ [LOCK]: lockText({}) });
    await clone.git('push', '--quiet', 'origin', 'main');
    expect((await look(clone, 'a')).size).toBe(1);
    expect(await look(await cloneOf(remote, '--depth=1'), 'a')).toEqual(new Map());
  });

  test('searches the lockfile of its own folder', async () => {
    const repository = await newRepository();
    await repository.commit({ [LOCK]: lockText({ x: 'a' }), [`sub/${LOCK}`]: lockText({ x: 'b' }) });
    await repository.commit({ [LOCK]: lockText({}), [`sub/${LOCK}`]: lockText({}) });
    const found = await look(gitIn(`${repository.root}/sub`), 'a', 'b');
    expect([...found.keys()]).toEqual([fingerprintOf('b')]);
  });
});

const lockOf = (...digits: string[]): string => {
  return `{\n${digits.map((digit) => `      "fingerprint": "${fingerprintOf(digit)}",\n`).join('')}}\n`;
};
const kept = ({ root }: Pick<GitRepository, 'root'>): string => join(root, '.reelform/history.idx');
const ask = async (repository: Pick<GitRepository, 'root'>, ...digits: string[]): Promise<boolean> =>
  mayHaveFormer({
    root: repository.root,
    lockFile: LOCK,
    file: kept(repository),
    key: await historyKey(repository.root),
    fingerprints: new Set(digits.map(fingerprintOf)),
  });

describe('mayHaveFormer()', () => {
  test('finds only fingerprints of earlier lockfiles', async () => {
    const repository = await newRepository();
    await repository.commit({ [LOCK]: lockOf('a', 'b') });
    await repository.commit({ [LOCK]: lockOf('b') });
    expect(await ask(repository, 'a')).toBe(true);
    expect(await ask(repository, 'c', 'b')).toBe(true);
    expect(await ask(repository, 'c')).toBe(false);
  });

  test('searches again after a commit', async () => {
    const repository = await newRepository();
    await repository.commit({ [LOCK]: lockOf('a') });
    expect(await ask(repository, 'c')).toBe(false);
    await repository.commit({ [LOCK]: lockOf('c') });
    expect(await ask(repository, 'c')).toBe(true);
  });

  test('ignores its file if it was modified', async () => {
    const repository = await newRepository();
    await repository.commit({ [LOCK]: lockOf('a') });
    await ask(repository, 'a');
    writeFileSync(kept(repository), readFileSync(kept(repository), 'utf8').replace('v1:aaaa', 'v1:cccc'));
    expect(await ask(repository, 'a')).toBe(true);
    expect(await ask(repository, 'c')).toBe(false);
  });

  test('searches again when git replaces a commit of the history', async () => {
    const repository = await newRepository();
    const first = await repository.commit({ [LOCK]: lockOf('a') });
    const second = await repository.commit({ [LOCK]: lockOf('b') });
    expect(await ask(repository, 'c')).toBe(false);
    const other = await repository.commit({ [LOCK]: lockOf('c') });
    await repository.git('reset', '--quiet', '--hard', second);
    await repository.git('replace', first, other);
    expect(await ask(repository, 'c')).toBe(true);
  });

  test('caches the history of a linked worktree, and not that of a shallow clone', async () => {
    const repository = await newRepository();
    await repository.commit({ [LOCK]: lockOf('a') });
    const [worktree, clone] = [join(repository.root, 'worktree'), join(repository.root, 'clone')];
    await repository.git('worktree', 'add', '--quiet', worktree);
    await repository.git('clone', '--quiet', '--depth', '1', `file://${repository.root}`, clone);
    expect(await ask({ root: worktree }, 'c')).toBe(false);
    expect(existsSync(kept({ root: worktree }))).toBe(true);
    expect(await ask({ root: clone }, 'c')).toBe(true);
    expect(existsSync(kept({ root: clone }))).toBe(false);
  });

  test('returns false without a repository', async () => {
    expect(await ask({ root: temporaryRepository({}) }, 'a')).toBe(false);
  });
});
