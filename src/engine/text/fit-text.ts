import { remembered } from '../../kernel/memory.ts';
import type { Cell } from './shape-paragraph.ts';
import type { TextSpec } from './text-layers.ts';

/** Extent of a line's ink above and below its baseline, in ems, y upwards. */
interface Ink {
  readonly top: number;
  readonly bottom: number;
}

/** Vertical extent of a text in pixels from its first baseline, y downwards. */
export interface Extent {
  readonly top: number;
  readonly bottom: number;
}

interface ExtentRequest {
  /** Ink of each line from the top; null for a line without ink. */
  readonly inks: readonly (Ink | null)[];
  /** Pixels. */
  readonly size: number;
  readonly lineHeight: number;
  /** Ascent and descent of the text's own font, in ems. */
  readonly ascent: number;
  readonly descent: number;
  /** Counts only ink, without the font's ascent and descent. */
  readonly isInkOnly: boolean;
}

/**
 * Computes the vertical extent of a text. Rounds ink to whole pixels, as the rasteriser does, so that positions agree.
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

/** Returns the extent of a line's ink. */
export function inkOf(cells: readonly Cell[]): Ink | null {
  let ink: Ink | null = null;
  for (const cell of cells) {
    const cellInk = inkOfCell(cell);
    if (cellInk !== null) ink = ink === null ? cellInk : union(ink, cellInk);
  }
  return ink;
}

function union(first: Ink, second: Ink): Ink {
  return { top: Math.max(first.top, second.top), bottom: Math.min(first.bottom, second.bottom) };
}

const inkOfCell = remembered(({ glyphs, scale, isColored }: Cell): Ink | null => {
  if (isColored) {
    // Emoji pictures fill the font's ascent and descent.
    const { ascent, descent } = glyphs[0]!.font;
    return { top: ascent * scale, bottom: -descent * scale };
  }
  let ink: Ink | null = null;
  for (const { font, glyph, y } of glyphs) {
    const { top, bottom } = font.boundsOf(glyph);
    if (top === bottom) continue;
    const glyphInk = { top: y + top * scale, bottom: y + bottom * scale };
    ink = ink === null ? glyphInk : union(ink, glyphInk);
  }
  return ink;
});

/** Equals the limit of the rasteriser's own search, so that texts without kerning get the size that it would choose. */
const MAX_TRIES = 16;

/**
 * Finds the scale of a text that follows its box: the largest at which it fits, or the smallest allowed if it never
 * fits. Doubles or halves until it has bounds on both sides, then bisects.
 *
 * @param fits returns whether the text fits at a scale
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
