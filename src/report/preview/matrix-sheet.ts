import { packRenderInput } from '../../engine/packed-input.ts';
import type { TablePlace } from '../../reconciler/definition/matrix-place.ts';
import type { InputFont } from '../../template/render-input.ts';
import { even, type SheetArea, type SheetPicture, type SheetText, sheetInput } from './contact-sheet.ts';
import type { MatrixSheet, PreviewImage } from './plan-preview.ts';
import type { PreviewRenderer } from './preview-video.ts';

/** A definition with variants or locales as a table: a line for each locale, a column for each variant and row. */
export interface MatrixGrid {
  /** Id of the definition. */
  readonly definition: string;
  readonly lines: readonly string[];
  readonly columns: readonly string[];
  readonly cells: readonly GridCell[];
  /** Number of its videos that the table has no place for. */
  readonly hidden: number;
}

export interface GridCell extends TablePlace {
  /** Null for a combination that has no video. */
  readonly id: string | null;
  /** State of the video: `new`, `up to date`, `waits for translation: 2 texts`. */
  readonly words: string;
  /** How the picture changes; null if it does not. */
  readonly change: 'create' | 'update' | null;
  /** False for videos that wait and for combinations without a video. */
  readonly isDrawn: boolean;
}

interface MatrixSheetOptions {
  /** Fonts of the labels. */
  readonly fonts: readonly InputFont[];
  /** Returns the picture of a video; null if it was not drawn. */
  pictureOf(id: string): PreviewImage | null;
  readonly draw: Pick<PreviewRenderer, 'compare'>;
}

/** Lengths in pixels. */
const MARGIN = 20;
const GAP = 16;
const FRAME = 4;
const LABEL_WIDTH = 96;
const LABEL_SIZE = 18;
const LABEL_HEIGHT = 32;
const WORDS_SIZE = 15;
const WORDS_HEIGHT = 26;
/** Room of all pictures of a line, and the largest of one. */
const LINE_WIDTH = 1_000;
const TALLEST = 220;
const NARROWEST = 150;
const WIDEST = 320;
/** Mean width of a letter, in shares of its size. */
const LETTER = 0.56;
const JPEG_QUALITY = 82;

const COLORS = {
  create: [0.34, 0.83, 0.39],
  update: [0.92, 0.7, 0.25],
  empty: [0.16, 0.18, 0.21],
  dim: [0.6, 0.64, 0.69],
};

/**
 * Draws the table of a definition: a line for each locale, a column for each variant and row, a picture in each cell with its state
 * below. New and changed videos have a frame; a cell without a picture says why.
 */
export async function matrixSheet(grid: MatrixGrid, options: MatrixSheetOptions): Promise<MatrixSheet> {
  const { definition, lines, columns, cells, hidden } = grid;
  const pictures = new Map(cells.map((cell) => [cell, cell.id === null ? null : options.pictureOf(cell.id)]));
  const room = Math.min(WIDEST, Math.max(NARROWEST, Math.floor(LINE_WIDTH / columns.length)));
  // A cell without a picture is as large as those of its column.
  const sizes = new Map(
    columns.map((name) => {
      const shown = cellsOf(cells, 'column', name).flatMap((cell) => pictures.get(cell) ?? []);
      return [name, scaledSize(shown[0] ?? { width: 16, height: 9 }, room)];
    }),
  );
  const sizeOf = (cell: GridCell) => {
    const picture = pictures.get(cell) ?? null;
    return picture === null ? sizes.get(cell.column)! : scaledSize(picture, room);
  };
  const widths = columns.map((name) =>
    Math.max(NARROWEST, ...cellsOf(cells, 'column', name).map((cell) => sizeOf(cell).width)),
  );
  const heights = lines.map((name) => Math.max(...cellsOf(cells, 'line', name).map((cell) => sizeOf(cell).height)));
  const lefts = starts(widths, MARGIN + LABEL_WIDTH, GAP);
  const hasNames = columns.some((name) => name !== '');
  const tops = starts(heights, MARGIN + (hasNames ? LABEL_HEIGHT : 0), WORDS_HEIGHT + GAP);
  const texts: SheetText[] = [
    ...columns.map((name, index) => label(name, lefts[index]!, MARGIN + LABEL_SIZE, widths[index]!)),
    ...lines.map((name, index) => label(name, MARGIN, tops[index]! + LABEL_SIZE, LABEL_WIDTH - GAP)),
  ];
  const [shown, areas]: [SheetPicture[], SheetArea[]] = [[], []];
  for (const cell of cells) {
    const [column, line] = [columns.indexOf(cell.column), lines.indexOf(cell.line)];
    const [x, y] = [lefts[column]!, tops[line]!];
    const picture = pictures.get(cell) ?? null;
    if (picture === null) {
      areas.push({ x, y, width: widths[column]!, height: heights[line]!, color: COLORS.empty });
      const words = cell.isDrawn ? `${cell.words}, not drawn` : cell.words;
      texts.push(...emptyWords(words, { x, y, width: widths[column]!, height: heights[line]! }));
      continue;
    }
    const size = sizeOf(cell);
    const color = cell.change === null ? COLORS.dim : COLORS[cell.change];
    if (cell.change !== null)
      areas.push({ x: x - FRAME, y: y - FRAME, width: size.width + 2 * FRAME, height: size.height + 2 * FRAME, color });
    shown.push({ x, y, ...size, bytes: picture.bytes });
    texts.push({ ...label(cell.words, x, y + size.height + FRAME + WORDS_SIZE, widths[column]!, WORDS_SIZE), color });
  }
  const width = even(lefts.at(-1)! + widths.at(-1)! + MARGIN);
  const height = even(tops.at(-1)! + heights.at(-1)! + WORDS_HEIGHT + MARGIN);
  const sheet = sheetInput({ width, height, texts, pictures: shown, areas, fonts: options.fonts });
  const [drawn] = await options.draw.compare({
    before: null,
    after: packRenderInput(sheet),
    jpegQuality: JPEG_QUALITY,
  });
  return { definition, hidden, image: { bytes: drawn!.after!, contentType: 'image/jpeg', width, height, url: null } };
}

/** Lays out why a cell has no picture. */
function emptyWords(words: string, { x, y, width, height }: Omit<SheetArea, 'color'>): SheetText[] {
  const [lineHeight, padding] = [WORDS_SIZE * 1.35, 10];
  const lines = wrap(words, width - 2 * padding, WORDS_SIZE);
  const most = Math.max(1, Math.floor((height - padding) / lineHeight));
  return lines.slice(0, most).map((line, index) => {
    const text = index === most - 1 && lines.length > most ? `${line}…` : line;
    return {
      x: x + padding,
      y: y + padding + WORDS_SIZE + lineHeight * index,
      text,
      size: WORDS_SIZE,
      color: COLORS.dim,
    };
  });
}

function cellsOf(cells: readonly GridCell[], side: 'line' | 'column', name: string): GridCell[] {
  return cells.filter((cell) => cell[side] === name);
}

/** Scales a picture into the room of a cell. */
function scaledSize({ width: w, height: h }: Pick<PreviewImage, 'width' | 'height'>, room: number) {
  const scale = Math.min(room / w, TALLEST / h);
  return { width: Math.max(1, Math.round(w * scale)), height: Math.max(1, Math.round(h * scale)) };
}

/** Returns where each of some lengths begins. */
function starts(lengths: readonly number[], first: number, gap: number): number[] {
  let next = first;
  return lengths.map((length) => {
    const start = next;
    next += length + gap;
    return start;
  });
}

/** Cuts a label to the width, in which the end of an id differs most. */
function label(text: string, x: number, y: number, width: number, size = LABEL_SIZE): SheetText {
  const most = Math.floor(width / (size * LETTER));
  return { x, y, size, text: text.length <= most ? text : `…${text.slice(text.length - most + 1)}` };
}

function wrap(text: string, width: number, size: number): string[] {
  const most = Math.floor(width / (size * LETTER));
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= most) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
