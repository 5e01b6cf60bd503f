import type { GitHub } from './github.ts';
import { createIssue, findIssue, updateIssue } from './issues.ts';
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
 *
 * @returns its page; null where there is nothing to say, and there was nothing
 * @throws ForgeError
 */
export async function reuseIssue(github: GitHub, { marker, title, body, mended }: ReusedIssue): Promise<string | null> {
  const author = await viewerLogin(github);
  const found = await findIssue(github, { author, marker, state: 'all' });
  if (body === null) {
    if (found?.isOpen !== true) return null;
    await updateIssue(github, found.number, { body: `${marker}\n${mended}`, state: 'closed' });
    return found.url;
  }
  const text = `${marker}\n${body}`;
  if (found === null) return (await createIssue(github, { title, body: text })).url;
  const isSame = found.isOpen && found.body.replaceAll('\r\n', '\n').trimEnd() === text.trimEnd();
  if (!isSame) await updateIssue(github, found.number, { title, body: text, state: 'open' });
  return found.url;
}
