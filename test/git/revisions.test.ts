import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { changedFiles } from '../../src/git/revisions.ts';
import { cloneOf, newRemote, newRepository } from '../support/git-repository.ts';
import { temporaryRepository, writeFiles } from '../support/temporary-repository.ts';

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
