import { isRecord } from '../../is-record.ts';
import { readJson } from '../forge-client.ts';
import { type GitHub, numberOf, textOf } from './github.ts';

export interface Issue {
  readonly number: number;
  readonly url: string;
  readonly title: string;
  readonly body: string;
  readonly isOpen: boolean;
}

/**
 * The newest issue that this token wrote and that begins with a marker; null where there is none. By listing, since a
 * search knows what was written some time ago.
 *
 * @param author as `viewerLogin` tells it
 */
export async function findIssue(
  github: GitHub,
  issue: { readonly author: string; readonly marker: string; readonly state?: 'open' | 'all' },
): Promise<Issue | null> {
  const query = `state=${issue.state ?? 'open'}&per_page=100&creator=${encodeURIComponent(issue.author)}`;
  const found = await github.rest.list(`${github.root}/issues?${query}`);
  const ours = found.find(({ body, user, pull_request: pull }) => {
    if (pull !== undefined || typeof body !== 'string' || !isRecord(user)) return false;
    return user.login === issue.author && body.startsWith(issue.marker);
  });
  return ours === undefined ? null : issueOf(ours);
}

/** Not repeated where it is not clear whether it was made: look by `findIssue`. */
export async function createIssue(
  github: GitHub,
  issue: { readonly title: string; readonly body: string; readonly labels?: readonly string[] },
): Promise<Issue> {
  const path = `${github.root}/issues`;
  return issueOf(readJson(await github.rest.send('POST', path, { body: issue }), `POST ${path}`, 'GitHub'));
}

export async function updateIssue(
  github: GitHub,
  number: number,
  changes: { readonly title?: string; readonly body?: string; readonly state?: 'open' | 'closed' },
): Promise<void> {
  await github.rest.send('PATCH', `${github.root}/issues/${number}`, { body: changes });
}

function issueOf(value: unknown): Issue {
  const body = isRecord(value) ? value.body : null;
  return {
    number: numberOf(value, 'number'),
    url: textOf(value, 'html_url'),
    title: textOf(value, 'title'),
    body: typeof body === 'string' ? body : '',
    isOpen: textOf(value, 'state') === 'open',
  };
}
