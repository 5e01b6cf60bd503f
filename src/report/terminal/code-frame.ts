import { codeFrameColumns } from '@babel/code-frame';
import { createColors } from 'picocolors';
import { textPosition } from '../wording/text-position.ts';

/** How far into a long line its beginning is shown before what is marked. */
const LEAD = 30;

/**
 * The lines of a text around a span, numbered, with the span marked on its first line. Long lines are cut around it;
 * control characters are shown as symbols of the same width, so that no terminal obeys them.
 *
 * @param span half-open, in UTF-16 code units
 * @param columns characters of the text to show of each line
 */
export function codeFrame(
  text: string,
  span: { readonly start: number; readonly end: number },
  options: { readonly color: boolean; readonly columns: number },
): string {
  const { line, column } = textPosition(text, span.start);
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '' && line < lines.length) lines.pop();
  const marked = lines[line - 1] ?? '';
  const first = column + LEAD > options.columns ? column - 1 - LEAD : 0;
  const last = first + options.columns;
  const shown = lines.map((one, index) => (Math.abs(index + 1 - line) > 1 ? '' : cut(visible(one), first, last)));
  const end = Math.min(column + span.end - span.start, marked.length + 1, last + 1);
  const frame = codeFrameColumns(
    shown.join('\n'),
    { start: { line, column: column - first }, end: { line, column: Math.max(end, column + 1) - first } },
    { linesAbove: 1, linesBelow: 1 },
  );
  return options.color ? colored(frame) : frame;
}

function cut(line: string, first: number, last: number): string {
  const head = first > 0 && line.length > first ? '…' : '';
  const tail = line.length > last ? '…' : '';
  return `${head}${line.slice(first + head.length, last - tail.length)}${tail}`.toWellFormed();
}

/** Each code unit becomes one code unit, so that columns stay where they are. */
function visible(line: string): string {
  return line
    .replaceAll('\t', ' ')
    .replaceAll(/[\x00-\x1f]/g, (control) => String.fromCharCode(0x2400 + control.charCodeAt(0)))
    .replaceAll(/[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, '\u{fffd}');
}

function colored(frame: string): string {
  const { dim, red } = createColors(true);
  return frame
    .split('\n')
    .map((line) => {
      const [, marker = '', gutter = '', rest = ''] = /^(>?)([\s\d]*\|)(.*)$/.exec(line) ?? [];
      const isMark = /^\s*\|$/.test(gutter) && marker === '';
      return `${marker === '' ? '' : red(marker)}${dim(gutter)}${isMark ? red(rest) : rest}`;
    })
    .join('\n');
}
