/**
 * Collapses blocks behind a summary line.
 *
 * @param summary inline HTML
 * @returns empty without blocks
 */
export function foldMarkdown(summary: string, blocks: readonly string[]): string {
  if (blocks.length === 0) return '';
  return [`<details><summary>${summary}</summary>`, ...blocks, '</details>'].join('\n\n');
}

/** Tables with more rows collapse the rows after the first `OPEN` ones. */
const MOST_OPEN = 15;
const OPEN = 10;

/**
 * Formats a table, collapsing the end of a long one. @param columns its first two lines @param what returns the summary of
 * the collapsed rows
 */
export function foldedTable(columns: string, rows: readonly string[], what: (missing: number) => string): string {
  const shown = rows.length > MOST_OPEN ? OPEN : rows.length;
  if (shown === 0) return '';
  const table = (some: readonly string[]): string => [columns, ...some].join('\n');
  if (shown === rows.length) return table(rows);
  return `${table(rows.slice(0, shown))}\n\n${foldMarkdown(what(rows.length - shown), [table(rows.slice(shown))])}`;
}

/**
 * Formats items until the room is used up; later items are not formatted.
 *
 * @param room for all results, each followed by a line break and an empty line
 * @param measure UTF-16 code units by default
 */
export function takeWhileFits<T>(
  items: readonly T[],
  room: number,
  make: (item: T) => string,
  measure: (text: string) => number = (text) => text.length,
): string[] {
  const blocks: string[] = [];
  let left = room;
  for (const item of items) {
    const block = make(item);
    left -= measure(block) + 2;
    if (left < 0) break;
    blocks.push(block);
  }
  return blocks;
}
