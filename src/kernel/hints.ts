/** UTF-16 code units. Longer words are not typed by hand, and the time of a comparison grows with the square of the length. */
const MAX_WORD_LENGTH = 200;
const MAX_CANDIDATES = 2_000;

/**
 * Returns the candidate with the fewest edits from a mistyped word, ignoring case, for “Did you mean …?”. Swapping two
 * neighbouring letters is one edit. A word is also compared with the last segments of a candidate with `/`: `dune` matches
 * `launch/dune`. Returns `null` if more than a third of the letters differ in each; the first wins a tie.
 */
export function closestMatch(word: string, candidates: Iterable<string>): string | null {
  let best: string | null = null;
  let bestDistance = Number.POSITIVE_INFINITY;
  let compared = 0;
  for (const candidate of candidates) {
    compared += 1;
    if (compared > MAX_CANDIDATES) break;
    const distance = Math.min(nearDistance(word, candidate), nearDistance(word, lastParts(candidate, word)));
    if (distance >= bestDistance) continue;
    best = candidate;
    bestDistance = distance;
  }
  return best;
}

/** Returns the hint “Did you mean …?” with the closest candidate; undefined if there is none. */
export function didYouMean(word: string, candidates: Iterable<string>): string | undefined {
  const meant = closestMatch(word, candidates);
  return meant === null ? undefined : `Did you mean ${meant}?`;
}

/** Returns the end of a sentence about an unknown word: “; did you mean …?”, or nothing. */
export function suggestion(word: string, candidates: Iterable<string>): string {
  const meant = closestMatch(word, candidates);
  return meant === null ? '' : `; did you mean ${meant}?`;
}

/** Returns the last segments of a path, as many as `word` has. */
function lastParts(path: string, word: string): string {
  return path.split('/').slice(-word.split('/').length).join('/');
}

/** Returns the number of edits between two words, or infinity if they are too different. */
function nearDistance(word: string, candidate: string): number {
  const longest = Math.max(word.length, candidate.length);
  const allowed = Math.max(1, Math.floor(longest / 3));
  // The difference in length is the least number of edits.
  if (word === '' || longest > MAX_WORD_LENGTH || Math.abs(word.length - candidate.length) > allowed)
    return Number.POSITIVE_INFINITY;
  const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
  return distance > allowed ? Number.POSITIVE_INFINITY : distance;
}

/**
 * Returns the optimal string alignment distance in UTF-16 code units: insertions, deletions, substitutions and
 * transpositions of neighbours.
 *
 * @see https://en.wikipedia.org/wiki/Damerau–Levenshtein_distance#Optimal_string_alignment_distance
 */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      let edits = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (isSame ? 0 : 1));
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (isSwapped) edits = Math.min(edits, beforeLast[j - 2]! + 1);
      row.push(edits);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length]!;
}

/** Joins names for a sentence, and shortens a long list to “a, b and 3 more”. */
export function formatList(names: readonly string[], most = 12): string {
  if (names.length <= most) return names.join(', ');
  return `${names.slice(0, most - 2).join(', ')} and ${names.length - most + 2} more`;
}
