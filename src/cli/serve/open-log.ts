import { logLine } from '../../report/terminal/serve-text.ts';
import type { Settings } from '../../server/settings/settings-table.ts';
import { type Io, wantsColor } from '../io.ts';

/**
 * Opens the log of a server on stdout: lines of JSON, or lines for people. A line that cannot be written, for example on a
 * full disk, is dropped: the server works on, says so once on stderr, and writes again as soon as it can.
 *
 * @param color false after `--no-color`
 */
export function openLog(io: Io, format: Settings['logFormat'], color: boolean): { write(line: string): void } {
  let isReported = false;
  io.onWriteError((code) => {
    if (isReported) return;
    isReported = true;
    io.stderr.write(`The log cannot be written (${code}): its lines are lost until it can\n`);
  });
  const output = io.stdout;
  const isPretty = format === 'pretty' || (format === 'auto' && output.isTTY);
  if (!isPretty) return output;
  const options = { color: wantsColor(output, io.env, color) };
  return { write: (line) => output.write(logLine(line, options)) };
}
