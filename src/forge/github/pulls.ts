import { isRecord } from '../../json.ts';
import { type GitHub, requestJson, textOf } from './github.ts';
import { type Issue, type IssueChanges, issueOf, patchIssue, postIssue } from './issues.ts';
import type { GitHubJob } from './job.ts';

export interface PullRequest extends Issue {
  readonly isMerged: boolean;
  /** Commit and branch of its head. */
  readonly headSha: string;
  readonly headBranch: string;
  /** Tip of the base branch when GitHub last updated it, and the branch. */
  readonly baseSha: string;
  readonly baseBranch: string;
}

export async function readPull(github: GitHub, number: number): Promise<PullRequest> {
  return pullOf(await requestJson(github, 'GET', `${github.root}/pulls/${number}`));
}

/** @param head `owner:branch` */
export async function pullsOfHead(
  github: GitHub,
  head: string,
  state: 'open' | 'all' = 'open',
): Promise<PullRequest[]> {
  const query = `state=${state}&per_page=100&head=${encodeURIComponent(head)}`;
  return (await github.rest.list(`${github.root}/pulls?${query}`)).map(pullOf);
}

/** Returns the pull requests that contain a commit or were merged by it. */
export async function pullsOfCommit(github: GitHub, sha: string): Promise<PullRequest[]> {
  return (await github.rest.list(`${github.root}/commits/${encodeURIComponent(sha)}/pulls?per_page=100`)).map(pullOf);
}

/** Not repeated when the result is unclear: check with `pullsOfHead`. */
export async function createPull(
  github: GitHub,
  pull: { readonly title: string; readonly body: string; readonly head: string; readonly base: string },
): Promise<PullRequest> {
  return pullOf(await postIssue(github, 'pulls', pull));
}

export function updatePull(github: GitHub, number: number, changes: IssueChanges): Promise<void> {
  return patchIssue(github, 'pulls', number, changes);
}

function pullOf(value: unknown): PullRequest {
  const { head, base, merged_at: mergedAt } = isRecord(value) ? value : {};
  return {
    ...issueOf(value),
    isMerged: typeof mergedAt === 'string',
    headSha: textOf(head, 'sha'),
    headBranch: textOf(head, 'ref'),
    baseSha: textOf(base, 'sha'),
    baseBranch: textOf(base, 'ref'),
  };
}

/** Returns the pull request of a job: the numbered one, that of its branch, or the one that its push merged. */
export async function pullOfJob(github: GitHub, job: GitHubJob): Promise<PullRequest | null> {
  if (job.number !== null) return readPull(github, job.number);
  if (job.head !== null) {
    const found = await pullsOfHead(github, job.head);
    // A pull request that has moved on is still the job's.
    return found.find(({ headSha }) => headSha === job.headSha) ?? found[0] ?? null;
  }
  if (!job.isPush || job.headSha === null) return null;
  return (await pullsOfCommit(github, job.headSha)).find(({ isMerged }) => isMerged) ?? null;
}
