import { createColors } from 'picocolors';
import { present } from '../../kernel/defined.ts';
import type { Lock, LockEntry } from '../../reconciler/lock/lock.ts';
import type { LockChange, Published } from '../../reconciler/lock/publish-lock.ts';
import { displayUrl, escapeControls, shortenText } from '../wording/display-text.ts';
import { countNoun } from '../wording/quantities.ts';
import { escapeMarkdown, markdownLink, shortCode, takeWhileFits } from './markdown-text.ts';

/** Limits that keep the text below GitHub's 65,536 characters. */
const NAMED = 50;
const MAX_CHARACTERS = 50_000;
const LONGEST = 120;
/** Longer URLs are omitted; the lockfile has them. */
const MAX_URL_LENGTH = 500;

/**
 * Returns title and body of the pull request that updates the lockfile on a protected branch: the effect of merging it, and
 * each video with its location.
 */
export function lockPullWords(pull: {
  readonly change: LockChange;
  /** The lockfile after the merge. */
  readonly lock: Lock;
  /** Path of the lockfile within the repository. */
  readonly file: string;
  /** Branch to merge into. */
  readonly target: string;
}): { readonly title: string; readonly body: string } {
  const { change, lock, file, target } = pull;
  const all = [...change.recorded, ...change.removed];
  const rows = takeWhileFits(all.slice(0, NAMED), MAX_CHARACTERS, (id) => {
    if (change.recorded.includes(id)) return recordedRow(id, lock.videos.get(id));
    return `| removed | ${shortCode(id, LONGEST)} | | its definition was removed |`;
  });
  const more = all.length - rows.length;
  const folder = file.split('/').slice(0, -1).join('/');
  const counts = present([
    change.recorded.length > 0 && `${countNoun(change.recorded.length, 'video')} rendered`,
    change.removed.length > 0 && `${countNoun(change.removed.length, 'video')} removed`,
  ]).join(', ');
  const body = present([
    `\`reelform apply\` has applied ${shortCode(target, LONGEST)}: **${counts}**. Merge this pull request to record the result. While it is open, these videos are not rendered again.`,
    ['| | Video | Title | Location |', '|:--|:--|:--|:--|', ...rows].join('\n'),
    more > 0 && `And ${countNoun(more, 'video')} more: see ${shortCode(file, LONGEST)}.`,
    `<sub>Only ${shortCode(file, LONGEST)} changes. Each apply updates this pull request: its branch is one commit on the tip of ${shortCode(target, LONGEST)}, and other commits pushed to it are dropped. It is closed when nothing is left to merge.</sub>`,
  ]).join('\n\n');
  return { title: folder === '' ? lockHeadline(change) : `${lockHeadline(change)} (${plainName(folder)})`, body };
}

function recordedRow(id: string, entry: LockEntry | undefined): string {
  if (entry === undefined) return `| rendered | ${shortCode(id, LONGEST)} | | |`;
  const { title, video_url: url } = entry;
  const place =
    (url.length > MAX_URL_LENGTH ? null : markdownLink('video', url)) ?? shortCode(displayUrl(url), LONGEST);
  return `| rendered | ${shortCode(id, LONGEST)} | ${escapeMarkdown(shortenText(title.replaceAll(/\s+/g, ' '), LONGEST))} | ${place} |`;
}

/** A title is not Markdown, but hosts detect references in it. */
function plainName(text: string): string {
  return text.replaceAll(/[^\p{L}\p{N}/._ -]/gu, '_').slice(0, LONGEST);
}

/** Identifies reelform's commits to workflows. */
const TRAILER = 'Rendered-By: reelform';

/** Maximum number of videos listed in a commit message. */
const MAX_NAMED = 50;

/** Returns the message of a commit that records renderings. */
export function lockCommitWords(change: LockChange): { readonly headline: string; readonly body: string } {
  const ids = [...change.recorded, ...change.removed];
  const names = ids.slice(0, MAX_NAMED).map((id) => `- ${plainId(id)}`);
  const more = ids.length > MAX_NAMED ? [`- and ${countNoun(ids.length - MAX_NAMED, 'video')} more`] : [];
  return { headline: lockHeadline(change), body: [...names, ...more, '', TRAILER].join('\n') };
}

export function lockCommitMessage(change: LockChange): string {
  const { headline, body } = lockCommitWords(change);
  return `${headline}\n\n${body}\n`;
}

/** Reports the publication of the lockfile. */
export function publishedText(published: Published, name: string, options: { readonly color: boolean }): string {
  const { green } = createColors(options.color);
  const where = escapeControls(name);
  switch (published.kind) {
    case 'committed':
      return `${green('✓')} The lockfile is committed to ${where}: ${published.pull ?? published.url ?? published.commit.slice(0, 12)}\n`;
    case 'closed':
      return `${green('✓')} Nothing is left to merge; ${published.pull} is closed\n`;
    case 'unchanged':
      return `The lockfile on ${where} is already up to date${published.pull === null ? '' : `: ${published.pull}`}.\n`;
  }
}

/** Summarizes a change: `Record 2 rendered videos`. */
function lockHeadline({ recorded, removed }: LockChange): string {
  if (recorded.length === 0 && removed.length > 0) return `Forget ${countNoun(removed.length, 'video')}`;
  return `Record ${countNoun(recorded.length, 'rendered video')}`;
}

/** Replaces characters that a host could read as a reference or a mention, or a CI as a command. */
function plainId(id: string): string {
  return escapeControls(id).replaceAll(/[@#[\]]/g, '_');
}
