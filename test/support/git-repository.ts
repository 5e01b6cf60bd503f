import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { onTestFinished } from 'vitest';
import { writeFiles } from './temporary-repository.ts';

/** A real repository that runs any git command. */
export interface GitRepository {
  readonly root: string;
  git(...args: string[]): Promise<string>;
  /** Writes files and commits everything. @returns the commit */
  commit(files: Readonly<Record<string, string>>, message?: string): Promise<string>;
}

/** Makes git behave the same on every machine. */
export const GIT_ENVIRONMENT = {
  GIT_AUTHOR_NAME: 'Test',
  GIT_AUTHOR_EMAIL: 'test@localhost',
  GIT_COMMITTER_NAME: 'Test',
  GIT_COMMITTER_EMAIL: 'test@localhost',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_EDITOR: 'true',
};

function newFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'reelform-git-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function gitIn(root: string): GitRepository {
  const git = async (...args: string[]): Promise<string> =>
    (await execa('git', args, { cwd: root, env: GIT_ENVIRONMENT })).stdout;
  return {
    root,
    git,
    async commit(files, message = 'Change') {
      writeFiles(root, files);
      await git('add', '--all');
      await git('commit', '--quiet', '--allow-empty', '--message', message);
      return git('rev-parse', 'HEAD');
    },
  };
}

export async function newRepository(): Promise<GitRepository> {
  const repository = gitIn(newFolder());
  await repository.git('init', '--quiet', '--initial-branch=main');
  return repository;
}

/** Creates a bare repository, as at a git host. */
export async function newRemote(): Promise<GitRepository> {
  const remote = gitIn(newFolder());
  await remote.git('init', '--quiet', '--bare', '--initial-branch=main');
  return remote;
}

/** Clones a repository. @param options options of `git clone`, such as `--depth=1` */
export async function cloneOf(remote: GitRepository, ...options: string[]): Promise<GitRepository> {
  const clone = gitIn(newFolder());
  // A file: URL uses the transport of a server; a path would not.
  await clone.git('clone', '--quiet', ...options, `file://${remote.root}`, '.');
  return clone;
}
