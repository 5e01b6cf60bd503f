/**
 * Blocks of Markdown that are there when they are folded out.
 *
 * @param summary HTML within a line
 * @returns empty without blocks
 */
export function foldMarkdown(summary: string, blocks: readonly string[]): string {
  if (blocks.length === 0) return '';
  return [`<details><summary>${summary}</summary>`, ...blocks, '</details>'].join('\n\n');
}

/** With more rows than this, those behind the first ones are folded. */
const MOST_OPEN = 15;
const OPEN = 10;

/** A table, of which a long one shows its first rows alone. @param columns its first two lines @param what of its folded rows */
export function foldedTable(columns: string, rows: readonly string[], what: (missing: number) => string): string {
  const shown = rows.length > MOST_OPEN ? OPEN : rows.length;
  if (shown === 0) return '';
  const table = (some: readonly string[]): string => [columns, ...some].join('\n');
  if (shown === rows.length) return table(rows);
  return `${table(rows.slice(0, shown))}\n\n${foldMarkdown(what(rows.length - shown), [table(rows.slice(shown))])}`;
}

/**
 * What is made of the first things, as many as fit together; of the rest nothing is made.
 *
 * @param room for all of them, each with a line's end and a blank line behind it
 * @param measure UTF-16 code units when absent
 */
export function thatFit<T>(
  things: readonly T[],
  room: number,
  make: (thing: T) => string,
  measure: (text: string) => number = (text) => text.length,
): string[] {
  const blocks: string[] = [];
  let left = room;
  for (const thing of things) {
    const block = make(thing);
    left -= measure(block) + 2;
    if (left < 0) break;
    blocks.push(block);
  }
  return blocks;
}
