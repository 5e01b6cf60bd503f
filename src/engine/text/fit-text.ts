import type { Cell } from './shape-paragraph.ts';
import type { TextSpec } from './text-layers.ts';

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

/** As many as the rasteriser's own search makes, so that texts without kerning come out as large as it would set them. */
const MAX_TRIES = 16;

/**
 * The size of a text that follows its box, as a factor of its own: the largest found at which it fits, or the smallest
 * allowed where none does. The search doubles or halves until it has a size on either side, then divides between them.
 *
 * @param fits whether the text fits at a factor
 */
export function findScale(spec: TextSpec, fits: (scale: number) => boolean): number {
  if (spec.resize === 'none' || spec.size <= 0 || spec.text === '') return 1;
  const smallest = spec.minSize / spec.size;
  const largest = Math.max(spec.maxSize / spec.size, smallest);
  let scale = Math.min(Math.max(1, smallest), largest);
  let best = smallest;
  let fitting = smallest;
  let tooLarge = largest;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const previous = scale;
    if (fits(scale)) {
      best = scale;
      if (spec.resize === 'shrink' && tries === 0) break;
      fitting = scale;
      scale = tooLarge === largest ? Math.min(largest, scale * 2) : (fitting + tooLarge) / 2;
    } else {
      tooLarge = scale;
      scale = fitting === smallest ? Math.max(smallest, scale * 0.5) : (fitting + tooLarge) / 2;
    }
    if (scale === previous) break;
  }
  return best > 0 ? best : scale;
}
