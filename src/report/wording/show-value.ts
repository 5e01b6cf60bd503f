import { cellWidth } from './cell-width.ts';
import { escapeControls } from './escape-controls.ts';
import { type DiffPart, diffWords, similarity } from './word-diff.ts';

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
