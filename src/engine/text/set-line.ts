import { trackingAfter } from './break-lines.ts';
import type { Line, PlacedCell } from './place-line.ts';
import type { Cell } from './shape-paragraph.ts';

/** One character of a set text, as the rasteriser gets it; lengths in ems. */
export type SetCharacter =
  | { readonly kind: 'space' }
  | {
      readonly kind: 'cell';
      readonly cell: Cell;
      /** From the pen to the left end of the cell. */
      readonly shift: number;
      /** How far the pen goes: to the left where it is negative. */
      readonly advance: number;
    };

/**
 * `visual` goes from left to right. `reading` goes from right to left, with the pieces of other directions where a reader
 * comes to them: so that what runs over the characters of a text runs as it is read.
 */
export type SetOrder = 'visual' | 'reading';

const PRECISION = 1e5;

/** The advance that most spaces of some lines have, by which they are one character; 0.25 where there is none. */
export function spaceAdvance(lines: readonly Line[], tracking: number, order: SetOrder): number {
  for (const { cells } of lines) {
    const space = cells.find(({ cell }) => cell.isSpace)?.cell;
    if (space === undefined) continue;
    const advance = round(space.advance + trackingAfter(space, tracking));
    return order === 'visual' ? advance : -advance;
  }
  return order === 'visual' ? 0.25 : -0.25;
}

/**
 * The characters of a line, such that a pen that only goes on by their advances puts each cell in its place. All spaces
 * have one advance; what another one has more or less, the letter before it gets.
 *
 * The pen ends a line's width from where it began: to the right in visual order, to the left in reading order.
 */
export function setLine(line: Line, order: SetOrder, space: number): SetCharacter[] {
  const cells = order === 'visual' ? line.cells : line.cells.toSorted((a, b) => a.cell.start - b.cell.start);
  const pens = cells.map((placed, index) => (index === 0 ? beginOf(line, order) : leadingEdge(placed, order)));
  pens.push(order === 'visual' ? line.width : 0);
  giveSpacesOneAdvance(cells, pens, space);

  let pen = pens[0]!;
  const characters = cells.map(({ cell, left }, index): SetCharacter => {
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

function beginOf(line: Line, order: SetOrder): number {
  return order === 'visual' ? 0 : line.width;
}

/** Where a reader comes to a cell. */
function leadingEdge({ cell, left, width }: PlacedCell, order: SetOrder): number {
  return order === 'reading' && cell.level % 2 === 1 ? left + width : left;
}

/** Moves the pen before each space to where its one advance leads to what comes after it. */
function giveSpacesOneAdvance(cells: readonly PlacedCell[], pens: number[], space: number): void {
  for (let index = cells.length - 1; index > 0; index--) {
    if (cells[index]!.cell.isSpace) pens[index] = pens[index + 1]! - space;
  }
}

function round(value: number): number {
  return Math.round(value * PRECISION) / PRECISION;
}
