import type { Row, Shown } from '../wording/plan-rows.ts';
import { shortenText } from '../wording/shorten-text.ts';
import { showAsOneText, showText, showTexts } from '../wording/show-value.ts';
import type { DiffPart } from '../wording/word-diff.ts';
import { escapeMarkdown, markdownCode } from './escape-markdown.ts';

/** How much of a value is shown, in UTF-16 code units. */
export interface ValueRoom {
  /** Of a value. */
  readonly longest: number;
  /** Of words that stayed, at each end of what changed; of the rest stands `…`. */
  readonly context: number;
}

/** One row of a table of three columns: the name, before, after. Words that changed are marked. */
export function markdownRow({ name, subject, before, after }: Row, room: ValueRoom): string {
  const [old, now] = valuesOf(before, after, room);
  const about = subject === null ? '' : `<br>${markdownCode(shortenText(subject, room.longest))}`;
  return `| ${escapeMarkdown(shortenText(name, room.longest))}${about} | ${old} | ${now} |`;
}

function valuesOf(before: Shown | null, after: Shown | null, room: ValueRoom): [string, string] {
  if (before?.kind !== 'text' || after?.kind !== 'text') return [showSide(before, room), showSide(after, room)];
  // What is compared is whole, so that a difference far behind is shown as well.
  const parts = showAsOneText(shortenText(before.text, LONGEST_COMPARED), shortenText(after.text, LONGEST_COMPARED));
  if (parts === null) {
    const [old, now] = showTexts(before.text, after.text);
    return [escapeMarkdown(shortenText(old, room.longest)), escapeMarkdown(shortenText(now, room.longest))];
  }
  return [showMarked(parts, 'removed', room), showMarked(parts, 'added', room)];
}

/** Longer texts are compared as far as here. */
const LONGEST_COMPARED = 20_000;

function showMarked(parts: readonly DiffPart[], kind: 'removed' | 'added', { longest, context }: ValueRoom): string {
  const tag = kind === 'removed' ? 'del' : 'ins';
  const shown = parts.filter((part) => part.kind === 'same' || part.kind === kind);
  let left = longest;
  let text = '';
  for (const [index, part] of shown.entries()) {
    if (left <= 0) return `${text}…`;
    const whole = part.kind === 'same' ? elide(part.text, context, index === 0, index === shown.length - 1) : part.text;
    const words = shortenText(whole, left);
    left -= words.length;
    text += part.kind === 'same' ? escapeMarkdown(words) : `<${tag}>${escapeMarkdown(words)}</${tag}>`;
  }
  return text;
}

/** The middle of words that stayed is left out; at an end of the text all but what is beside a change. */
function elide(text: string, context: number, isFirst: boolean, isLast: boolean): string {
  const characters = [...text];
  const [head, tail] = [isFirst ? 0 : context, isLast ? 0 : context];
  if (characters.length <= head + tail + 8) return text;
  return `${characters.slice(0, head).join('')}…${tail === 0 ? '' : characters.slice(-tail).join('')}`;
}

function showSide(shown: Shown | null, { longest }: ValueRoom): string {
  switch (shown?.kind) {
    case undefined:
      return '_none_';
    case 'text':
      return escapeMarkdown(showText(shortenText(shown.text, longest)));
    case 'name':
      return markdownCode(shortenText(shown.name, longest));
    case 'color':
      // GitHub puts a swatch behind a colour in backticks.
      return `\`#${shown.color}\``;
  }
}
