import { fileAt, isMergedIn } from '../../reconciler/git/revisions.ts';
import { isShallow } from '../../reconciler/git/run-git.ts';
import type { Lock } from '../../reconciler/lock/lock.ts';
import { parseLock } from '../../reconciler/lock/lock-format.ts';
import { ReviewedPlans, splitApprovals } from '../../reconciler/plan/approvals.ts';
import type { Change, Plan } from '../../reconciler/plan/plan.ts';
import { LOCK_FILE } from '../../reconciler/project/repository-layout.ts';
import { openJobGitHub } from '../forge/forge-job.ts';
import { gitHubComments, mergedPulls } from '../forge/github/pulls.ts';
import { commentData, isMarked } from '../forge/write-comment.ts';
import type { Io } from '../io.ts';

/**
 * Maximum number of merged pull requests whose comments are read, with one request each, of the thousand per hour that
 * GitHub grants the token of a job. A plan that was reviewed usually needs only the latest of them.
 */
const MAX_PULLS = 100;
/** Pages of a hundred closed pull requests, of which some were not merged, or merged elsewhere. */
const MAX_PAGES = 5;

/** Approvals of a plan in comments on merged pull requests. */
export interface Reviews {
  /** Changes that no comment approves, with the reason. Empty if the plan may be applied. */
  readonly unapproved: ReadonlyMap<Change, string>;
  /** Numbers of the pull requests whose comments were read, latest update first. */
  readonly searched: readonly number[];
  /** Pull requests whose plan has too many changes for a list of approved changes. */
  readonly unlisted: readonly number[];
  /** True if the clone lacks commits, so that merges may not be recognized. */
  readonly isShallow: boolean;
}

interface ReviewedPlan {
  readonly plan: Plan;
  readonly planId: string;
  /** Absolute; the checked-out commit decides which pull requests count as merged. */
  readonly root: string;
  /** Tag of the comments. */
  readonly tag: string;
}

/**
 * Compares a plan with the plans in comments on merged pull requests. It is approved as a whole, or change by change by
 * any of them, so their subsets and unions are approved, too. Only comments by the account of the job's token count, and
 * of each pull request only the latest, which shows what was merged.
 *
 * @throws ReelformError of Git or GitHub
 */
export async function findReviews({ plan, planId, root, tag }: ReviewedPlan, io: Io): Promise<Reviews> {
  const reviews = new ReviewedPlans(plan);
  const searched: number[] = [];
  const unlisted: number[] = [];
  if (reviews.rest.length === 0) return { unapproved: new Map(), searched, unlisted, isShallow: false };
  const github = await openJobGitHub(io);
  for await (const { number, mergeSha } of mergedPulls(github, MAX_PAGES)) {
    if (reviews.rest.length === 0 || searched.length === MAX_PULLS) break;
    if (mergeSha === null || !(await isMergedIn(root, mergeSha))) continue;
    searched.push(number);
    const comments = await gitHubComments(github, number).listByAccount();
    const latest = comments.findLast(({ body }) => isMarked(body, tag));
    const data = latest === undefined ? null : commentData(latest.body, tag);
    if (data === null) continue;
    if (data.plan_id === planId) return { unapproved: new Map(), searched, unlisted, isShallow: false };
    if (data.approvals === null) unlisted.push(number);
    else reviews.add(splitApprovals(data.approvals), await lockAt(root, data.base_sha));
  }
  const unapproved = new Map(reviews.rest.map((change) => [change, reviews.whyNot(change)!]));
  return { unapproved, searched, unlisted, isShallow: unapproved.size > 0 && (await isShallow(root)) };
}

/** Returns the lockfile at a commit; an empty lockfile if it does not exist, or if the clone lacks the commit. */
async function lockAt(root: string, commit: string | null): Promise<Lock> {
  const text = commit === null ? null : await fileAt(root, commit, `./${LOCK_FILE}`);
  const lock = text === null ? null : parseLock(text, LOCK_FILE);
  return lock?.ok === true ? lock.value : { videos: new Map(), extra: {} };
}
