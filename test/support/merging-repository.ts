import { join } from 'node:path';
import { execa } from 'execa';
import { GIT_ENVIRONMENT, type GitRepository, newRepository } from './git-repository.ts';
import { writeKeptProgram } from './kept-program.ts';

interface GitRan {
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** A git repository for merges. */
export interface MergeRepository extends Pick<GitRepository, 'root' | 'commit'> {
  /** Runs git and returns its exit code, also on failure. */
  git(...args: string[]): Promise<GitRan>;
  /** Makes `reelform lock merge` the driver of `merge=reelform`. */
  useDriver(): Promise<void>;
}

/** @param files files committed on the branch main */
export async function mergeRepository(files: Readonly<Record<string, string>>): Promise<MergeRepository> {
  const { root, commit } = await newRepository();
  await commit(files);
  const options = { cwd: root, reject: false, env: GIT_ENVIRONMENT, stripFinalNewline: false } as const;
  const git: MergeRepository['git'] = async (...args) => {
    const { exitCode, stdout, stderr } = await execa('git', args, options);
    return { exitCode, stdout, stderr };
  };
  return {
    root,
    commit,
    git,
    async useDriver() {
      const program = join(root, '.git/reelform');
      await writeKeptProgram(program);
      await git('config', 'merge.reelform.driver', `'${program}' lock merge %O %A %B`);
    },
  };
}
