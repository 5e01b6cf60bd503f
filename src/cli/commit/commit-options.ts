import { type Command, Option } from 'commander';
import { branchName, numberBetween } from '../arguments.ts';

/** Options for committing the lockfile. */
export interface CommitOptions {
  /** `none` when absent. */
  readonly commit?: 'push' | 'pr' | 'none';
  /** Branch of the pull request, with `pr`; derived from the folder when absent. */
  readonly commitBranch?: string;
  /** Number of results after which the lockfile is committed during the run. */
  readonly checkpoint?: number;
  readonly allowStale?: boolean;
  /** API that creates the commits; detected from the environment when absent. */
  readonly forge?: 'github' | 'git';
  readonly reportFailures?: boolean;
}

/** Property of `CommitOptions` → flag as it is typed. */
export const COMMIT_FLAGS = {
  commit: '--commit',
  commitBranch: '--commit-branch',
  checkpoint: '--checkpoint',
  allowStale: '--allow-stale',
  forge: '--forge',
  reportFailures: '--report-failures',
} as const satisfies Partial<Record<keyof CommitOptions, string>>;

/** True if an option about commits is set, so that the code for commits has to be loaded. */
export function isAboutCommits({ commit, commitBranch, checkpoint, allowStale, forge }: CommitOptions): boolean {
  return [commit, commitBranch, checkpoint, allowStale, forge].some((option) => option !== undefined);
}

/** Adds the options of `CommitOptions` to a command. */
export function addCommitFlags(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--commit <how>',
        'commit the lockfile: push to the branch, or pr for a pull request that is kept up to date',
      ).choices(['push', 'pr', 'none']),
    )
    .option('--commit-branch <name>', 'with --commit=pr: branch of the pull request', branchName)
    .option(
      '--checkpoint <n>',
      'with --commit: also commit after every n results, not only at the end',
      numberBetween(1, Infinity, 'It must be a positive whole number.'),
    )
    .option('--allow-stale', 'with --commit: allow a checkout that is not the tip of its branch')
    .addOption(
      new Option('--forge <forge>', 'with --commit: how to commit; default: detected from the environment').choices([
        'github',
        'git',
      ]),
    )
    .option('--report-failures', 'report failed videos on GitHub: on the merged pull request and in an issue');
}

/** Branch of the pull request for a lockfile in the root folder of its repository. */
const PULL_BRANCH = 'reelform/lock';

/**
 * Returns the branch of the pull request of `--commit=pr`. Each folder of a repository has a unique branch.
 *
 * @param path of the lockfile, from the root of the repository
 */
export function pullBranchName(path: string): string {
  const folders = path.split('/').slice(0, -1);
  if (folders.length === 0) return PULL_BRANCH;
  // A `/` would make a branch the folder of another; some characters have a meaning in branch names.
  const name = folders.map((folder) => folder.replaceAll(/[^\w-]/g, escapeByte)).join('+');
  return `${PULL_BRANCH}-${name}`;
}

function escapeByte(character: string): string {
  return [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}
