/** What JSON.parse complained about, and the offset in code units where it did, as near as can be known. */
export interface JsonError {
  readonly reason: string;
  readonly offset: number;
}

/**
 * Places the error that `JSON.parse(text)` threw. V8 tells an offset for some errors only; for the others it is that of
 * the first characters that are no JSON token, or the end of the text.
 */
export function placeJsonError(text: string, thrown: SyntaxError): JsonError {
  const reason = thrown.message.replace(/(?:, (?:\.\.\.)?"| in JSON\b| at position\b)[\s\S]*$/, '');
  const told = /at position (\d+)/.exec(thrown.message)?.[1];
  return { reason, offset: told === undefined ? firstNonToken(text) : Math.min(Number(told), text.length) };
}

function firstNonToken(text: string): number {
  const token = /[\s{}[\],:]+|"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*|true\b|false\b|null\b/y;
  let offset = 0;
  while (token.test(text)) offset = token.lastIndex;
  return offset;
}
