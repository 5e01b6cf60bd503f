import { isRecord } from '../../json.ts';
import { readJson } from '../forge-client.ts';
import { createOnce } from '../forge-error.ts';
import { type GitHub, numberOf, textOf, viewerLogin } from './github.ts';

/** Common fields of issues and pull requests. */
export interface Thread {
  readonly number: number;
  readonly url: string;
  readonly title: string;
  readonly body: string;
  readonly isOpen: boolean;
}

export interface ThreadChanges {
  readonly title?: string;
  readonly body?: string;
  readonly state?: 'open' | 'closed';
}

type ThreadKind = 'issues' | 'pulls';

/** @returns GitHub's answer */
export async function createThread({ rest, root }: GitHub, kind: ThreadKind, body: object): Promise<unknown> {
  const path = `${root}/${kind}`;
  return readJson(await rest.send('POST', path, { body }), `POST ${path}`, 'GitHub');
}

export async function updateThread(
  { rest, root }: GitHub,
  kind: ThreadKind,
  number: number,
  changes: ThreadChanges,
): Promise<void> {
  await rest.send('PATCH', `${root}/${kind}/${number}`, { body: changes });
}

export function threadOf(value: unknown): Thread {
  const body = isRecord(value) ? value.body : null;
  return {
    number: numberOf(value, 'number'),
    url: textOf(value, 'html_url'),
    title: textOf(value, 'title'),
    body: typeof body === 'string' ? body : '',
    isOpen: textOf(value, 'state') === 'open',
  };
}

export type Issue = Thread;

/**
 * Returns the issues of this author that begin with a marker, oldest first. Uses the list, because the search index
 * lags behind.
 *
 * @param author as returned by `viewerLogin`
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

/** Not repeated when the result is unclear: check with `findIssues`. */
export async function createIssue(
  github: GitHub,
  issue: { readonly title: string; readonly body: string; readonly labels?: readonly string[] },
): Promise<Issue> {
  return threadOf(await createThread(github, 'issues', issue));
}

export function updateIssue(github: GitHub, number: number, changes: ThreadChanges): Promise<void> {
  return updateThread(github, 'issues', number, changes);
}

interface ReusedIssue {
  /** Hidden first line that identifies the issue. */
  readonly marker: string;
  readonly title: string;
  /** Description of the problem; null when there is none. */
  readonly body: string | null;
  /** Text after the problem is solved. */
  readonly mended: string;
}

/**
 * Maintains one issue about a problem: created the first time, updated and reopened later, and closed when the problem
 * is solved. GitHub cannot create an issue conditionally, so two concurrent runs may create two; a run that sees both
 * keeps the older one and closes the other.
 *
 * @returns its URL; null when there is no problem and was none
 * @throws ForgeError
 */
export async function reuseIssue(github: GitHub, issue: ReusedIssue): Promise<string | null> {
  const { marker, title, body, mended } = issue;
  const author = await viewerLogin(github);
  const find = (): Promise<Issue[]> => findIssues(github, { author, marker });
  const found = await find();
  if (body === null) {
    const open = found.filter(({ isOpen }) => isOpen);
    for (const { number } of open) await updateIssue(github, number, { body: `${marker}\n${mended}`, state: 'closed' });
    return open[0]?.url ?? null;
  }
  const text = `${marker}\n${body}`;
  const kept = theOne(found);
  if (kept === undefined) {
    const { url } = await createOnce(
      () => createIssue(github, { title, body: text }),
      async () => theOne(await find()),
    );
    const all = await find();
    const one = theOne(all);
    await closeOthers(github, all, one, marker);
    return one?.url ?? url;
  }
  const isSame = kept.isOpen && kept.body.replaceAll('\r\n', '\n').trimEnd() === text.trimEnd();
  if (!isSame) await updateIssue(github, kept.number, { title, body: text, state: 'open' });
  await closeOthers(github, found, kept, marker);
  return kept.url;
}

/** Returns the oldest open issue, else the newest, which is reopened. */
function theOne(issues: readonly Issue[]): Issue | undefined {
  return issues.find(({ isOpen }) => isOpen) ?? issues.at(-1);
}

async function closeOthers(
  github: GitHub,
  issues: readonly Issue[],
  kept: Issue | undefined,
  marker: string,
): Promise<void> {
  for (const { number, isOpen } of issues) {
    if (!isOpen || kept === undefined || number === kept.number) continue;
    await updateIssue(github, number, { body: `${marker}\nThe same as #${kept.number}.`, state: 'closed' });
  }
}
