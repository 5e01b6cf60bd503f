/**
 * Where a text stands among texts in the order of their code units; -1 for one that does not. Cheaper than a map of all
 * where few are looked for.
 */
export function indexOfSorted(texts: readonly string[], text: string): number {
  return searchSorted(texts.length, (index) => (texts[index]! < text ? -1 : texts[index]! > text ? 1 : 0));
}

/**
 * Where something stands among so many that are in order; -1 when it is not there.
 *
 * @param compare less than 0 for one before what is looked for, 0 for that itself
 */
export function searchSorted(count: number, compare: (index: number) => number): number {
  let [low, high] = [0, count - 1];
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const order = compare(middle);
    if (order === 0) return middle;
    if (order < 0) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}
