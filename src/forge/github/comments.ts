import { isRecord } from '../../json.ts';
import type { CommentAccess, PostedComment } from '../write-comment.ts';
import { type GitHub, numberOf, requestJson, textOf, viewerLogin } from './github.ts';

/** A comment on an issue or a pull request. */
export interface GitHubComment {
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
export async function minimizeComment(github: GitHub, nodeId: string): Promise<void> {
  await github.graphql(MINIMIZE_MUTATION, { id: nodeId }, 'safe');
}

function readComment(value: unknown): GitHubComment {
  const user = isRecord(value) ? value.user : null;
  return {
    id: numberOf(value, 'id'),
    nodeId: textOf(value, 'node_id'),
    // A deleted account has no login.
    author: isRecord(user) ? String(user.login) : '',
    body: isRecord(value) && typeof value.body === 'string' ? value.body : '',
    url: textOf(value, 'html_url'),
  };
}

/** Returns access to the comments of a pull request or an issue. */
export function gitHubComments(github: GitHub, number: number): CommentAccess<GitHubComment & PostedComment> {
  return {
    async own() {
      const author = await viewerLogin(github);
      return (await listComments(github, number)).filter((comment) => comment.author === author);
    },
    create: (body) => createComment(github, number, body),
    update: ({ id }, body) => updateComment(github, id, body),
    remove: ({ id }) => deleteComment(github, id),
    hide: ({ nodeId }) => minimizeComment(github, nodeId),
  };
}
