import type { Cell } from './shape-paragraph.ts';

/** How far a line's ink reaches from its baseline, in ems, y upwards. */
export interface Ink {
  readonly top: number;
  readonly bottom: number;
}

/** Ends of a text in pixels from its first baseline, y downwards. */
export interface Extent {
  readonly top: number;
  readonly bottom: number;
}

export interface ExtentRequest {
  /** Of the lines from above; null for a line without ink. */
  readonly inks: readonly (Ink | null)[];
  /** Pixels. */
  readonly size: number;
  readonly lineHeight: number;
  /** Of the text's own font, in ems. */
  readonly ascent: number;
  readonly descent: number;
  /** Whether only ink counts, or also what the font reserves. */
  readonly isInkOnly: boolean;
}

/**
 * What a text takes vertically. Ink is counted in whole pixels, as the rasteriser does that our positions have to agree
 * with.
 */
export function textExtent({ inks, size, lineHeight, ascent, descent, isInkOnly }: ExtentRequest): Extent {
  let top = isInkOnly ? Infinity : -ascent * size;
  let bottom = isInkOnly ? -Infinity : descent * size + (inks.length - 1) * lineHeight;
  for (const [line, ink] of inks.entries()) {
    if (ink === null) continue;
    top = Math.min(top, line * lineHeight - Math.ceil(ink.top * size));
    bottom = Math.max(bottom, line * lineHeight - Math.floor(ink.bottom * size));
  }
  return top <= bottom ? { top, bottom } : { top: 0, bottom: 0 };
}

const known = new WeakMap<Cell, Ink | null>();

/** The ink of a line. */
export function inkOf(cells: readonly Cell[]): Ink | null {
  let ink: Ink | null = null;
  for (const cell of cells) {
    const own = known.get(cell) ?? inkOfCell(cell);
    known.set(cell, own);
    if (own === null) continue;
    ink = ink === null ? own : { top: Math.max(ink.top, own.top), bottom: Math.min(ink.bottom, own.bottom) };
  }
  return ink;
}

function inkOfCell({ glyphs, scale, isColored }: Cell): Ink | null {
  // The pictures of an emoji font fill what it reserves.
  const { font: own } = glyphs[0]!;
  if (isColored) return { top: own.ascent * scale, bottom: -own.descent * scale };
  let ink: Ink | null = null;
  for (const { font, glyph, y } of glyphs) {
    const { top, bottom } = font.boundsOf(glyph);
    if (top === bottom) continue;
    const edges = { top: y + top * scale, bottom: y + bottom * scale };
    ink = ink === null ? edges : { top: Math.max(ink.top, edges.top), bottom: Math.min(ink.bottom, edges.bottom) };
  }
  return ink;
}
