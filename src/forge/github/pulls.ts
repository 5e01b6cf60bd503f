import { isRecord } from '../../json.ts';
import { readJson } from '../forge-client.ts';
import { type GitHub, textOf } from './github.ts';
import { createThread, type Thread, type ThreadChanges, threadOf, updateThread } from './issues.ts';
import type { GitHubJob } from './job.ts';

export interface PullRequest extends Thread {
  readonly isMerged: boolean;
  /** The commit that its head is at, and its branch. */
  readonly headSha: string;
  readonly headBranch: string;
  /** The tip of its base when it was last looked at, and the branch. */
  readonly baseSha: string;
  readonly baseBranch: string;
}

export async function readPull(github: GitHub, number: number): Promise<PullRequest> {
  const path = `${github.root}/pulls/${number}`;
  return pullOf(readJson(await github.rest.send('GET', path), `GET ${path}`, 'GitHub'));
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

/** Of which pull requests a commit of the repository is a part, or the merge. */
export async function pullsOfCommit(github: GitHub, sha: string): Promise<PullRequest[]> {
  return (await github.rest.list(`${github.root}/commits/${encodeURIComponent(sha)}/pulls?per_page=100`)).map(pullOf);
}

/** Not repeated where it is not clear whether it was made: look by `pullsOfHead`. */
export async function createPull(
  github: GitHub,
  pull: { readonly title: string; readonly body: string; readonly head: string; readonly base: string },
): Promise<PullRequest> {
  return pullOf(await createThread(github, 'pulls', pull));
}

export function updatePull(github: GitHub, number: number, changes: ThreadChanges): Promise<void> {
  return updateThread(github, 'pulls', number, changes);
}

function pullOf(value: unknown): PullRequest {
  const { head, base, merged_at: mergedAt } = isRecord(value) ? value : {};
  return {
    ...threadOf(value),
    isMerged: typeof mergedAt === 'string',
    headSha: textOf(head, 'sha'),
    headBranch: textOf(head, 'ref'),
    baseSha: textOf(base, 'sha'),
    baseBranch: textOf(base, 'ref'),
  };
}

/** The pull request that a job runs for: the one it names, the one of its branch, or the one that was merged by its push. */
export async function pullOfJob(github: GitHub, job: GitHubJob): Promise<PullRequest | null> {
  if (job.number !== null) return readPull(github, job.number);
  if (job.head !== null) {
    const found = await pullsOfHead(github, job.head);
    // One that is elsewhere by now is still the one that the job was for.
    return found.find(({ headSha }) => headSha === job.headSha) ?? found[0] ?? null;
  }
  if (!job.isPush || job.headSha === null) return null;
  return (await pullsOfCommit(github, job.headSha)).find(({ isMerged }) => isMerged) ?? null;
}
