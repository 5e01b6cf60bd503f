import { diffArrays } from 'diff';
import { cellWidth } from './cell-width.ts';
import { escapeControls } from './display-text.ts';

/** Part of a text in both versions, only in the old version, or only in the new version. */
export interface DiffPart {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** Texts with more changed words are shown as replaced. */
const MAX_EDITS = 500;

let segmenter: Intl.Segmenter | null = null;

/** Latin letters, digits and punctuation: simple rules suffice, and the segmenter's dictionaries take 15 ms to load. */
const PLAIN = /^[\t\n\r\x20-\x7e\u00a0-\u00ac\u00ae-\u00b6\u00b9-\u017f\u2013\u2014\u2018\u2019\u201c-\u201e\u2026]*$/;
/** The Unicode word boundaries that can occur in `PLAIN` text. */
const PLAIN_WORDS = /(?:[\p{L}0-9_]|(?<=\p{L})['‘’.:](?=\p{L})|(?<=[0-9])['‘’.,;](?=[0-9]))+|\r\n| +|[\s\S]/gu;

/** Splits a text into words and the text between them. Joined, they are the text. */
export function wordsOf(text: string): string[] {
  if (PLAIN.test(text)) return text.match(PLAIN_WORDS) ?? [];
  segmenter ??= new Intl.Segmenter('en', { granularity: 'word' });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/**
 * Compares two texts word by word; a removal precedes the addition that replaces it. Unchanged and removed parts add up to
 * `before`, unchanged and added parts to `after`. Also finds words in scripts without spaces.
 */
export function diffWords(before: string, after: string): DiffPart[] {
  const [old, now] = [wordsOf(before), wordsOf(after)];
  const aligned = alignWords(old, now);
  return merge(aligned === null ? [removed(before), added(after)] : bridgeSpaces(aligned));
}

/** Returns the share of the longer text that both versions have in common, 0..1. */
export function similarity(parts: readonly DiffPart[]): number {
  const length = { same: 0, removed: 0, added: 0 };
  for (const { kind, text } of parts) length[kind] += text.trim().length;
  return length.same / Math.max(1, length.same + Math.max(length.removed, length.added));
}

const same = (text: string): DiffPart => ({ kind: 'same', text });
const removed = (text: string): DiffPart => ({ kind: 'removed', text });
const added = (text: string): DiffPart => ({ kind: 'added', text });

function alignWords(old: readonly string[], now: readonly string[]): DiffPart[] | null {
  const changes = diffArrays([...old], [...now], { maxEditLength: MAX_EDITS });
  if (changes === undefined) return null;
  return changes.flatMap(({ value, added: isAdded, removed: isRemoved }) =>
    value.map((word) => (isAdded ? added(word) : isRemoved ? removed(word) : same(word))),
  );
}

/** Treats a space between two changed words as changed, which is easier to read. */
function bridgeSpaces(parts: readonly DiffPart[]): DiffPart[] {
  return parts.flatMap((part, index) => {
    const between = parts[index - 1]?.kind !== 'same' && parts[index + 1]?.kind !== 'same';
    const inside = index > 0 && index < parts.length - 1;
    return part.kind === 'same' && inside && between && /^ +$/.test(part.text)
      ? [removed(part.text), added(part.text)]
      : [part];
  });
}

/** Joins adjacent parts, removals before additions. */
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

/** In columns. Wider texts are compared word by word. */
const WIDEST_SHORT_TEXT = 60;
/** Similarity below which texts are shown in sequence. */
const MIN_COMMON = 0.35;

/**
 * Makes user text visible: escapes control characters, shows unusual spaces as `␣`, and quotes text that is empty or has
 * white space at an end.
 */
export function showText(text: string): string {
  const shown = escapeControls(text).replaceAll(/[^\S \u3000]/g, '␣');
  return text === '' || text.trim() !== text ? `"${shown}"` : shown;
}

/** Formats two different texts so that they look different even if only their code points differ. */
export function showTexts(before: string, after: string): [string, string] {
  const shown: [string, string] = [showText(before), showText(after)];
  if (shown[0].normalize('NFC') !== shown[1].normalize('NFC')) return shown;
  return [showCodePoints(before), showCodePoints(after)];
}

/** Merges two long texts into a single text with marked removals and additions; null if the texts are too short or too different. */
export function showAsOneText(before: string, after: string): DiffPart[] | null {
  if (Math.max(cellWidth(before), cellWidth(after)) <= WIDEST_SHORT_TEXT) return null;
  const parts = diffWords(...showTexts(before, after));
  return similarity(parts) < MIN_COMMON ? null : parts;
}

/** Replaces every non-ASCII character by its code point. */
function showCodePoints(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/gu, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}
