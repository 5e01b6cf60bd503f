import { distance } from 'fastest-levenshtein';

/**
 * The candidate that was probably meant, for hints: the one with the fewest edits, whatever the case; `null` when none
 * is near (more than a third of the letters differ). Of equally near ones the first wins.
 */
export function nearest(word: string, candidates: Iterable<string>): string | null {
  let best: string | null = null;
  let bestDistance = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const edits = distance(word.toLowerCase(), candidate.toLowerCase());
    const allowed = Math.max(1, Math.floor(Math.max(word.length, candidate.length) / 3));
    if (edits > allowed || edits >= bestDistance) continue;
    best = candidate;
    bestDistance = edits;
  }
  return best;
}
