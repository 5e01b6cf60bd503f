import { type FullCaptionStyle, fullCaptionStyle } from '../../contract/captions/caption-style.ts';
import type { CaptionLook, CueWord, InputCue } from '../../template/render-input.ts';
import { type LineRange, widthOf } from '../text/break-lines.ts';
import { type FontStack, openStack } from '../text/font-stack.ts';
import type { OpenFont } from '../text/harfbuzz-font.ts';
import { itemizeParagraph } from '../text/itemize-paragraph.ts';
import { type Cell, shapeParagraph } from '../text/shape-paragraph.ts';
import { type PlacedCell, placeLine } from '../text/typeset-line.ts';
import { balanceLines } from './balance-lines.ts';
import { captionBreaks } from './caption-breaks.ts';
import { type CaptionPart, casedCue, dividedAt, dividedByWords, isDialogue, joinedLines } from './caption-text.ts';

/** Pixels of the frame. */
export interface FrameSize {
  readonly width: number;
  readonly height: number;
}

/** A text that is shown at once, broken into lines. Lengths are in pixels of the frame. */
export interface CaptionPage {
  /** Frames, up to `to`. */
  readonly from: number;
  readonly to: number;
  readonly lines: readonly CaptionLine[];
  /** Font size. */
  readonly size: number;
  /** Distance of lines. */
  readonly lineHeight: number;
  /** Of a baseline below the middle of its line. */
  readonly drop: number;
  /** Texts without a glyph in any font. */
  readonly missing: readonly string[];
  /** By how much it exceeds the lines or the width of its style, as a share; 0 when it fits. */
  readonly overflow: number;
}

export interface CaptionLine {
  /** From its left end, in ems. */
  readonly cells: readonly PlacedCell[];
  readonly width: number;
  /** Words that are spoken in it, in the order of the text. */
  readonly words: readonly CaptionWord[];
}

/** A word on its line. */
export interface CaptionWord extends Pick<CueWord, 'to' | 'from'> {
  readonly cells: readonly PlacedCell[];
  readonly isRtl: boolean;
}

/** Least size of a text with a word that is wider than a line, as a share of the size of the style. */
const MIN_SCALE = 0.4;

/** Lays out a cue: one page after the other if it is too long to be shown at once and its words have times. */
export async function layOutCaption(cue: InputCue, look: CaptionLook, frame: FrameSize): Promise<CaptionPage[]> {
  const style = fullCaptionStyle(look.style);
  const cased = casedCue(cue, style, look.lang);
  const stack = await stackOf(cased.text, look, style);
  const pages = dividedByWords(cased, style.words).map((part) =>
    layOutPart(part, { style, stack, frame, lang: look.lang }),
  );
  return (await Promise.all(pages)).flat();
}

/** Opens the fonts that a text needs, with the settings of the style. */
async function stackOf(text: string, { fonts }: CaptionLook, style: FullCaptionStyle): Promise<FontStack> {
  const stack = await openStack(text, fonts);
  const { weight, axes = {}, features = {} } = style;
  const names = new Set(fonts.filter(({ name }) => name === fonts[0]!.name).map(({ bytes }) => bytes));
  const isOwn = (index: number): boolean => index < names.size;
  return stack.map((font, index) => {
    const weightAxis = font.weightRange === null ? {} : { wght: within(weight, font.weightRange) };
    const settings = isOwn(index)
      ? { axes: supported(font, { ...weightAxis, ...axes }), features }
      : { axes: weightAxis };
    return font.withSettings(settings);
  });
}

function within(value: number, { min, max }: { readonly min: number; readonly max: number }): number {
  return Math.min(max, Math.max(min, value));
}

/** Files with further characters of a font may lack an axis that the first has. */
function supported(font: OpenFont, axes: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(axes).filter((axis) => font.settingsProblems({ axes: Object.fromEntries([axis]) }).length === 0),
  );
}

interface LayoutContext {
  readonly style: FullCaptionStyle;
  readonly stack: FontStack;
  readonly frame: FrameSize;
  readonly lang: string | null;
}

async function layOutPart(part: CaptionPart, context: LayoutContext): Promise<CaptionPage[]> {
  const { style, stack, frame } = context;
  const tracking = style.tracking / 100;
  const size = (style.size / 100) * Math.min(frame.width, frame.height);
  const maxWidth = (Math.min(style.width, 100 - 2 * style.margin_side) / 100) * frame.width;
  const written = shapedLines(part.text, part.text.split('\n'), context);
  const isAsWritten =
    written.length <= style.lines && written.every(({ cells }) => widthOf(cells, tracking) * size <= maxWidth);
  const whole =
    isAsWritten || isDialogue(part.text)
      ? written
      : shapedLines(joinedLines(part.text), [joinedLines(part.text)], context);
  const broken = await Promise.all(
    whole.map(async (shaped) => {
      const breaks = await captionBreaks(shaped.text, context.lang);
      return { shaped, ...balanceLines({ cells: shaped.cells, breaks, maxWidth: maxWidth / size, tracking }) };
    }),
  );
  const widest = Math.max(...broken.map(({ width }) => width)) * size;
  const scale = Math.min(1, Math.max(MIN_SCALE, maxWidth / widest));
  const ranges = broken.flatMap(({ shaped, lines }) => lines.map((range) => ({ shaped, range })));
  const starts = ranges.map(({ shaped, range }) => shaped.start + (shaped.cells[range.from]?.start ?? 0));
  const divided = ranges.length > style.lines ? pagesOf(part, starts, style.lines) : null;
  if (divided !== null) {
    const pages = await Promise.all(divided.map((page) => layOutPart(page, context)));
    return pages.flat();
  }
  const lines = ranges.map(({ shaped, range }) => finalLine(shaped, range, part.words, tracking));
  const [firstFont] = stack;
  return [
    {
      from: part.from,
      to: part.to,
      lines,
      size: size * scale,
      overflow: Math.max(0, lines.length / style.lines - 1, widest / maxWidth - 1),
      lineHeight: Math.round((style.line_height / 100) * size * scale),
      drop: ((firstFont!.ascent - firstFont!.descent) / 2) * size * scale,
      missing: whole.flatMap(({ text, cells }) =>
        cells.filter((cell) => cell.isMissing).map(({ start, end }) => text.slice(start, end)),
      ),
    },
  ];
}

/** Divides a text with too many lines before the first word of a later line; null if no word begins there. */
function pagesOf(part: CaptionPart, lineStarts: readonly number[], perPage: number): CaptionPart[] | null {
  const count = Math.ceil(lineStarts.length / perPage);
  const wordAt = Array.from({ length: count - 1 }, (_, index) => {
    const start = lineStarts[(index + 1) * perPage]!;
    return part.words.findIndex((word) => word.start >= start);
  });
  const starts = [...new Set(wordAt)].filter((index) => index > 0);
  return starts.length === 0 ? null : dividedAt(part, starts);
}

/** A line of a text, shaped. */
interface ShapedLine {
  readonly text: string;
  /** Index of its first character in the whole text. */
  readonly start: number;
  readonly cells: readonly Cell[];
  readonly paragraph: ReturnType<typeof itemizeParagraph>;
  readonly isTracked: boolean;
}

function shapedLines(text: string, lines: readonly string[], { stack, style }: LayoutContext): ShapedLine[] {
  const isTracked = style.tracking !== 0;
  let start = 0;
  return lines.map((line) => {
    const paragraph = itemizeParagraph(line, stack, () => 1);
    const shaped = {
      text: line,
      start,
      cells: shapeParagraph(paragraph, 0, line.length, isTracked),
      paragraph,
      isTracked,
    };
    start += line.length + (start + line.length < text.length ? 1 : 0);
    return shaped;
  });
}

/** Shapes a line again, because letters may have other forms at its ends, and finds its words. */
function finalLine(
  { text, start, cells: all, paragraph, isTracked }: ShapedLine,
  { from, to }: LineRange,
  words: readonly CueWord[],
  tracking: number,
): CaptionLine {
  const cells = shapeParagraph(paragraph, all[from]?.start ?? text.length, all[to]?.start ?? text.length, isTracked);
  const line = placeLine(cells, { baseLevel: paragraph.baseLevel, tracking, fillTo: null });
  const placedWords = words.flatMap((word): CaptionWord[] => {
    const inWord = line.cells.filter(
      ({ cell }) => !cell.isSpace && cell.start + start >= word.start && cell.start + start < word.end,
    );
    return inWord.length === 0
      ? []
      : [{ from: word.from, to: word.to, cells: inWord, isRtl: inWord[0]!.cell.level % 2 === 1 }];
  });
  return { cells: line.cells, width: line.width, words: placedWords };
}
