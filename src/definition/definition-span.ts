import type { Span } from '../diagnostic.ts';
import { parseYaml } from '../yaml/parse-yaml.ts';
import { child, type TreeNode } from '../yaml/tree.ts';

/**
 * Returns the location of a value in a definition file, or of the innermost enclosing value that the file contains. The
 * result is the start of the file if the value comes from a fragment or a data row.
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

const TRACK = 'audio_tracks.';

/**
 * Returns the location of the value of an editable, or of a track (`audio_tracks.<name>`). The result is the start of the
 * file if the value comes from a fragment or a data row.
 *
 * @param key null if only the file is known
 */
export function resourceSpan(file: string, text: string, key: string | null): Span {
  const parsed = parseYaml(file, text);
  const node = parsed.ok && parsed.value !== null && key !== null ? entry(parsed.value, key) : null;
  return node === null || node.span.file !== file ? { file, start: 0, end: 0 } : node.span;
}

function entry(definition: TreeNode, key: string): TreeNode | null {
  if (!key.startsWith(TRACK)) return child(child(definition, 'resources'), key);
  return child(child(definition, 'audio'), key.slice(TRACK.length));
}
