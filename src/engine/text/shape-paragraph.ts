import type { OpenFont, ShapedGlyph } from './harfbuzz-font.ts';
import { isCursive, type Paragraph, type TextRun } from './itemize-paragraph.ts';

/** A glyph and its position, in ems from the left end of its cell's baseline, y upwards. */
export interface PlacedGlyph {
  readonly font: OpenFont;
  readonly glyph: number;
  readonly x: number;
  readonly y: number;
}

/**
 * The smallest unit of a shaped text: a letter with its marks, a ligature, a conjunct. Lines break only between cells.
 */
export interface Cell {
  /** UTF-16 range in the paragraph's text. */
  readonly start: number;
  readonly end: number;
  readonly glyphs: readonly PlacedGlyph[];
  /** In ems, including kerning. */
  readonly advance: number;
  readonly level: number;
  /** White space between words. */
  readonly isSpace: boolean;
  /** The cell joins its neighbours, as in cursive scripts. */
  readonly isJoined: boolean;
  readonly scale: number;
  /** The font draws the cell in its own colours. */
  readonly isColored: boolean;
  /** No font has a glyph for the cell. */
  readonly isMissing: boolean;
}

const SPACE = /^[\t\u0020\u1680\u2000-\u2006\u2008-\u200a\u205f\u3000]+$/;
const INVISIBLE = /^(?:\p{Default_Ignorable_Code_Point}|\p{Cc})+$/u;
/** Ligatures that are disabled by tracking. */
const OPTIONAL_LIGATURES = ['liga', 'clig'];
const MISSING_ADVANCE = 0.6;

/**
 * Shapes a range of a paragraph. Invisible characters have no cell.
 *
 * @param isTracked whether the text has tracking
 * @returns cells in text order
 */
export function shapeParagraph(paragraph: Paragraph, start: number, end: number, isTracked: boolean): Cell[] {
  return paragraph.runs.flatMap((run) => {
    const piece = { ...run, start: Math.max(run.start, start), end: Math.min(run.end, end) };
    return piece.start < piece.end ? shapeRun(paragraph, piece, isTracked) : [];
  });
}

function shapeRun({ text, firstFont }: Paragraph, run: TextRun, isTracked: boolean): Cell[] {
  const { font, start, end, level, scale } = run;
  if (font === null) return [missingCell(run, firstFont)];
  const joined = isCursive(run.script);
  const without = isTracked && !joined ? OPTIONAL_LIGATURES : [];
  const glyphs = font.shape({ text, start, end, isRtl: level % 2 === 1, without });
  const clusters = groupByCluster(glyphs);
  const cells: Cell[] = [];
  for (const [index, cluster] of clusters.entries()) {
    const cellEnd = clusters[index + 1]?.start ?? end;
    const words = text.slice(cluster.start, cellEnd);
    const { placed, advance } = placeGlyphs(cluster.glyphs, font, scale);
    if (advance === 0 && INVISIBLE.test(words)) continue;
    cells.push({
      start: cluster.start,
      end: cellEnd,
      glyphs: placed,
      advance,
      level,
      isSpace: SPACE.test(words),
      isJoined: joined,
      scale,
      isColored: cluster.glyphs.some(({ glyph }) => font.isColored(glyph)),
      isMissing: false,
    });
  }
  return cells;
}

/** Returns clusters in text order, with the glyphs of each from left to right. */
function groupByCluster(glyphs: readonly ShapedGlyph[]): { start: number; glyphs: ShapedGlyph[] }[] {
  const clusters: { start: number; glyphs: ShapedGlyph[] }[] = [];
  for (const glyph of glyphs) {
    const last = clusters.at(-1);
    if (last?.start === glyph.cluster) last.glyphs.push(glyph);
    else clusters.push({ start: glyph.cluster, glyphs: [glyph] });
  }
  return clusters.sort(byStart);
}

function byStart(first: { readonly start: number }, second: { readonly start: number }): number {
  return first.start - second.start;
}

function placeGlyphs(
  glyphs: readonly ShapedGlyph[],
  font: OpenFont,
  scale: number,
): { placed: PlacedGlyph[]; advance: number } {
  const placed: PlacedGlyph[] = [];
  let pen = 0;
  for (const { glyph, advance, x, y } of glyphs) {
    placed.push({ font, glyph, x: (pen + x) * scale, y: y * scale });
    pen += advance;
  }
  return { placed, advance: pen * scale };
}

/** Returns a cell with the font's box for missing glyphs. */
function missingCell({ start, end, level, scale }: TextRun, font: OpenFont): Cell {
  const glyphs = [{ font, glyph: 0, x: 0, y: 0 }];
  const advance = (font.advanceOf(0) || MISSING_ADVANCE) * scale;
  return {
    start,
    end,
    level,
    scale,
    glyphs,
    advance,
    isSpace: false,
    isJoined: false,
    isColored: false,
    isMissing: true,
  };
}
