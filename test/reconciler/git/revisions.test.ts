import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import {
  changedFiles,
  checkoutCommit,
  headBranch,
  mergeBase,
  targetBranch,
} from '../../../src/reconciler/git/revisions.ts';
import { cloneOf, newRemote, newRepository } from '../../support/git-repository.ts';
import { temporaryRepository, writeFiles } from '../../support/temporary-repository.ts';

describe('changedFiles()', () => {
  test('returns files that differ from the merge base: committed, staged, edited, removed, new', async () => {
    const { root, git, commit } = await newRepository();
    await commit({ a: '1', b: '1', c: '1', d: '1', e: '1', f: '1', '.gitignore': 'ignored' });
    await git('switch', '--quiet', '--create', 'feature');
    await commit({ a: '2' });
    await git('switch', '--quiet', 'main');
    await commit({ f: 'theirs' });
    await git('switch', '--quiet', 'feature');
    writeFiles(root, { b: '2', c: '2', 'new/ü "1".yaml': '1', ignored: '1' });
    await git('add', 'b');
    rmSync(join(root, 'd'));
    renameSync(join(root, 'e'), join(root, 'e2'));
    expect([...(await changedFiles(root, 'main'))].sort()).toEqual(['a', 'b', 'c', 'd', 'e', 'e2', 'new/ü "1".yaml']);
  });

  test('returns paths relative to the given folder, and only those inside it', async () => {
    const { root, commit } = await newRepository();
    await commit({ 'videos/a': '1', other: '1' });
    writeFiles(root, { 'videos/a': '2', 'videos/b': '1', other: '2' });
    expect([...(await changedFiles(join(root, 'videos'), 'HEAD'))].sort()).toEqual(['a', 'b']);
  });

  test.each(['--output=x', '', 'a b', 'nowhere'])('refuses %j', async (ref) => {
    const { root, commit } = await newRepository();
    await commit({ a: '1' });
    await expect(changedFiles(root, ref)).rejects.toMatchObject({ code: 'git_failed' });
  });

  test('fails without a repository or with too little history', async () => {
    await expect(changedFiles(temporaryRepository({}), 'main')).rejects.toMatchObject({ code: 'git_failed' });
    const remote = await newRemote();
    const origin = await cloneOf(remote);
    await origin.commit({ a: '1' });
    await origin.git('push', '--quiet', 'origin', 'main');
    await origin.git('switch', '--quiet', '--create', 'feature');
    await origin.commit({ a: '2' });
    await origin.git('push', '--quiet', 'origin', 'feature');
    await origin.git('switch', '--quiet', 'main');
    await origin.commit({ b: '2' });
    await origin.git('push', '--quiet', 'origin', 'main');
    const shallow = await cloneOf(remote, '--depth=1', '--no-single-branch');
    await expect(changedFiles(shallow.root, 'origin/feature')).rejects.toMatchObject({
      code: 'git_failed',
      hint: expect.stringContaining('fetch-depth: 0'),
    });
  });
});

describe('checkoutCommit()', () => {
  it('checks out a folder of a commit without running hooks or leaving traces', async () => {
    const repository = await newRepository();
    const files = {
      'README.md': 'out',
      'sub/reelform.yaml': 'old',
      'sub/videos/a.yaml': 'a',
      '.gitattributes': 'sub export-ignore',
    };
    const commit = await repository.commit(files);
    await repository.commit({ 'sub/reelform.yaml': 'new', '.git/hooks/post-checkout': '#!/bin/sh\ntouch ../hooked' });
    const before = await repository.git('status', '--porcelain');
    const { root, remove } = await checkoutCommit(join(repository.root, 'sub'), commit);
    expect(readFileSync(join(root, 'reelform.yaml'), 'utf8')).toBe('old');
    expect(readFileSync(join(root, 'videos/a.yaml'), 'utf8')).toBe('a');
    expect(existsSync(join(root, '../README.md'))).toBe(false);
    expect(await repository.git('status', '--porcelain')).toBe(before);
    await remove();
    expect(existsSync(root)).toBe(false);
  });
});

describe('headBranch()', () => {
  it('returns null for a detached HEAD and fails without a repository', async () => {
    const { root, commit, git } = await newRepository();
    await commit({ 'a.txt': 'a' });
    expect(await headBranch(root)).toBe('main');
    await git('checkout', '--quiet', '--detach');
    expect(await headBranch(root)).toBeNull();
    rmSync(join(root, '.git'), { recursive: true });
    await expect(headBranch(root)).rejects.toMatchObject({ code: 'git_failed' });
  });
});

describe('targetBranch()', () => {
  it('returns the branch that CI names, else the default branch of the remote', async () => {
    const remote = await newRemote();
    const origin = await cloneOf(remote);
    const base = await origin.commit({ 'a.txt': 'a' });
    await origin.git('push', '--quiet', 'origin', 'main');
    const clone = await cloneOf(remote);
    await clone.git('checkout', '--quiet', '-b', 'change');
    await clone.commit({ 'a.txt': 'b' });
    expect(await targetBranch(clone.root, null)).toBe('origin/main');
    expect(await targetBranch(clone.root, 'release')).toBe('origin/release');
    expect(await mergeBase(clone.root, 'origin/main')).toBe(base);
  });

  it('returns the main branch of a repository without a remote, else HEAD', async () => {
    const alone = await newRepository();
    expect(await targetBranch(alone.root, null)).toBeNull();
    await alone.commit({ 'a.txt': 'a' });
    expect(await targetBranch(alone.root, null)).toBe('heads/main');
    await alone.git('branch', '--quiet', '--move', 'trunk');
    expect(await targetBranch(alone.root, null)).toBe('HEAD');
  });
});
