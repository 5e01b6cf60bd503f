import { createOnce } from '../create-once.ts';
import type { GitHub } from './github.ts';
import { createIssue, findIssues, type Issue, updateIssue } from './issues.ts';
import { viewerLogin } from './viewer.ts';

export interface ReusedIssue {
  /** Its first line, hidden, by which it is found. */
  readonly marker: string;
  readonly title: string;
  /** What is wrong; null: nothing is. */
  readonly body: string | null;
  /** What it says when it is closed. */
  readonly mended: string;
}

/**
 * Sees to it that one issue says what is wrong: made at the first time, changed and opened again later, closed when nothing is.
 * GitHub makes no issue on a condition, so that two runs at once can make two: whoever sees both keeps the older one, and
 * closes the other.
 *
 * @returns its page; null where there is nothing to say, and there was nothing
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

/** The oldest one that is open; else the newest, to be opened again. */
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
