import { codeFrameColumns } from '@babel/code-frame';
import { createColors } from 'picocolors';
import type { Diagnostic, Severity } from '../../kernel/diagnostic.ts';
import { groupBy } from '../../kernel/group-by.ts';
import { textPosition } from '../json/diagnostics-json.ts';
import { escapeControls, terminalLink } from '../wording/display-text.ts';
import { countNoun, countSeverities } from '../wording/quantities.ts';

interface DiagnosticsTextOptions {
  /** Returns the text of a file; without it no code frame is shown. */
  readonly source: (file: string) => string | undefined;
  readonly color: boolean;
  /** URL of the reference of error codes, which each code then links to. */
  readonly reference?: string | undefined;
}

/** Maximum number of locations shown; the rest is counted. */
const MAX_PLACES = 50;

/** Maximum number of diagnostics shown at a location, such as those of the rows that fill it; the rest is counted. */
const MAX_HERE = 20;

/** Maximum characters shown of a line of code. */
const COLUMNS = 100;

/**
 * Formats diagnostics in the given order, grouped by location with a code frame, followed by their number. User text cannot
 * control the terminal.
 */
export function diagnosticsText(diagnostics: readonly Diagnostic[], options: DiagnosticsTextOptions): string {
  if (diagnostics.length === 0) return '';
  const places = [...groupBy(diagnostics, locationKey).values()];
  const shown = places.slice(0, MAX_PLACES);
  const hidden = diagnostics.length - shown.flat().length;
  const blocks = shown.map((place) => block(place, options));
  if (hidden > 0) blocks.push(`… and ${hidden} more`);
  return `${[...blocks, summary(diagnostics, options.color)].join('\n\n')}\n`;
}

/** Does not group diagnostics without a location. */
function locationKey({ at }: Diagnostic): string | symbol {
  return at === undefined ? Symbol('no location') : `${at.file}:${at.start}:${at.end}`;
}

function block(
  place: readonly [Diagnostic, ...Diagnostic[]],
  { source, color, reference }: DiagnosticsTextOptions,
): string {
  const { bold, dim } = createColors(color);
  const lines: string[] = [];
  const { at } = place[0];
  const text = at === undefined ? undefined : source(at.file);
  if (at !== undefined) {
    const position = text === undefined || at.end === 0 ? null : textPosition(text, at.start);
    const where = position === null ? at.file : `${at.file}:${position.line}:${position.column}`;
    lines.push(bold(escapeControls(where)));
  }
  const width = Math.max(...place.map(({ severity }) => severity.length));
  const shown = place.slice(0, MAX_HERE);
  for (const [index, { severity, message, code, hint }] of shown.entries()) {
    const margin = ' '.repeat(width - severity.length);
    const name = reference === undefined ? dim(code) : terminalLink(dim(code), `${reference}#${code}`);
    lines.push(`  ${mark(severity, color)}${margin}  ${escapeControls(message)}  ${name}`);
    // A hint that several share stands once, below the last of them.
    if (hint !== undefined && hint !== shown[index + 1]?.hint)
      lines.push(`  ${' '.repeat(width)}  ${escapeControls(hint)}`);
  }
  if (place.length > MAX_HERE) lines.push(`  ${' '.repeat(width)}  … and ${place.length - MAX_HERE} more here`);
  // An empty span at offset 0 means the whole file.
  const isDestination = at !== undefined && at.end > 0;
  if (isDestination && text !== undefined && text.trim() !== '') {
    const frame = codeFrame(text, at, { color, columns: COLUMNS });
    lines.push('', ...frame.split('\n').map((line) => `  ${line}`.trimEnd()));
  }
  return lines.join('\n');
}

function mark(severity: Severity, color: boolean): string {
  const { red, yellow } = createColors(color);
  return severity === 'error' ? red('error') : yellow('warning');
}

function summary(diagnostics: readonly Diagnostic[], color: boolean): string {
  const { bold } = createColors(color);
  const files = new Set(diagnostics.map(({ at }) => at?.file));
  const counts = countSeverities(diagnostics.map(({ severity }) => severity));
  // Problems of flags and environment variables are in no file.
  return bold(files.has(undefined) ? counts : `${counts} in ${countNoun(files.size, 'file')}`);
}

/** Characters shown before the marked span in a truncated line. */
const LEAD = 30;

/**
 * Formats the lines around a span with line numbers and a marker. Truncates long lines, and shows control characters as
 * symbols of the same width.
 *
 * @param span half-open, in UTF-16 code units
 * @param options.columns characters of the text to show of each line
 */
export function codeFrame(
  text: string,
  span: { readonly start: number; readonly end: number },
  options: { readonly color: boolean; readonly columns: number },
): string {
  const { line, column } = textPosition(text, span.start);
  // Only the lines shown are cut out, because splitting a large file for every problem takes seconds.
  const startLine = Math.max(1, line - 1);
  const [from, to] = [frameStart(text, span.start), frameEnd(text, span.start)];
  const lines = text.slice(from, to).split(/\r?\n/);
  if (lines.at(-1) === '' && line < startLine + lines.length - 1) lines.pop();
  const marked = lines[line - startLine] ?? '';
  const first = column + LEAD > options.columns ? column - 1 - LEAD : 0;
  const last = first + options.columns;
  const shown = lines.map((text) => cut(visible(text), first, last));
  const end = Math.min(column + span.end - span.start, marked.length + 1, last + 1);
  // A variable, because the type declarations of the library lack `startLine`.
  const surroundings = { linesAbove: 1, linesBelow: 1, startLine };
  const frame = codeFrameColumns(
    shown.join('\n'),
    { start: { line, column: column - first }, end: { line, column: Math.max(end, column + 1) - first } },
    surroundings,
  );
  return options.color ? colored(frame) : frame;
}

/** Returns the offset at which the line before that of `offset` begins; 0 in the first two lines. */
function frameStart(text: string, offset: number): number {
  if (offset === 0) return 0;
  const line = text.lastIndexOf('\n', offset - 1) + 1;
  return line < 2 ? 0 : text.lastIndexOf('\n', line - 2) + 1;
}

/** Returns the offset at which the line after that of `offset` ends, without its line feed. */
function frameEnd(text: string, offset: number): number {
  const line = text.indexOf('\n', offset);
  const next = line === -1 ? -1 : text.indexOf('\n', line + 1);
  return next === -1 ? text.length : next;
}

function cut(line: string, first: number, last: number): string {
  const head = first > 0 && line.length > first ? '…' : '';
  const tail = line.length > last ? '…' : '';
  return `${head}${line.slice(first + head.length, last - tail.length)}${tail}`.toWellFormed();
}

/** Replaces each code unit by a single code unit, so that columns stay valid. */
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
