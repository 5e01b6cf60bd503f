import type { Span } from '../diagnostic.ts';
import { parseYaml } from '../yaml/parse-yaml.ts';
import { child, type TreeNode } from '../yaml/tree.ts';

/**
 * Where a definition says something; where it says less than that, the innermost part that it does say, and the beginning of the file
 * where the rest comes from a file that it extends or a row of its data.
 *
 * @param path keys, from the outermost
 */
export function definitionSpan(file: string, text: string, path: readonly string[]): Span {
  const start: Span = { file, start: 0, end: 0 };
  const parsed = parseYaml(file, text);
  let node: TreeNode | null = parsed.ok ? (parsed.value ?? null) : null;
  let span = start;
  for (const key of path) {
    node = child(node, key);
    if (node === null) break;
    if (node.span.file === file) span = node.span;
  }
  return span;
}
