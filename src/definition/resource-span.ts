import type { Span } from '../diagnostic.ts';
import { parseYaml } from '../yaml/parse-yaml.ts';
import { child } from '../yaml/tree.ts';

/**
 * Where a definition says what fills an editable; the beginning of the file where it does not say so itself, but a file that
 * it extends or a row of its data.
 */
export function resourceSpan(file: string, text: string, editable: string): Span {
  const parsed = parseYaml(file, text);
  const node = parsed.ok && parsed.value !== null ? child(child(parsed.value, 'resources'), editable) : null;
  return node === null || node.span.file !== file ? { file, start: 0, end: 0 } : node.span;
}
