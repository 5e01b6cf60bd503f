import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { writeFiles } from './temporary-repository.ts';

const CLI = process.env.REELFORM_TEST_CLI ?? join(import.meta.dirname, '../../dist/cli/main.js');

/** What makes git the same on every machine. */
const ENVIRONMENT = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_AUTHOR_NAME: 'Test',
  GIT_AUTHOR_EMAIL: 'test@example.com',
  GIT_COMMITTER_NAME: 'Test',
  GIT_COMMITTER_EMAIL: 'test@example.com',
  GIT_EDITOR: 'true',
};

export interface GitRan {
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** A git repository of its own, with files committed on the branch main. */
export interface GitRepository {
  /** Absolute. */
  readonly root: string;
  /** Runs git, which may fail. */
  git(...args: string[]): Promise<GitRan>;
  /** Writes files and commits everything. */
  commit(files: Readonly<Record<string, string>>): Promise<void>;
  remove(): void;
}

/** How git runs the built program as the driver of `merge=reelform`. */
export const MERGE_DRIVER = `'${process.execPath}' '${CLI}' lock merge %O %A %B`;

export async function gitRepository(files: Readonly<Record<string, string>>): Promise<GitRepository> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'reelform-git-')));
  const git = async (...args: string[]): Promise<GitRan> => {
    const { exitCode, stdout, stderr } = await execa('git', args, {
      cwd: root,
      reject: false,
      env: ENVIRONMENT,
      stripFinalNewline: false,
    });
    return { exitCode, stdout, stderr };
  };
  const commit = async (changed: Readonly<Record<string, string>>): Promise<void> => {
    writeFiles(root, changed);
    await git('add', '--all');
    await git('commit', '--quiet', '--allow-empty', '--message', 'change');
  };
  await git('init', '--quiet', '--initial-branch', 'main');
  await commit(files);
  return { root, git, commit, remove: () => rmSync(root, { recursive: true, force: true }) };
}
