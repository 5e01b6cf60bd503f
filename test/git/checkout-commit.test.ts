import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkoutCommit } from '../../src/git/checkout-commit.ts';
import { targetBranch } from '../../src/git/default-branch.ts';
import { headBranch, mergeBase } from '../../src/git/revisions.ts';
import { cloneOf, newRemote, newRepository } from '../support/git-repository.ts';

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
