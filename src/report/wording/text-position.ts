/** Line and column as editors count them: from 1, columns in UTF-16 code units. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** Converts an offset to a position, clamped to the end of the text. Lines end with `\n` or `\r\n`. */
export function textPosition(text: string, offset: number): TextPosition {
  const at = Math.min(offset, text.length);
  let line = 1;
  let start = 0;
  for (let end = text.indexOf('\n'); end !== -1 && end < at; end = text.indexOf('\n', start)) {
    line += 1;
    start = end + 1;
  }
  return { line, column: at - start + 1 };
}
