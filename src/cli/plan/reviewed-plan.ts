import { gitHubPlace } from '../../forge/github/comments.ts';
import { pullsOfCommit } from '../../forge/github/pulls.ts';
import { planIdOf } from '../../forge/write-comment.ts';
import { recentCommits } from '../../git/revisions.ts';
import { gitHubOf } from '../commit/open-commit.ts';
import type { Io } from '../io.ts';

/** How many merges may lie between a review and its apply: runs wait for each other, and a failed one is run again. */
const MERGES = 20;

/**
 * Whether a comment shows a plan, on one of the pull requests that were merged last. Only comments of the account that the job's
 * token belongs to count.
 *
 * @param root absolute; what is merged is looked for from the commit that is checked out
 * @param tag of the comments
 * @throws ReelformError of git, or of GitHub
 */
export async function isReviewed(root: string, planId: string, tag: string, io: Io): Promise<boolean> {
  const github = await gitHubOf(io);
  const seen = new Set<number>();
  for (const commit of await recentCommits(root, MERGES)) {
    for (const { number, isMerged } of await pullsOfCommit(github, commit)) {
      if (!isMerged || seen.has(number)) continue;
      seen.add(number);
      const comments = await gitHubPlace(github, number).own();
      if (comments.some(({ body }) => planIdOf(body, tag) === planId)) return true;
    }
  }
  return false;
}
