import { diffArrays } from 'diff';

/** A stretch of text that both have, that only the old has, or that only the new has. */
export interface DiffPart {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** With more words than this changed, the texts are shown as replaced. */
const MOST_EDITS = 500;

const words = new Intl.Segmenter('en', { granularity: 'word' });

/**
 * What was taken out and what was put in, word by word, in reading order; a removal comes before the addition that
 * replaces it. Without the added parts the parts are `before`, without the removed ones `after`. Words of scripts without
 * spaces are found too.
 */
export function diffWords(before: string, after: string): DiffPart[] {
  const old = Array.from(words.segment(before), ({ segment }) => segment);
  const now = Array.from(words.segment(after), ({ segment }) => segment);
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
