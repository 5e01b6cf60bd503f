import { isRecord } from '../../is-record.ts';
import type { GitHub } from './github.ts';
import { createThread, type Thread, type ThreadChanges, threadOf, updateThread } from './thread.ts';

export type Issue = Thread;

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
  return ours === undefined ? null : threadOf(ours);
}

/** Not repeated where it is not clear whether it was made: look by `findIssue`. */
export async function createIssue(
  github: GitHub,
  issue: { readonly title: string; readonly body: string; readonly labels?: readonly string[] },
): Promise<Issue> {
  return threadOf(await createThread(github, 'issues', issue));
}

export function updateIssue(github: GitHub, number: number, changes: ThreadChanges): Promise<void> {
  return updateThread(github, 'issues', number, changes);
}
