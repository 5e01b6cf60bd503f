import type { GitHub } from './github.ts';
import type { GitHubJob } from './job.ts';
import { type PullRequest, pullsOfCommit, pullsOfHead, readPull } from './pulls.ts';

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
