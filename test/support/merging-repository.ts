import { join } from 'node:path';
import { execa } from 'execa';
import { GIT_ENVIRONMENT, type GitRepository, newRepository } from './git-repository.ts';

const CLI = join(import.meta.dirname, '../../dist/cli/main.js');

interface GitRan {
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** A git repository for merges. */
export interface MergeRepository extends Pick<GitRepository, 'root' | 'commit'> {
  /** Runs git and returns its exit code, also on failure. */
  git(...args: string[]): Promise<GitRan>;
}

/** Command with which git runs the built program as the driver of `merge=reelform`. */
export const MERGE_DRIVER = `'${process.execPath}' '${CLI}' lock merge %O %A %B`;

/** @param files files committed on the branch main */
export async function mergeRepository(files: Readonly<Record<string, string>>): Promise<MergeRepository> {
  const { root, commit } = await newRepository();
  await commit(files);
  const options = { cwd: root, reject: false, env: GIT_ENVIRONMENT, stripFinalNewline: false } as const;
  return {
    root,
    commit,
    async git(...args) {
      const { exitCode, stdout, stderr } = await execa('git', args, options);
      return { exitCode, stdout, stderr };
    },
  };
}
