import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { historyKey, mayHaveFormer } from '../../src/git/history-cache.ts';
import type { Fingerprint } from '../../src/lock/lock.ts';
import { type GitRepository, newRepository } from '../support/git-repository.ts';
import { temporaryRepository } from '../support/temporary-repository.ts';

const LOCK = 'reelform.lock.json';
const fingerprintOf = (digit: string): Fingerprint => `v1:${digit.repeat(64)}` as Fingerprint;
const lockText = (...digits: string[]): string => {
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
    await repository.commit({ [LOCK]: lockText('a', 'b') });
    await repository.commit({ [LOCK]: lockText('b') });
    expect(await ask(repository, 'a')).toBe(true);
    expect(await ask(repository, 'c', 'b')).toBe(true);
    expect(await ask(repository, 'c')).toBe(false);
  });

  test('searches again after a commit', async () => {
    const repository = await newRepository();
    await repository.commit({ [LOCK]: lockText('a') });
    expect(await ask(repository, 'c')).toBe(false);
    await repository.commit({ [LOCK]: lockText('c') });
    expect(await ask(repository, 'c')).toBe(true);
  });

  test('ignores its file if it was modified', async () => {
    const repository = await newRepository();
    await repository.commit({ [LOCK]: lockText('a') });
    await ask(repository, 'a');
    writeFileSync(kept(repository), readFileSync(kept(repository), 'utf8').replace('v1:aaaa', 'v1:cccc'));
    expect(await ask(repository, 'a')).toBe(true);
    expect(await ask(repository, 'c')).toBe(false);
  });

  test('searches again when git replaces a commit of the history', async () => {
    const repository = await newRepository();
    const first = await repository.commit({ [LOCK]: lockText('a') });
    const second = await repository.commit({ [LOCK]: lockText('b') });
    expect(await ask(repository, 'c')).toBe(false);
    const other = await repository.commit({ [LOCK]: lockText('c') });
    await repository.git('reset', '--quiet', '--hard', second);
    await repository.git('replace', first, other);
    expect(await ask(repository, 'c')).toBe(true);
  });

  test('caches the history of a linked worktree, and not that of a shallow clone', async () => {
    const repository = await newRepository();
    await repository.commit({ [LOCK]: lockText('a') });
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
