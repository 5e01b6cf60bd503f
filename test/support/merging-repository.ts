import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { writeFiles } from './temporary-repository.ts';

const CLI = join(import.meta.dirname, '../../dist/cli/main.js');

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

interface GitRan {
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** A git repository of its own, with files committed on the branch main, for merges that may fail. */
export interface MergeRepository {
  /** Absolute. */
  readonly root: string;
  /** Runs git, which may fail. */
  readonly git: (...args: string[]) => Promise<GitRan>;
  /** Writes files and commits everything. */
  readonly commit: (files: Readonly<Record<string, string>>) => Promise<void>;
  readonly remove: () => void;
}

/** How git runs the built program as the driver of `merge=reelform`. */
export const MERGE_DRIVER = `'${process.execPath}' '${CLI}' lock merge %O %A %B`;

export async function mergeRepository(files: Readonly<Record<string, string>>): Promise<MergeRepository> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'reelform-merge-')));
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
