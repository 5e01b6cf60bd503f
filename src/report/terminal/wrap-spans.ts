import { cellWidth, graphemesOf, hasWideCells } from '../wording/cell-width.ts';

/** A stretch of text and its style. */
export interface StyledText {
  readonly text: string;
  readonly paint?: (text: string) => string;
}

const plain = (text: string): string => text;

export function spansWidth(spans: readonly StyledText[]): number {
  return spans.reduce((width, { text }) => width + cellWidth(text), 0);
}

export function paintSpans(spans: readonly StyledText[]): string {
  return spans.map(({ text, paint = plain }) => (text === '' ? '' : paint(text))).join('');
}

/**
 * Wraps spans into lines of at most `width` columns. Breaks after spaces, at every `\n`, and inside a word only if it is
 * longer than a line or has wide characters. The end of a span alone does not allow a break; no-break spaces keep words
 * together. Trims spaces at the ends of lines.
 *
 * @param width at least 2, so that every character fits
 */
export function wrapSpans(spans: readonly StyledText[], width: number): string[] {
  const lines: StyledText[][] = [[]];
  let used = 0;
  let word: StyledText[] = [];

  const startLine = (): void => {
    lines.push([]);
    used = 0;
  };
  const place = (fragments: readonly StyledText[]): void => {
    if (used > 0 && used + widthWithoutLastSpaces(fragments) > width) startLine();
    for (const fragment of fragments) append(lines.at(-1)!, fragment);
    used += spansWidth(fragments);
  };
  const placeWord = (): void => {
    if (widthWithoutLastSpaces(word) <= width) place(word);
    else for (const { text, paint } of word) for (const part of graphemesOf(text)) place([spanOf(part, paint)]);
    word = [];
  };

  for (const { text, paint } of spans) {
    for (const piece of text.match(/\n|[^ \n]+ *| +/g) ?? []) {
      if (piece === '\n') {
        placeWord();
        startLine();
      } else if (hasWideCells(piece)) {
        placeWord();
        for (const part of graphemesOf(piece)) place([spanOf(part, paint)]);
      } else {
        word.push(spanOf(piece, paint));
        if (piece.endsWith(' ')) placeWord();
      }
    }
  }
  placeWord();
  return lines.map((line) => paintSpans(withoutLastSpaces(line)));
}

function spanOf(text: string, paint: StyledText['paint']): StyledText {
  return paint === undefined ? { text } : { text, paint };
}

function widthWithoutLastSpaces(spans: readonly StyledText[]): number {
  return cellWidth(
    spans
      .map(({ text }) => text)
      .join('')
      .trimEnd(),
  );
}

/** Joins spans with equal style, to avoid redundant escape codes. */
function append(line: StyledText[], span: StyledText): void {
  const last = line.at(-1);
  if (last !== undefined && last.paint === span.paint) line[line.length - 1] = { ...span, text: last.text + span.text };
  else line.push(span);
}

function withoutLastSpaces(line: readonly StyledText[]): StyledText[] {
  const rest = [...line];
  for (let last = rest.pop(); last !== undefined; last = rest.pop()) {
    const text = last.text.trimEnd();
    if (text !== '') return [...rest, { ...last, text }];
  }
  return [];
}
