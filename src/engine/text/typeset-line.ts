import { trackingAfter } from './break-lines.ts';
import type { Cell } from './shape-paragraph.ts';

/** A cell on its line. */
export interface PlacedCell {
  readonly cell: Cell;
  /** In ems from the line's left end. */
  readonly left: number;
  /** In ems, including the widening of spaces, without tracking. */
  readonly width: number;
}

/** A positioned line of a text. */
export interface TextLine {
  /** 1 for a line of a right-to-left paragraph. */
  readonly baseLevel: number;
  /** From left to right, without trailing white space. */
  readonly cells: readonly PlacedCell[];
  /** Number of white-space cells at the end of the line. */
  readonly trailingSpaces: number;
  /** In ems. */
  readonly width: number;
}

/**
 * Positions the cells of a line in visual order.
 *
 * @param cells in text order
 * @param fillTo width in ems to widen spaces to; null for the natural width
 * @see Unicode Standard Annex #9, rules L1 and L2
 */
export function placeLine(
  cells: readonly Cell[],
  { baseLevel, tracking, fillTo }: { baseLevel: number; tracking: number; fillTo: number | null },
): TextLine {
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

/** A character of a typeset text, as the rasteriser draws it; lengths in ems. */
export type TypesetCharacter =
  | { readonly kind: 'space' }
  | {
      readonly kind: 'cell';
      readonly cell: Cell;
      /** From the pen to the left end of the cell. */
      readonly shift: number;
      /** Movement of the pen; negative to the left. */
      readonly advance: number;
    };

/**
 * `visual` runs from left to right. `reading` runs from right to left, with embedded left-to-right passages in reading order,
 * so that animators progress through the text as it is read.
 */
export type TypesetOrder = 'visual' | 'reading';

const PRECISION = 1e5;

/**
 * Returns the advance of the first space of the lines, which applies to all spaces because they share a character; ±0.25
 * without spaces.
 */
export function spaceAdvance(lines: readonly TextLine[], tracking: number, order: TypesetOrder): number {
  for (const { cells } of lines) {
    const space = cells.find(({ cell }) => cell.isSpace)?.cell;
    if (space === undefined) continue;
    const advance = round(space.advance + trackingAfter(space, tracking));
    return order === 'visual' ? advance : -advance;
  }
  return order === 'visual' ? 0.25 : -0.25;
}

/**
 * Converts a line to characters whose advances move the pen to each cell. All spaces have the same advance; the letter before a
 * space absorbs the difference.
 *
 * The pen ends at a distance of the line's width from its start: to the right in visual order, to the left in reading order.
 */
export function typesetLine(line: TextLine, order: TypesetOrder, space: number): TypesetCharacter[] {
  const cells = order === 'visual' ? line.cells : line.cells.toSorted((a, b) => a.cell.start - b.cell.start);
  const [start, end] = order === 'visual' ? [0, line.width] : [line.width, 0];
  const pens = cells.map((placed, index) => (index === 0 ? start : leadingEdge(placed, order)));
  pens.push(end);
  unifySpaceAdvances(cells, pens, space);

  let pen = pens[0]!;
  const characters = cells.map(({ cell, left }, index): TypesetCharacter => {
    if (cell.isSpace) {
      pen += space;
      return { kind: 'space' };
    }
    const shift = round(left - pen);
    const advance = round(pens[index + 1]! - pen);
    pen += advance;
    return { kind: 'cell', cell, shift, advance };
  });
  for (let index = 0; index < line.trailingSpaces; index++) characters.push({ kind: 'space' });
  return characters;
}

/** Returns the edge at which a reader enters a cell. */
function leadingEdge({ cell, left, width }: PlacedCell, order: TypesetOrder): number {
  return order === 'reading' && cell.level % 2 === 1 ? left + width : left;
}

/** Moves the pen before each space so that the common advance leads to the next cell. */
function unifySpaceAdvances(cells: readonly PlacedCell[], pens: number[], space: number): void {
  for (let index = cells.length - 1; index > 0; index--) {
    if (cells[index]!.cell.isSpace) pens[index] = pens[index + 1]! - space;
  }
}

function round(value: number): number {
  return Math.round(value * PRECISION) / PRECISION;
}
