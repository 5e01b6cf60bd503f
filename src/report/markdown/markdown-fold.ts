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
