import { trackOf } from '../../contract/wire/mapping.ts';
import { type Span, startOf } from '../../kernel/diagnostic.ts';
import { parseYaml } from '../../kernel/yaml/parse-yaml.ts';
import { child, locateIn, type TreeNode } from '../../kernel/yaml/tree.ts';
import { writtenId } from './merge-definitions.ts';
import type { LocateScene } from './timeline-diagnostics.ts';

/**
 * Returns the location of the value of an editable, or of a track (see `trackKey`), in a video of several scenes after the id of the
 * scene and a dot. The result is the start of the file if the value comes from a fragment or a data row.
 *
 * @param key null if only the file is known
 */
export function resourceSpan(file: string, text: string, key: string | null): Span {
  const root = key === null ? null : parsedRoot(file, text);
  const node = root === null ? null : valueIn(root, key!);
  return node === null || node.span.file !== file ? startOf(file) : node.span;
}

/**
 * Locates properties that decide about a timeline, by the text of a definition: where the scene has them, else where the
 * definition has them. The result is the start of the file if they come from a fragment.
 */
export function locateTimeline(file: string, text: string): LocateScene {
  const root = parsedRoot(file, text);
  return (id, property, name) => {
    if (root === null) return startOf(file);
    const scene = id === null ? null : sceneIn(root, id);
    const path = property === 'audio' ? ['audio', name ?? ''] : [property];
    const owner = [scene, root].find((node) => path.reduce<TreeNode | null>(child, node) !== null);
    if (owner) return locateIn(owner)(path, 'value').span;
    return scene === null ? startOf(file) : locateIn(scene)([], 'value').span;
  };
}

function parsedRoot(file: string, text: string): TreeNode | null {
  const parsed = parseYaml(file, text);
  return parsed.ok ? parsed.value : null;
}

/** Returns a scene of a list, or of a map that overrides scenes. Rows have the id of their scene in front. */
function sceneIn(root: TreeNode, id: string): TreeNode | null {
  const [written = ''] = id.split('/');
  const scenes = child(root, 'scenes');
  if (scenes?.kind === 'list') return scenes.items.find((scene) => writtenId(scene) === written) ?? null;
  return child(scenes, written);
}

function valueIn(root: TreeNode, key: string): TreeNode | null {
  const [, id = '', rest = ''] = /^([^.]*)\.(.*)$/s.exec(key) ?? [];
  const scene = sceneIn(root, id);
  if (scene !== null) return valueNode(scene, rest) ?? valueNode(root, rest) ?? scene;
  const scenes = child(root, 'scenes');
  // The values of an only scene do not have its id.
  const all = scenes?.kind === 'list' ? scenes.items : [];
  return [...all, root].map((node) => valueNode(node, key)).find((node) => node !== null) ?? null;
}

function valueNode(node: TreeNode, key: string): TreeNode | null {
  const track = trackOf(key);
  return track === null ? child(child(node, 'resources'), key) : child(child(node, 'audio'), track);
}
