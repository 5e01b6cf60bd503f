import { createColors } from 'picocolors';
import { isRecord } from '../../json.ts';
import { escapeControls } from '../wording/escape-controls.ts';

const HIDDEN: ReadonlySet<string> = new Set(['time', 'level', 'msg']);

/** One JSON line of the log as a line for people: time, level, sentence, and the rest as `name=value`. */
export function logLine(json: string, options: { readonly color: boolean }): string {
  const entry = parse(json);
  if (entry === null) return json;
  const { dim, red, yellow, green } = createColors(options.color);
  const level = String(entry.level ?? 'info');
  const paint = level === 'error' || level === 'fatal' ? red : level === 'warn' ? yellow : green;
  const time = typeof entry.time === 'string' ? entry.time.slice(11, 23) : '';
  const fields = Object.entries(entry)
    .filter(([name]) => !HIDDEN.has(name))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const words = escapeControls(String(entry.msg ?? ''));
  const rest = fields.length === 0 ? '' : `  ${dim(escapeControls(fields.join(' ')))}`;
  return `${dim(time)} ${paint(level.padEnd(5))} ${words}${rest}\n`;
}

function parse(json: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(json);
    return isRecord(value) ? value : null;
  } catch {
    return null;
  }
}
