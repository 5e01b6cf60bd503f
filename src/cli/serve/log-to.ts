import { logLine } from '../../report/log-line.ts';
import type { ServeSettings } from '../../server/setting-row.ts';
import type { Output } from '../io.ts';

/** Lines of JSON, or lines for people. */
export function logTo(
  output: Output,
  format: ServeSettings['logFormat'],
  color: boolean,
): { write(line: string): void } {
  const isPretty = format === 'pretty' || (format === 'auto' && output.isTTY);
  return isPretty ? { write: (line) => output.write(logLine(line, { color })) } : output;
}
