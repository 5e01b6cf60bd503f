import { isRecord } from '../../../kernel/json.ts';
import { createOnce } from '../forge-client.ts';
import { type GitHub, numberOf, requestJson, textField, viewerLogin } from './github.ts';

/** An issue, or the fields that a pull request shares with issues. */
export interface Issue {
  readonly number: number;
  readonly url: string;
  readonly title: string;
  readonly body: string;
  readonly isOpen: boolean;
}

export interface IssueChanges {
  readonly title?: string;
  readonly body?: string;
  readonly state?: 'open' | 'closed';
}

type IssueKind = 'issues' | 'pulls';

/** @returns GitHub's answer */
export async function postIssue(github: GitHub, kind: IssueKind, body: object): Promise<unknown> {
  return requestJson(github, 'POST', `${github.root}/${kind}`, { body });
}

export async function patchIssue(
  { rest, root }: GitHub,
  kind: IssueKind,
  number: number,
  changes: IssueChanges,
): Promise<void> {
  await rest.send('PATCH', `${root}/${kind}/${number}`, { body: changes });
}

export function issueOf(value: unknown): Issue {
  const body = isRecord(value) ? value.body : null;
  return {
    number: numberOf(value, 'number'),
    url: textField(value, 'html_url'),
    title: textField(value, 'title'),
    body: typeof body === 'string' ? body : '',
    isOpen: textField(value, 'state') === 'open',
  };
}

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
  return ours.map(issueOf).sort((a, b) => a.number - b.number);
}

/** Not repeated when the result is unclear: check with `findIssues`. */
export async function createIssue(
  github: GitHub,
  issue: { readonly title: string; readonly body: string; readonly labels?: readonly string[] },
): Promise<Issue> {
  return issueOf(await postIssue(github, 'issues', issue));
}

export function updateIssue(github: GitHub, number: number, changes: IssueChanges): Promise<void> {
  return patchIssue(github, 'issues', number, changes);
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
 * Maintains an issue about a problem: created the first time, updated and reopened later, and closed when the problem
 * is solved. GitHub cannot create an issue conditionally, so two concurrent runs may create two; a run that sees both
 * keeps the older issue and closes the newer.
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
  const kept = keptIssue(found);
  if (kept === undefined) {
    const { url } = await createOnce(
      () => createIssue(github, { title, body: text }),
      async () => keptIssue(await find()),
    );
    const all = await find();
    const oldest = keptIssue(all);
    await closeOthers(github, all, oldest, marker);
    return oldest?.url ?? url;
  }
  const isSame = kept.isOpen && kept.body.replaceAll('\r\n', '\n').trimEnd() === text.trimEnd();
  if (!isSame) await updateIssue(github, kept.number, { title, body: text, state: 'open' });
  await closeOthers(github, found, kept, marker);
  return kept.url;
}

/** Returns the oldest open issue, else the newest, which is reopened. */
function keptIssue(issues: readonly Issue[]): Issue | undefined {
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
    await updateIssue(github, number, { body: `${marker}\nDuplicate of #${kept.number}.`, state: 'closed' });
  }
}
