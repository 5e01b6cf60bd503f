import { type Command, InvalidArgumentError, Option } from 'commander';
import { branchArgument } from './commit-branch.ts';

/** What a command line says about where the lockfile goes. */
export interface CommitOptions {
  /** `none` when absent. */
  readonly commit?: 'push' | 'pr' | 'none';
  /** Of the pull request, with `pr`; named by the folder when absent. */
  readonly commitBranch?: string;
  /** So many results are committed at once, while the run goes on. */
  readonly checkpoint?: number;
  readonly allowStale?: boolean;
  /** By whose interface; told from the environment when absent. */
  readonly forge?: 'github' | 'git';
  readonly reportFailures?: boolean;
}

/** By the name that each has in `CommitOptions`, as it is typed. */
export const COMMIT_FLAGS = {
  commit: '--commit',
  commitBranch: '--commit-branch',
  checkpoint: '--checkpoint',
  allowStale: '--allow-stale',
  forge: '--forge',
  reportFailures: '--report-failures',
} as const satisfies Partial<Record<keyof CommitOptions, string>>;

/** Whether any of it was said, so that what it takes is worth loading. */
export function isAboutCommits({ commit, commitBranch, checkpoint, allowStale, forge }: CommitOptions): boolean {
  return [commit, commitBranch, checkpoint, allowStale, forge].some((option) => option !== undefined);
}

/** Gives a command the options that say where the lockfile goes. */
export function addCommitFlags(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--commit <how>',
        'commit the lockfile to the branch: push, or pr for one pull request that is kept up to date',
      ).choices(['push', 'pr', 'none']),
    )
    .option('--commit-branch <name>', 'with --commit=pr: the branch of the pull request', branchArgument)
    .option('--checkpoint <n>', 'with --commit: commit after each n results too, not at the end alone', positive)
    .option('--allow-stale', 'with --commit: apply a checkout that is not the tip of its branch')
    .addOption(
      new Option('--forge <forge>', 'with --commit: by what; told from the environment').choices(['github', 'git']),
    )
    .option('--report-failures', 'tell failed videos on GitHub: at the merged pull request, and in one issue');
}

function positive(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 1) return value;
  throw new InvalidArgumentError('It must be a whole number from 1 on.');
}
