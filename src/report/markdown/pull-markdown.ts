import type { Lock, LockEntry } from '../../lock/lock.ts';
import type { LockChange } from '../../lock/publish-lock.ts';
import { countNoun } from '../wording/count-noun.ts';
import { placeOfUrl } from '../wording/place-of-url.ts';
import { shortenText } from '../wording/shorten-text.ts';
import { lockHeadline } from './commit-text.ts';
import { escapeMarkdown, markdownCode } from './escape-markdown.ts';
import { markdownLink } from './markdown-link.ts';
import { thatFit } from './that-fit.ts';

/** So many videos it names, in so many of the 65,536 characters that GitHub takes. */
const NAMED = 50;
const MOST_CHARACTERS = 50_000;
const LONGEST = 120;
/** A longer address is left to the lockfile. */
const LONGEST_URL = 500;

/**
 * Title and body of the pull request that brings the lockfile to a protected branch: what merging it does, and each video with
 * where it can be seen.
 */
export function lockPullWords(pull: {
  readonly change: LockChange;
  /** As it is with the pull request merged. */
  readonly lock: Lock;
  /** The lockfile, from the top of the repository. */
  readonly file: string;
  /** The branch that it is to be merged into. */
  readonly target: string;
}): { readonly title: string; readonly body: string } {
  const { change, lock, file, target } = pull;
  const all = [...change.recorded, ...change.removed];
  const rows = thatFit(all.slice(0, NAMED), MOST_CHARACTERS, (id) => {
    if (change.recorded.includes(id)) return recordedRow(id, lock.videos.get(id));
    return `| removed | ${code(id)} | | no definition has it any more |`;
  });
  const more = all.length - rows.length;
  const folder = file.split('/').slice(0, -1).join('/');
  const counts = [
    ...(change.recorded.length > 0 ? [`${countNoun(change.recorded.length, 'video')} rendered`] : []),
    ...(change.removed.length > 0 ? [`${countNoun(change.removed.length, 'video')} removed`] : []),
  ].join(', ');
  const body = [
    `\`reelform apply\` has done what ${code(target)} wants: **${counts}**. Merging this pull request records it there; while it waits, nothing of it is rendered again.`,
    ['| | Video | Title | Where it is |', '|:--|:--|:--|:--|', ...rows].join('\n'),
    ...(more > 0 ? [`And ${countNoun(more, 'video')} more: see ${code(file)}.`] : []),
    `<sub>${code(file)} is all that changes. Each apply brings this pull request up to date: its branch is one commit on the tip of ${code(target)}, and whatever else is pushed to it goes. It is closed when nothing is left to merge.</sub>`,
  ].join('\n\n');
  return { title: folder === '' ? lockHeadline(change) : `${lockHeadline(change)} (${plainName(folder)})`, body };
}

function recordedRow(id: string, entry: LockEntry | undefined): string {
  if (entry === undefined) return `| rendered | ${code(id)} | | |`;
  const { title, video_url: url } = entry;
  const place = (url.length > LONGEST_URL ? null : markdownLink('video', url)) ?? code(placeOfUrl(url));
  return `| rendered | ${code(id)} | ${escapeMarkdown(shortenText(title.replaceAll(/\s+/g, ' '), LONGEST))} | ${place} |`;
}

function code(text: string): string {
  return markdownCode(shortenText(text, LONGEST));
}

/** A title is no Markdown, but its references are looked for. */
function plainName(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}/._ -]/gu, '_').slice(0, LONGEST);
}
