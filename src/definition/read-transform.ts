import type { AudioTransform, Transform } from '../wire/mapping.ts';
import { child, type MapNode, type TreeNode, toJson } from '../yaml/tree.ts';
import { parseHexColor } from './parse-hex-color.ts';

/** The `transform` of an image or a video with its defaults written out; `null` for a form that the schema has refused. */
export function readTransform(node: TreeNode | null): Transform | null {
  if (node === null) return { crop_strategy: 'cover' };
  if (node.kind !== 'map') return null;
  const written = toJson(node, (path) => path[0] === 'background') as Transform;
  const transform: Transform = {
    crop_strategy: 'cover',
    ...(written.trim_start_time === undefined ? {} : { trim_strategy: 'manual' }),
    ...written,
  };
  if (written.background === undefined) return transform;
  const background = parseHexColor(String(written.background));
  return background === null ? null : { ...transform, background };
}

/**
 * How a sound is heard, from its `transform`, as in the interface's full form, or from the fields that stand
 * beside its source; `null` for a form that the schema has refused.
 */
export function readAudioTransform(node: TreeNode): AudioTransform | null {
  if (node.kind !== 'map') return {};
  const isFull = child(node, 'source')?.kind === 'map' || node.entries.has('transform');
  const fields = isFull ? child(node, 'transform') : besideSource(node);
  if (fields === null) return {};
  return fields.kind === 'map' ? (toJson(fields, () => false) as AudioTransform) : null;
}

function besideSource(node: MapNode): MapNode {
  return { ...node, entries: new Map([...node.entries].filter(([name]) => name !== 'source')) };
}
