import { trackingAfter } from './break-lines.ts';
import type { Cell } from './shape-paragraph.ts';

/** A cell on its line. */
export interface PlacedCell {
  readonly cell: Cell;
  /** In ems from the line's left end. */
  readonly left: number;
  /** In ems, with what is added to spaces; without tracking. */
  readonly width: number;
}

/** A line of a text. */
export interface Line {
  /** 1 for a line of a paragraph that runs from right to left. */
  readonly baseLevel: number;
  /** From left to right, without the white space at the line's end. */
  readonly cells: readonly PlacedCell[];
  /** How much white space the line ends with. */
  readonly trailingSpaces: number;
  /** In ems. */
  readonly width: number;
}

/**
 * Puts the cells of a line side by side, in the order in which they are seen.
 *
 * @param cells in the order of the text
 * @param fillTo width in ems that spaces are widened to reach; null for as it comes
 * @see Unicode Standard Annex #9, rules L1 and L2
 */
export function placeLine(
  cells: readonly Cell[],
  { baseLevel, tracking, fillTo }: { baseLevel: number; tracking: number; fillTo: number | null },
): Line {
  const length = cells.findLastIndex((cell) => !cell.isSpace) + 1;
  const visual = inVisualOrder(cells.slice(0, length));
  const natural = visual.reduce((sum, cell) => sum + cell.advance + trackingAfter(cell, tracking), 0);
  const lastTracking = visual.length === 0 ? 0 : trackingAfter(visual.at(-1)!, tracking);
  const spaces = visual.filter((cell) => cell.isSpace).length;
  const missing = fillTo === null || spaces === 0 ? 0 : Math.max(0, fillTo - (natural - lastTracking));
  const placed: PlacedCell[] = [];
  let pen = 0;
  for (const cell of visual) {
    const width = cell.advance + (cell.isSpace ? missing / spaces : 0);
    placed.push({ cell, left: pen, width });
    pen += width + trackingAfter(cell, tracking);
  }
  return { baseLevel, cells: placed, trailingSpaces: cells.length - length, width: pen - lastTracking };
}

function inVisualOrder(cells: readonly Cell[]): readonly Cell[] {
  const highest = cells.reduce((level, cell) => Math.max(level, cell.level), 0);
  if (highest === 0) return cells;
  const order = [...cells];
  for (let level = highest; level > 0; level--) {
    for (let from = 0; from < order.length; from++) {
      let to = from;
      while (to < order.length && order[to]!.level >= level) to++;
      if (to > from + 1) order.splice(from, to - from, ...order.slice(from, to).reverse());
      if (to > from) from = to;
    }
  }
  return order;
}
