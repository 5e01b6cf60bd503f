import type { createColors } from 'picocolors';
import { cellWidth, cutCells } from '../wording/cell-width.ts';
import type { DiffRow, DisplayValue } from '../wording/diff-row.ts';
import { escapeControls } from '../wording/display-text.ts';
import { showAsOneText, showText, showTexts } from '../wording/text-diff.ts';
import { paintSpans, type StyledText, spansWidth, wrapSpans } from './wrap-spans.ts';

type Colors = ReturnType<typeof createColors>;

interface RowTextOptions {
  readonly color: boolean;
  readonly trueColor: boolean;
  readonly columns: number;
}

const INDENT = 6;
/** Longer names, and names that leave too little room for values, get their own line. */
const MAX_NAME_WIDTH = 26;
const MIN_ROOM = 20;
/** Length to which a text is shortened if the lockfile has only the digest of the former text. */
const MAX_TEXT_LENGTH = 240;

/** Formats differences with names in the first column and `old → new` in the second. */
export function layOutRows(rows: readonly DiffRow[], options: RowTextOptions, colors: Colors): string[] {
  const names = rows.map(({ name, scene }) => {
    return (scene === undefined ? '' : '  ') + cutCells(escapeControls(name), options.columns - INDENT - 2);
  });
  const widest = Math.min(MAX_NAME_WIDTH, options.columns - INDENT - 2 - MIN_ROOM);
  const nameWidth = Math.max(0, ...names.map(cellWidth).filter((width) => width <= widest));
  const indent = ' '.repeat(INDENT);
  return rows.flatMap((row, index) => {
    const name = names[index]!;
    const lines = layOutRow(row, options.columns - INDENT - nameWidth - 2, options, colors);
    const below = cellWidth(name) > nameWidth;
    const first = indent + name + (below ? '' : ' '.repeat(nameWidth - cellWidth(name)) + lines.shift());
    return [first.trimEnd(), ...lines.map((line) => indent + ' '.repeat(nameWidth) + line)];
  });
}

/** Puts each line of a value behind a two-column gutter that may hold the arrow. */
function layOutRow(row: DiffRow, width: number, options: RowTextOptions, colors: Colors): string[] {
  const { before, after, subject, heading } = row;
  const gutter = (lines: readonly string[], mark = '  '): string[] =>
    lines.map((line, index) => (index === 0 ? mark : '  ') + line);

  if (heading !== undefined) return gutter(wrapSpans([{ text: escapeControls(heading), paint: colors.dim }], width));
  const place = row.isDestination === true ? destinationSpans(row, colors) : null;
  if (place !== null) return gutter(wrapSpans(place, width));
  const marked = markWords(before, after, options, colors);
  if (marked !== null) return gutter(wrapSpans(marked, width));
  const [old, now] = spansOfPair(before, after, options, colors);
  const pair: StyledText[] = [...old, { text: ' → ', paint: colors.dim }, ...now];
  if (subject !== null) {
    return gutter(wrapSpans([{ text: `${escapeControls(subject)} (` }, ...pair, { text: ')' }], width));
  }
  if (spansWidth(pair) <= width) return gutter([paintSpans(pair)]);
  return [...gutter(wrapSpans(old, width)), ...gutter(wrapSpans(now, width), `${colors.dim('→')} `)];
}

/** Shows a destination alone if it replaces no other. */
function destinationSpans({ before, after }: DiffRow, colors: Colors): StyledText[] | null {
  if (after?.kind === 'name') {
    const isSame = before === null || (before.kind === 'name' && before.name === after.name);
    return isSame ? [{ text: escapeControls(after.name) }] : null;
  }
  const gone = before?.kind === 'name' ? escapeControls(before.name) : '';
  return [
    { text: gone, paint: colors.dim },
    { text: ' removed; the delivered file remains', paint: colors.dim },
  ];
}

/** Merges two long texts into a single text with marked changes, if that is easier to read. */
function markWords(
  before: DiffRow['before'],
  after: DiffRow['after'],
  options: RowTextOptions,
  colors: Colors,
): StyledText[] | null {
  if (before?.kind !== 'text' || after?.kind !== 'text') return null;
  const parts = showAsOneText(before.text, after.text);
  if (parts === null) return null;
  return parts.map(({ kind, text }): StyledText => {
    // Shows a user's line break as `⏎` and breaks the line there.
    const broken = text.replaceAll('⏎', '⏎\n');
    if (kind === 'same') return { text: broken };
    if (!options.color) return { text: kind === 'removed' ? `[-${broken}-]` : `{+${broken}+}` };
    return kind === 'removed'
      ? { text: broken, paint: (removed) => colors.red(colors.strikethrough(removed)) }
      : { text: broken, paint: colors.green };
  });
}

function spansOfPair(
  before: DiffRow['before'],
  after: DiffRow['after'],
  options: RowTextOptions,
  colors: Colors,
): [StyledText[], StyledText[]] {
  if (before?.kind === 'text' && after?.kind === 'text') {
    const [old, now] = showTexts(before.text, after.text);
    return [[{ text: old, paint: colors.dim }], [{ text: now }]];
  }
  return [spansOf(before, colors.dim, options, colors), spansOf(after, (text) => text, options, colors)];
}

function spansOf(
  shown: DisplayValue | null,
  paint: (text: string) => string,
  options: RowTextOptions,
  colors: Colors,
): StyledText[] {
  switch (shown?.kind) {
    case undefined:
      return [{ text: 'none', paint: (text) => colors.dim(colors.italic(text)) }];
    case 'name':
      return [{ text: escapeControls(shown.name), paint }];
    case 'text':
      return [{ text: cutCells(showText(shown.text), MAX_TEXT_LENGTH), paint }];
    case 'color': {
      const digits: StyledText = { text: `#${shown.color}`, paint };
      if (!options.color) return [digits];
      return [{ text: '■', paint: () => swatch(shown.color, options.trueColor) }, { text: ' ' }, digits];
    }
  }
}

/**
 * Returns a small coloured square for a terminal.
 *
 * @param color 6 hexadecimal digits, or 8 with an opacity that is ignored
 * @param trueColor whether the terminal supports 24-bit colours; otherwise uses the nearest of 256
 * @see ECMA-48, 8.3.117 (SGR); ISO 8613-6, 13.1.8, for the arguments of 38
 */
export function swatch(color: string, trueColor: boolean): string {
  const [red, green, blue] = [0, 2, 4].map((at) => Number.parseInt(color.slice(at, at + 2), 16)) as [
    number,
    number,
    number,
  ];
  const arguments_ = trueColor ? `2;${red};${green};${blue}` : `5;${nearestOf256(red, green, blue)}`;
  return `\u001b[38;${arguments_}m■\u001b[39m`;
}

/** Component levels of the 6×6×6 cube, which starts at index 16. 24 greys from 8 to 238 start at index 232. */
const LEVELS = [0, 95, 135, 175, 215, 255];

function nearestOf256(red: number, green: number, blue: number): number {
  const cube = [red, green, blue].map(nearestLevel) as [number, number, number];
  const grey = Math.min(23, Math.max(0, Math.round(((red + green + blue) / 3 - 8) / 10)));
  const distance = (r: number, g: number, b: number): number => (r - red) ** 2 + (g - green) ** 2 + (b - blue) ** 2;
  const [r, g, b] = cube.map((level) => LEVELS[level]!) as [number, number, number];
  const shade = 8 + 10 * grey;
  return distance(shade, shade, shade) < distance(r, g, b) ? 232 + grey : 16 + 36 * cube[0] + 6 * cube[1] + cube[2];
}

function nearestLevel(component: number): number {
  let nearest = 0;
  LEVELS.forEach((level, index) => {
    if (Math.abs(level - component) < Math.abs(LEVELS[nearest]! - component)) nearest = index;
  });
  return nearest;
}
