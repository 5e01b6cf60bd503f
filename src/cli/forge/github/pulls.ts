import { isRecord } from '../../../kernel/json.ts';
import type { CommentAccess, PostedComment } from '../write-comment.ts';
import { type GitHub, numberOf, requestJson, textField, viewerLogin } from './github.ts';
import { type Issue, type IssueChanges, issueOf, patchIssue, postIssue } from './issues.ts';
import type { GitHubJob } from './job.ts';

export interface PullRequest extends Issue {
  readonly isMerged: boolean;
  /** Commit of the merge; before it, null or a commit that tests the merge. */
  readonly mergeSha: string | null;
  readonly headSha: string;
  /** Tip of the base branch when GitHub last updated it, and the branch. */
  readonly baseSha: string;
  readonly baseBranch: string;
}

/** @param head `owner:branch` */
export async function pullsOfHead(github: GitHub, head: string): Promise<PullRequest[]> {
  const query = `state=open&per_page=100&head=${encodeURIComponent(head)}`;
  return (await github.rest.list(`${github.root}/pulls?${query}`)).map(pullOf);
}

/** Returns the pull requests that contain a commit or were merged by it. */
export async function pullsOfCommit(github: GitHub, sha: string): Promise<PullRequest[]> {
  return (await github.rest.list(`${github.root}/commits/${encodeURIComponent(sha)}/pulls?per_page=100`)).map(pullOf);
}

/**
 * Yields merged pull requests, the latest update first.
 *
 * @param pages maximum number of pages that are read, with a hundred closed pull requests each
 */
export async function* mergedPulls(github: GitHub, pages: number): AsyncGenerator<PullRequest> {
  for (let page = 1; page <= pages; page++) {
    const query = `state=closed&sort=updated&direction=desc&per_page=100&page=${page}`;
    const found = await requestJson(github, 'GET', `${github.root}/pulls?${query}`);
    const pulls = Array.isArray(found) ? found.map(pullOf) : [];
    yield* pulls.filter(({ isMerged }) => isMerged);
    if (pulls.length < 100) return;
  }
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
  const { head, base, merged_at: mergedAt, merge_commit_sha: mergeSha } = isRecord(value) ? value : {};
  return {
    ...issueOf(value),
    isMerged: typeof mergedAt === 'string',
    mergeSha: typeof mergeSha === 'string' ? mergeSha : null,
    headSha: textField(head, 'sha'),
    baseSha: textField(base, 'sha'),
    baseBranch: textField(base, 'ref'),
  };
}

/** Returns the pull request of a job: by its number, by its branch, or by the push that merged it. */
export async function pullOfJob(github: GitHub, job: GitHubJob): Promise<PullRequest | null> {
  if (job.number !== null) return pullOf(await requestJson(github, 'GET', `${github.root}/pulls/${job.number}`));
  if (job.head !== null) {
    const found = await pullsOfHead(github, job.head);
    // A pull request that has moved on is still the job's.
    return found.find(({ headSha }) => headSha === job.headSha) ?? found[0] ?? null;
  }
  if (!job.isPush || job.headSha === null) return null;
  return (await pullsOfCommit(github, job.headSha)).find(({ isMerged }) => isMerged) ?? null;
}

interface GitHubComment {
  readonly id: number;
  /** Id for GraphQL. */
  readonly nodeId: string;
  readonly author: string;
  readonly body: string;
  readonly url: string;
}

export const MINIMIZE_MUTATION = `mutation ($id: ID!) {
  minimizeComment(input: {subjectId: $id, classifier: OUTDATED}) { minimizedComment { isMinimized } }
}`;

/** Returns all comments of an issue or a pull request, oldest first. */
export async function listComments(github: GitHub, number: number): Promise<GitHubComment[]> {
  const found = await github.rest.list(`${github.root}/issues/${number}/comments?per_page=100`);
  return found.map(readComment);
}

/** Not repeated when the result is unclear: see `ForgeError.isUnclear`. */
export async function createComment(github: GitHub, number: number, body: string): Promise<GitHubComment> {
  return readComment(await requestJson(github, 'POST', `${github.root}/issues/${number}/comments`, { body: { body } }));
}

export async function updateComment(github: GitHub, id: number, body: string): Promise<void> {
  await github.rest.send('PATCH', `${github.root}/issues/comments/${id}`, { body: { body } });
}

export async function deleteComment(github: GitHub, id: number): Promise<void> {
  await github.rest.send('DELETE', `${github.root}/issues/comments/${id}`);
}

/** Collapses a comment as outdated. */
async function minimizeComment(github: GitHub, nodeId: string): Promise<void> {
  await github.graphql(MINIMIZE_MUTATION, { id: nodeId }, 'safe');
}

function readComment(value: unknown): GitHubComment {
  const user = isRecord(value) ? value.user : null;
  return {
    id: numberOf(value, 'id'),
    nodeId: textField(value, 'node_id'),
    // A deleted account has no login.
    author: isRecord(user) ? String(user.login) : '',
    body: isRecord(value) && typeof value.body === 'string' ? value.body : '',
    url: textField(value, 'html_url'),
  };
}

/** Returns access to the comments of a pull request or an issue. */
export function gitHubComments(github: GitHub, number: number): CommentAccess<GitHubComment & PostedComment> {
  return {
    async listByAccount() {
      const author = await viewerLogin(github);
      return (await listComments(github, number)).filter((comment) => comment.author === author);
    },
    create: (body) => createComment(github, number, body),
    update: ({ id }, body) => updateComment(github, id, body),
    remove: ({ id }) => deleteComment(github, id),
    hide: ({ nodeId }) => minimizeComment(github, nodeId),
  };
}
