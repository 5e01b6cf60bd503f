import { isRecord } from '../../is-record.ts';
import { readJson } from '../forge-client.ts';
import { type GitHub, numberOf, textOf } from './github.ts';

export interface PullRequest {
  readonly number: number;
  readonly url: string;
  readonly title: string;
  readonly body: string;
  readonly isOpen: boolean;
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
  const path = `${github.root}/pulls`;
  return pullOf(readJson(await github.rest.send('POST', path, { body: pull }), `POST ${path}`, 'GitHub'));
}

export async function updatePull(
  github: GitHub,
  number: number,
  changes: { readonly title?: string; readonly body?: string; readonly state?: 'open' | 'closed' },
): Promise<void> {
  await github.rest.send('PATCH', `${github.root}/pulls/${number}`, { body: changes });
}

function pullOf(value: unknown): PullRequest {
  const { head, base, body, merged_at: mergedAt } = isRecord(value) ? value : {};
  return {
    number: numberOf(value, 'number'),
    url: textOf(value, 'html_url'),
    title: textOf(value, 'title'),
    body: typeof body === 'string' ? body : '',
    isOpen: textOf(value, 'state') === 'open',
    isMerged: typeof mergedAt === 'string',
    headSha: textOf(head, 'sha'),
    headBranch: textOf(head, 'ref'),
    baseSha: textOf(base, 'sha'),
    baseBranch: textOf(base, 'ref'),
  };
}
