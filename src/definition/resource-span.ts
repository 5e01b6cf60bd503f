import type { Span } from '../diagnostic.ts';
import { parseYaml } from '../yaml/parse-yaml.ts';
import { child, type TreeNode } from '../yaml/tree.ts';

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
