import { diffArrays } from 'diff';
import { cellWidth } from './cell-width.ts';
import { escapeControls } from './display-text.ts';

/** A stretch of text that both have, that only the old has, or that only the new has. */
export interface DiffPart {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** With more words than this changed, the texts are shown as replaced. */
const MOST_EDITS = 500;

let segmenter: Intl.Segmenter | null = null;

/** Latin letters, digits, and what is written between them: here rules are enough, and the dictionaries take 15 ms to load. */
const PLAIN = /^[\t\n\r\x20-\x7e\u00a0-\u00ac\u00ae-\u00b6\u00b9-\u017f\u2013\u2014\u2018\u2019\u201c-\u201e\u2026]*$/;
/** Those of Unicode's word boundaries that `PLAIN` text can have. */
const PLAIN_WORDS = /(?:[\p{L}0-9_]|(?<=\p{L})['‘’.:](?=\p{L})|(?<=[0-9])['‘’.,;](?=[0-9]))+|\r\n| +|[\s\S]/gu;

/** The words of a text and all that is between them, in reading order: joined they are the text. */
export function wordsOf(text: string): string[] {
  if (PLAIN.test(text)) return text.match(PLAIN_WORDS) ?? [];
  segmenter ??= new Intl.Segmenter('en', { granularity: 'word' });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/**
 * What was taken out and what was put in, word by word, in reading order; a removal comes before the addition that
 * replaces it. Without the added parts the parts are `before`, without the removed ones `after`. Words of scripts without
 * spaces are found too.
 */
export function diffWords(before: string, after: string): DiffPart[] {
  const [old, now] = [wordsOf(before), wordsOf(after)];
  const aligned = alignWords(old, now);
  return merge(aligned === null ? [removed(before), added(after)] : bridgeSpaces(aligned));
}

/** How much of the longer text both have, 0..1. */
export function similarity(parts: readonly DiffPart[]): number {
  const length = { same: 0, removed: 0, added: 0 };
  for (const { kind, text } of parts) length[kind] += text.trim().length;
  return length.same / Math.max(1, length.same + Math.max(length.removed, length.added));
}

const same = (text: string): DiffPart => ({ kind: 'same', text });
const removed = (text: string): DiffPart => ({ kind: 'removed', text });
const added = (text: string): DiffPart => ({ kind: 'added', text });

function alignWords(old: readonly string[], now: readonly string[]): DiffPart[] | null {
  const changes = diffArrays([...old], [...now], { maxEditLength: MOST_EDITS });
  if (changes === undefined) return null;
  return changes.flatMap(({ value, added: isAdded, removed: isRemoved }) =>
    value.map((word) => (isAdded ? added(word) : isRemoved ? removed(word) : same(word))),
  );
}

/** A space that stayed between two words that did not is easier to read as part of the change. */
function bridgeSpaces(parts: readonly DiffPart[]): DiffPart[] {
  return parts.flatMap((part, index) => {
    const between = parts[index - 1]?.kind !== 'same' && parts[index + 1]?.kind !== 'same';
    const inside = index > 0 && index < parts.length - 1;
    return part.kind === 'same' && inside && between && /^ +$/.test(part.text)
      ? [removed(part.text), added(part.text)]
      : [part];
  });
}

/** Joins neighbours, the removals of a changed stretch before its additions. */
function merge(parts: readonly DiffPart[]): DiffPart[] {
  const merged: DiffPart[] = [];
  let out = '';
  let into = '';
  const flush = (): void => {
    if (out !== '') merged.push(removed(out));
    if (into !== '') merged.push(added(into));
    out = '';
    into = '';
  };
  for (const { kind, text } of parts) {
    if (kind === 'removed') out += text;
    else if (kind === 'added') into += text;
    else {
      flush();
      const last = merged.at(-1);
      if (last?.kind === 'same') merged[merged.length - 1] = same(last.text + text);
      else merged.push(same(text));
    }
  }
  flush();
  return merged;
}

/** Texts that are wider than this, in columns, are worth comparing word by word. */
const WIDEST_SHORT_TEXT = 60;
/** Texts that have less than this in common are easier to read one after the other. */
const LEAST_COMMON = 0.35;

/**
 * A text of the user's so that what is in it can be seen: nothing that a terminal would obey, spaces that are not the
 * common one as `␣`, and quotes where it is empty or has white space at an end.
 */
export function showText(text: string): string {
  const shown = escapeControls(text).replaceAll(/[^\S \u3000]/g, '␣');
  return text === '' || text.trim() !== text ? `"${shown}"` : shown;
}

/** Two texts that differ, so that the difference can be seen even where it is one of code points alone. */
export function showTexts(before: string, after: string): [string, string] {
  const shown: [string, string] = [showText(before), showText(after)];
  if (shown[0].normalize('NFC') !== shown[1].normalize('NFC')) return shown;
  return [showCodePoints(before), showCodePoints(after)];
}

/** Two long texts as one, with what was taken out and put in; null for texts that are better shown one after the other. */
export function showAsOneText(before: string, after: string): DiffPart[] | null {
  if (Math.max(cellWidth(before), cellWidth(after)) <= WIDEST_SHORT_TEXT) return null;
  const parts = diffWords(...showTexts(before, after));
  return similarity(parts) < LEAST_COMMON ? null : parts;
}

/** Every character beyond ASCII by its number. */
function showCodePoints(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/gu, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}
