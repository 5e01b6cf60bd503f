import { createColors } from 'picocolors';
import type { LockChange, Published } from '../../lock/publish-lock.ts';
import { countNoun } from '../wording/count-noun.ts';
import { escapeControls } from '../wording/escape-controls.ts';

/** By which workflows know a commit of ours. */
export const TRAILER = 'Rendered-By: reelform';

/** So many videos a text names. */
const NAMED = 50;

/** The message of a commit that records what was rendered. */
export function lockCommitWords(change: LockChange): { readonly headline: string; readonly body: string } {
  const ids = [...change.recorded, ...change.removed];
  const names = ids.slice(0, NAMED).map((id) => `- ${plainId(id)}`);
  const more = ids.length > NAMED ? [`- and ${countNoun(ids.length - NAMED, 'video')} more`] : [];
  return { headline: lockHeadline(change), body: [...names, ...more, '', TRAILER].join('\n') };
}

/** The same as one text. */
export function lockCommitMessage(change: LockChange): string {
  const { headline, body } = lockCommitWords(change);
  return `${headline}\n\n${body}\n`;
}

/** What became of the lockfile on its branch. @returns a line, ended */
export function publishedText(published: Published, name: string, options: { readonly color: boolean }): string {
  const { green } = createColors(options.color);
  const where = escapeControls(name);
  switch (published.kind) {
    case 'committed':
      return `${green('✓')} The lockfile is committed to ${where}: ${published.pull ?? published.url ?? published.commit.slice(0, 12)}\n`;
    case 'closed':
      return `${green('✓')} Nothing is left to merge: ${published.pull} is closed\n`;
    case 'unchanged':
      return `The lockfile on ${where} says all of it already; nothing was committed${published.pull === null ? '' : `: ${published.pull}`}.\n`;
  }
}

/** What changes, in a line: `Record 2 rendered videos`. */
export function lockHeadline({ recorded, removed }: LockChange): string {
  if (recorded.length === 0 && removed.length > 0) return `Forget ${countNoun(removed.length, 'video')}`;
  return `Record ${countNoun(recorded.length, 'rendered video')}`;
}

/** Nothing that a host would take for a reference or a mention, or for a command to a CI. */
function plainId(id: string): string {
  return escapeControls(id).replaceAll(/[@#[\]]/g, '_');
}
