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

const TRACK = 'audio_tracks.';

/**
 * Where a definition says what fills an editable, or a track (`audio_tracks.<name>`); the beginning of the file where it does
 * not say so itself, but a file that it extends or a row of its data.
 *
 * @param key null: only the file is known
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
