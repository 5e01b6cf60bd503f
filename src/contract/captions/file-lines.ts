import type { Span } from '../../kernel/diagnostic.ts';

/** A line of a file, without its line break. Offsets are UTF-16 code units, half-open. */
export interface FileLine {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Half-open range of offsets in the text of a file. */
export type Range = readonly [start: number, end: number];

/** Splits a text at CR LF, LF and CR. A byte order mark belongs to no line. */
export function fileLines(text: string): FileLine[] {
  const lines: FileLine[] = [];
  let start = text.startsWith('\ufeff') ? 1 : 0;
  for (const { 0: lineBreak, index } of text.matchAll(/\r\n|\n|\r/g)) {
    lines.push({ text: text.slice(start, index), start, end: index });
    start = index + lineBreak.length;
  }
  if (start < text.length || lines.length === 0) lines.push({ text: text.slice(start), start, end: text.length });
  return lines;
}

export function spanOf(file: string, [start, end]: Range): Span {
  return { file, start, end };
}
