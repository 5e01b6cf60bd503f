import { LINE_END } from '../../template/lottie/slots/lottie-slots.ts';
import { breakLines, breakOpportunities, type LineRange, widestWord, widthOf } from './break-lines.ts';
import { type Extent, findScale, inkOf, textExtent } from './fit-text.ts';
import type { FontStack } from './font-stack.ts';
import { itemizeParagraph, type Paragraph } from './itemize-paragraph.ts';
import { type Cell, shapeParagraph } from './shape-paragraph.ts';
import { alignmentOf, type TextSpec } from './text-layers.ts';
import { placeLine, type TextLine } from './typeset-line.ts';

/** A text broken into lines. */
export interface TextLayout {
  /** Font size in pixels: that of the document, or the size that fits the box. */
  readonly size: number;
  /** Distance of the baselines, in pixels. */
  readonly lineHeight: number;
  /** From the top, without the lines that After Effects does not draw. */
  readonly lines: readonly TextLine[];
  /** Position of the first baseline in the layer, in pixels. */
  readonly baseline: number;
  /** How far the text exceeds its box, as a share of the box's height or width, whichever is larger; 0 when it fits. */
  readonly overflow: number;
  /** Grapheme clusters without a glyph in any font, without duplicates. */
  readonly missing: readonly string[];
}

/** A hyphen that is visible only at the end of a line. */
const SOFT_HYPHEN = '\u00ad';
/** Overflow by a smaller share of the box is a rounding error. */
const TOLERANCE = 0.005;

/**
 * Lays out a text: finds its size, breaks it into lines and positions them.
 *
 * @param stack not empty
 * @param ascent from the document, in ems; null if the font's ascent applies
 */
export function layOutText(spec: TextSpec, stack: FontStack, ascent: number | null): TextLayout {
  const firstFont = stack[0]!;
  const paragraphs = prepareText(spec, stack);
  const metrics = { ascent: ascent ?? firstFont.ascent, descent: firstFont.descent };
  const isInkOnly = spec.vertical?.startsWith('ink-') ?? false;

  const attempt = (scale: number): Attempt => {
    const [size, lineHeight] = [spec.size * scale, spec.lineHeight * scale];
    const maxWidth = spec.box === null ? Infinity : spec.box.width / (size || 1);
    const ranges = paragraphs.map(({ cells, breaks }) =>
      breakLines({ cells, breaks, maxWidth, tracking: spec.tracking, splitsWords: spec.resize === 'none' }),
    );
    const rows = paragraphs.flatMap(({ cells }, index) => ranges[index]!.map(({ from, to }) => cells.slice(from, to)));
    const extent = textExtent({ inks: rows.map(inkOf), size, lineHeight, ...metrics, isInkOnly });
    const width = Math.max(0, ...rows.map((cells) => widthOf(cells, spec.tracking))) * size;
    return { size, lineHeight, ranges, lineCount: rows.length, extent, width };
  };

  const final = attempt(findScale(spec, (scale) => fits(attempt(scale), spec)));
  const ascentPx = metrics.ascent * final.size;
  const lines = finalLines(paragraphs, final, spec);
  return {
    size: final.size,
    lineHeight: final.lineHeight,
    lines: spec.box !== null && spec.vertical === null ? drawnLines(lines, final, spec, ascentPx) : lines,
    baseline: firstBaseline(final, spec, ascentPx),
    overflow: overflowOf(paragraphs, final, spec, ascentPx),
    missing: missingIn(paragraphs),
  };
}

/** Returns the position of a line's left end in the layer, in pixels. */
export function lineLeft({ width }: TextLine, spec: TextSpec, size: number): number {
  const room = (spec.box?.width ?? 0) - width * size;
  const alignment = alignmentOf(spec);
  if (alignment === 0) return spec.x;
  return spec.x + (alignment === 1 ? room : room / 2);
}

interface Attempt {
  readonly size: number;
  readonly lineHeight: number;
  /** Lines of each paragraph. */
  readonly ranges: readonly LineRange[][];
  readonly lineCount: number;
  readonly extent: Extent;
  /** Width of the widest line, in pixels. */
  readonly width: number;
}

function fits({ lineCount, width, extent }: Attempt, { box, maxLines }: TextSpec): boolean {
  return (
    box === null || (lineCount <= maxLines && width <= box.width + 1e-3 && extent.bottom - extent.top <= box.height)
  );
}

function finalLines(paragraphs: readonly PreparedParagraph[], { ranges, size }: Attempt, spec: TextSpec): TextLine[] {
  const { tracking, justification, box } = spec;
  return paragraphs.flatMap((paragraph, index) => {
    const lines = ranges[index]!;
    return lines.map(({ from, to }, line) => {
      const isLast = line === lines.length - 1;
      const isFilled = box !== null && (justification === 6 || (justification >= 3 && !isLast));
      const cells = lines.length === 1 ? paragraph.cells : lineCells(paragraph, from, to, tracking !== 0);
      const fillTo = isFilled ? box.width / size : null;
      return placeLine(cells, { baseLevel: paragraph.baseLevel, tracking, fillTo });
    });
  });
}

/** Shapes a line again, because letters may have other forms at its ends and are not kerned across them. */
function lineCells(paragraph: PreparedParagraph, from: number, to: number, isTracked: boolean): Cell[] {
  const { cells, text, runs } = paragraph;
  const start = cells[from]?.start ?? text.length;
  const end = cells[to]?.start ?? text.length;
  const line = shapeParagraph(paragraph, start, end, isTracked);
  const run = runs.find((candidate) => candidate.end >= end);
  const isHyphenated = cells[to] !== undefined && text.charAt(end - 1) === SOFT_HYPHEN;
  if (!isHyphenated || run === undefined || run.font === null) return line;
  const hyphen = { ...paragraph, text: '-', runs: [{ ...run, start: 0, end: 1 }] };
  return [...line, ...shapeParagraph(hyphen, 0, 1, isTracked).map((cell) => ({ ...cell, start: end, end }))];
}

/** Removes lines with baselines below the box, which After Effects does not draw. */
function drawnLines(
  lines: readonly TextLine[],
  { lineHeight }: Attempt,
  { box }: TextSpec,
  ascentPx: number,
): TextLine[] {
  return lines.filter((_, index) => index === 0 || index * lineHeight <= box!.height - ascentPx + 1e-3);
}

function firstBaseline({ extent }: Attempt, { box, y, vertical, baselineShift }: TextSpec, ascentPx: number): number {
  const shifted = y - baselineShift;
  if (box === null) return shifted;
  switch (vertical) {
    case null:
      return shifted + ascentPx;
    case 'top':
    case 'ink-top':
      return shifted - extent.top;
    case 'center':
    case 'ink-center':
      return shifted + box.height / 2 - (extent.top + extent.bottom) / 2;
    case 'bottom':
    case 'ink-bottom':
      return shifted + box.height - extent.bottom;
  }
}

function overflowOf(
  paragraphs: readonly PreparedParagraph[],
  final: Attempt,
  { box, tracking, resize }: TextSpec,
  ascentPx: number,
): number {
  if (box === null) return 0;
  const { size, lineHeight, lineCount, extent } = final;
  const widest = Math.max(0, ...paragraphs.map(({ cells, breaks }) => widestWord(cells, breaks, tracking))) * size;
  // Descenders of the last line below the lower edge are acceptable in a box that does not resize its text.
  const height = resize === 'none' ? ascentPx + (lineCount - 1) * lineHeight : extent.bottom - extent.top;
  const overflow = Math.max(widest / box.width, height / box.height) - 1;
  return overflow > TOLERANCE ? overflow : 0;
}

function missingIn(paragraphs: readonly PreparedParagraph[]): string[] {
  const missing = paragraphs.flatMap(({ text, cells }) =>
    cells.filter((cell) => cell.isMissing).map(({ start, end }) => text.slice(start, end)),
  );
  return [...new Set(missing)];
}

/** A paragraph shaped as a single line, independently of its size. */
interface PreparedParagraph extends Paragraph {
  readonly cells: readonly Cell[];
  readonly breaks: ReadonlySet<number>;
}

/** Scale of synthesised small capitals, as in Adobe's programs. */
const SMALL_CAPS = 0.7;

/** Returns the paragraphs of a text after applying capitals, each shaped as a single line. */
function prepareText({ text, caps, tracking }: TextSpec, stack: FontStack): PreparedParagraph[] {
  return text
    .toWellFormed()
    .replaceAll('\t', ' ')
    .split(LINE_END)
    .map((original) => {
      const { text: words, scaleAt } = capitalize(original, caps);
      const paragraph = itemizeParagraph(words, stack, scaleAt);
      const cells = shapeParagraph(paragraph, 0, words.length, tracking !== 0);
      return { ...paragraph, cells, breaks: breakOpportunities(words) };
    });
}

function capitalize(text: string, caps: TextSpec['caps']): { text: string; scaleAt: (index: number) => number } {
  if (caps === 'none') return { text, scaleAt: () => 1 };
  if (caps === 'all') return { text: text.toUpperCase(), scaleAt: () => 1 };
  const scales: number[] = [];
  let words = '';
  for (const character of text) {
    const upper = character.toUpperCase();
    words += upper;
    for (let unit = 0; unit < upper.length; unit++) scales.push(upper === character ? 1 : SMALL_CAPS);
  }
  return { text: words, scaleAt: (index) => scales[index] ?? 1 };
}
