/** A stretch of text that both have, that only the old has, or that only the new has. */
export interface DiffPart {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** Above this many pairs of words the texts are not compared, but shown as replaced. */
const MOST_PAIRS = 250_000;

const words = new Intl.Segmenter('en', { granularity: 'word' });

/**
 * What was taken out and what was put in, word by word, in reading order; a removal comes before the addition that
 * replaces it. Without the added parts the parts are `before`, without the removed ones `after`. Words of scripts without
 * spaces are found too.
 */
export function diffWords(before: string, after: string): DiffPart[] {
  const old = Array.from(words.segment(before), ({ segment }) => segment);
  const now = Array.from(words.segment(after), ({ segment }) => segment);
  if (old.length * now.length > MOST_PAIRS) return merge([removed(before), added(after)]);
  return merge(bridgeSpaces(alignWords(old, now)));
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

/** By a longest common subsequence. */
function alignWords(old: readonly string[], now: readonly string[]): DiffPart[] {
  const width = now.length + 1;
  // common[i * width + j]: how many words old[i..] and now[j..] share
  const common = new Uint32Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      const at = i * width + j;
      common[at] = old[i] === now[j] ? common[at + width + 1]! + 1 : Math.max(common[at + width]!, common[at + 1]!);
    }
  }
  const parts: DiffPart[] = [];
  let i = 0;
  let j = 0;
  while (i < old.length || j < now.length) {
    const at = i * width + j;
    if (i < old.length && j < now.length && old[i] === now[j]) {
      parts.push(same(old[i++]!));
      j++;
    } else if (i < old.length && (j === now.length || common[at + width]! >= common[at + 1]!)) {
      parts.push(removed(old[i++]!));
    } else {
      parts.push(added(now[j++]!));
    }
  }
  return parts;
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
