import type { Span } from '../../kernel/diagnostic.ts';

/** Returns a function that locates the lines of a file, which are counted from 1. A line that it does not have is its first. */
export function lineSpans(file: string, text: string): (line: number) => Span {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (line) => {
    const start = starts[line - 1] ?? 0;
    return { file, start, end: Math.max(start, (starts[line] ?? text.length + 1) - 1) };
  };
}
