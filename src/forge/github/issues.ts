import { isRecord } from '../../json.ts';
import type { GitHub } from './github.ts';
import { createThread, type Thread, type ThreadChanges, threadOf, updateThread } from './thread.ts';

export type Issue = Thread;

/**
 * The issues that this token wrote and that begin with a marker, oldest first. By listing, since a search knows what was written
 * some time ago.
 *
 * @param author as `viewerLogin` tells it
 */
export async function findIssues(
  github: GitHub,
  issue: { readonly author: string; readonly marker: string },
): Promise<Issue[]> {
  const query = `state=all&per_page=100&creator=${encodeURIComponent(issue.author)}`;
  const found = await github.rest.list(`${github.root}/issues?${query}`);
  const ours = found.filter(({ body, user, pull_request: pull }) => {
    if (pull !== undefined || typeof body !== 'string' || !isRecord(user)) return false;
    return user.login === issue.author && body.startsWith(issue.marker);
  });
  return ours.map(threadOf).sort((a, b) => a.number - b.number);
}

/** Not repeated where it is not clear whether it was made: look by `findIssues`. */
export async function createIssue(
  github: GitHub,
  issue: { readonly title: string; readonly body: string; readonly labels?: readonly string[] },
): Promise<Issue> {
  return threadOf(await createThread(github, 'issues', issue));
}

export function updateIssue(github: GitHub, number: number, changes: ThreadChanges): Promise<void> {
  return updateThread(github, 'issues', number, changes);
}
