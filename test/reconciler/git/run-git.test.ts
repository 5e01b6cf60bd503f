import { tmpdir } from 'node:os';
import { describe, expect, test } from 'vitest';
import { gitName, runGit, tryGit, withoutCredentials } from '../../../src/reconciler/git/run-git.ts';
import { newRepository } from '../../support/git-repository.ts';

describe('runGit()', () => {
  test('returns the output of git unchanged', async () => {
    const { root } = await newRepository();
    expect(await runGit(root, ['hash-object', '--stdin'], { input: 'ü' })).toMatch(/^[0-9a-f]{40}\n$/);
  });

  test('reports why git failed without secrets', async () => {
    const { root, git } = await newRepository();
    await git('remote', 'add', 'origin', 'https://user:s3cret@127.0.0.1:1/repository.git?token=s3cret');
    const error = await runGit(root, ['ls-remote', 'origin']).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'git_failed', message: expect.stringContaining('127.0.0.1') });
    expect(JSON.stringify([error, (error as Error).message, (error as Error).stack])).not.toContain('s3cret');
    expect((error as Error).cause).toBeUndefined();
  });

  test('names the remedy if there is no repository, or no remote', async () => {
    const { root } = await newRepository();
    await expect(runGit(root, ['ls-remote', 'origin'])).rejects.toMatchObject({
      code: 'git_failed',
      hint: 'Add the remote: git remote add origin URL',
    });
    await expect(runGit(root, ['rev-parse', '--verify', 'HEAD^{commit}'])).rejects.toMatchObject({
      hint: expect.stringContaining('git commit'),
    });
    await expect(runGit(tmpdir(), ['rev-parse', '--git-dir'])).rejects.toMatchObject({
      code: 'git_failed',
      hint: expect.stringContaining('git init'),
    });
  });

  test('times out', async () => {
    const { root } = await newRepository();
    // Waits for the end of its input, which never comes.
    await expect(runGit(root, ['-c', 'alias.wait=!sleep 30', 'wait'], { timeoutMs: 50 })).rejects.toMatchObject({
      code: 'git_failed',
      message: expect.stringContaining('timeout'),
    });
  });

  test('names the command that permits a repository of another user', async () => {
    const { root } = await newRepository();
    // Git's own test switch, because changing the owner of a folder requires permissions that not every machine gives.
    process.env.GIT_TEST_ASSUME_DIFFERENT_OWNER = '1';
    try {
      await expect(runGit(root, ['rev-parse', '--git-dir'])).rejects.toMatchObject({
        code: 'git_failed',
        message: `git rev-parse: git refuses ${root}, which belongs to another user`,
        hint: expect.stringContaining(`git config --global --add safe.directory ${root}`),
      });
    } finally {
      delete process.env.GIT_TEST_ASSUME_DIFFERENT_OWNER;
    }
  });

  test('works on the given folder although a hook of another repository set GIT_DIR', async () => {
    const { root } = await newRepository();
    const other = await newRepository();
    const before = process.env.GIT_DIR;
    process.env.GIT_DIR = `${other.root}/.git`;
    try {
      expect((await runGit(root, ['rev-parse', '--show-toplevel'])).trim()).toBe(root);
    } finally {
      if (before === undefined) delete process.env.GIT_DIR;
      else process.env.GIT_DIR = before;
    }
  });
});

describe('tryGit()', () => {
  test('returns null if git fails', async () => {
    const { root } = await newRepository();
    expect(await tryGit(root, ['cat-file', '-e', 'HEAD'])).toBeNull();
  });
});

describe('gitName()', () => {
  test.each(['--upload-pack=touch x', '-x', '', 'a\nb', 'a b'])('refuses %j', (name) => {
    expect(() => gitName(name)).toThrow(expect.objectContaining({ code: 'git_failed' }));
  });

  test.each(['main', 'origin/main', 'HEAD~3', 'v1.0', 'feature/ü'])('accepts %j', (name) => {
    expect(gitName(name)).toBe(name);
  });
});

describe('withoutCredentials()', () => {
  test.each([
    ["unable to access 'https://u:p@host/a.git/': no", "unable to access 'https://host/a.git/': no"],
    ['https://host/a.git?private=1#x and https://t@host', 'https://host/a.git and https://host'],
    ['git@github.com:a/b.git', 'git@github.com:a/b.git'],
  ])('%j → %j', (text, clean) => {
    expect(withoutCredentials(text)).toBe(clean);
  });
});
