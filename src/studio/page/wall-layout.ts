/** Sizes in CSS pixels. */
export interface WallMeasures {
  readonly width: number;
  /** Height of the pictures that rows aim at. */
  readonly rowHeight: number;
  readonly gap: number;
  readonly captionHeight: number;
  readonly headingHeight: number;
}

interface WallGroup {
  readonly title: string;
  /** Width divided by height of each picture. */
  readonly aspects: readonly number[];
}

interface WallCell {
  readonly index: number;
  readonly left: number;
  readonly width: number;
}

export interface WallRow {
  readonly top: number;
  readonly height: number;
  readonly pictureHeight: number;
  readonly cells: readonly WallCell[];
}

/** The stretch of a group with a title, which stays in view within it. */
export interface WallSection {
  readonly title: string;
  readonly top: number;
  readonly height: number;
}

export interface WallLayout {
  readonly rows: readonly WallRow[];
  readonly sections: readonly WallSection[];
  readonly height: number;
}

/** Narrower and wider pictures are shown within these, so that a title remains readable below them. */
const NARROWEST = 0.56;
const WIDEST = 2.4;
/** How much taller than `rowHeight` a row may become to fill the width. */
const TALLEST = 1.3;

/** Arranges pictures of any shape in rows that fill the width, as on a contact sheet. */
export function layoutWall(groups: readonly WallGroup[], measures: WallMeasures): WallLayout {
  const rows: WallRow[] = [];
  const sections: WallSection[] = [];
  let top = 0;
  let index = 0;
  for (const group of groups) {
    const start = top;
    if (group.title !== '') top += measures.headingHeight;
    let previous = measures.rowHeight;
    for (const aspects of splitRows(group.aspects, measures)) {
      const row = layoutRow(aspects, { index, top, previous }, measures);
      previous = row.pictureHeight;
      rows.push(row);
      top += row.height + measures.gap;
      index += aspects.length;
    }
    if (group.title !== '') sections.push({ title: group.title, top: start, height: top - start });
  }
  return { rows, sections, height: top };
}

/** Returns the range of rows that overlap a stretch of the wall, as half-open indices. */
export function visibleRows(layout: WallLayout, top: number, bottom: number): { first: number; end: number } {
  const first = firstRow(layout.rows, (row) => row.top + row.height > top);
  const end = firstRow(layout.rows, (row) => row.top >= bottom);
  return { first: Math.min(first, end), end };
}

export type Direction = 'left' | 'right' | 'up' | 'down' | 'first' | 'last';

/** Returns the index of the card that an arrow key moves to; up and down choose the closest card of the next row. */
export function nextCell(layout: WallLayout, index: number, direction: Direction): number {
  const { rows } = layout;
  const count = rows.reduce((sum, row) => sum + row.cells.length, 0);
  const at = rows.findIndex((row) => row.cells.some((cell) => cell.index === index));
  if (at === -1) return 0;
  switch (direction) {
    case 'left':
      return Math.max(0, index - 1);
    case 'right':
      return Math.min(count - 1, index + 1);
    case 'first':
      return 0;
    case 'last':
      return count - 1;
    default: {
      const target = rows[at + (direction === 'up' ? -1 : 1)];
      if (target === undefined) return index;
      const current = rows[at]!.cells.find((cell) => cell.index === index)!;
      const distance = (cell: WallCell): number =>
        Math.abs(cell.left + cell.width / 2 - current.left - current.width / 2);
      return target.cells.reduce((best, cell) => (distance(cell) < distance(best) ? cell : best)).index;
    }
  }
}

/** Divides pictures into rows whose height is as close to `rowHeight` as possible. */
function splitRows(aspects: readonly number[], measures: WallMeasures): number[][] {
  const rows: number[][] = [];
  let row: number[] = [];
  for (const aspect of aspects) {
    const shown = Math.min(WIDEST, Math.max(NARROWEST, aspect));
    const wider = [...row, shown];
    if (
      row.length > 0 &&
      Math.abs(error(wider, measures)) > Math.abs(error(row, measures)) &&
      error(wider, measures) < 0
    ) {
      rows.push(row);
      row = [shown];
    } else row = wider;
  }
  if (row.length > 0) rows.push(row);
  return rows;
}

/** Logarithm of the filled row's height, relative to the aim: negative if it is lower. */
function error(row: readonly number[], measures: WallMeasures): number {
  return Math.log(filledHeight(row, measures) / measures.rowHeight);
}

function filledHeight(row: readonly number[], { width, gap }: WallMeasures): number {
  return Math.max(1, width - gap * (row.length - 1)) / row.reduce((sum, aspect) => sum + aspect, 0);
}

interface RowStart {
  readonly index: number;
  readonly top: number;
  /** Height of the row above, for a row that is too short to fill the width. */
  readonly previous: number;
}

function layoutRow(aspects: readonly number[], { index, top, previous }: RowStart, measures: WallMeasures): WallRow {
  const filled = filledHeight(aspects, measures);
  const exact = filled > measures.rowHeight * TALLEST ? previous : filled;
  const height = Math.round(exact);
  let right = 0;
  const cells = aspects.map((aspect, at) => {
    const left = Math.round(right);
    right += aspect * exact;
    const cell = { index: index + at, left, width: Math.floor(right) - left };
    right += measures.gap;
    return cell;
  });
  return { top, height: height + measures.captionHeight, pictureHeight: height, cells };
}

/** Binary search for the first row that meets a condition which all later rows meet, too. */
function firstRow(rows: readonly WallRow[], meets: (row: WallRow) => boolean): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (meets(rows[middle]!)) high = middle;
    else low = middle + 1;
  }
  return low;
}
