import { trackOf } from '../../contract/wire/mapping.ts';
import { type Span, startOf } from '../../kernel/diagnostic.ts';
import { parseYaml } from '../../kernel/yaml/parse-yaml.ts';
import { child, locateIn, type MapNode, type TreeNode } from '../../kernel/yaml/tree.ts';
import type { DefinitionFile } from './definition-file.ts';
import { extend } from './extend.ts';
import { writtenId } from './merge-definitions.ts';
import type { LocateScene } from './timeline-diagnostics.ts';

/** Returns the text of a file that was read. */
type SourceText = (file: string) => string | undefined;

/**
 * Returns the location of the value of an editable, or of a track (see `trackKey`), in a video of several scenes after the id of the
 * scene and a dot: in the definition, or in a fragment that the definition or the scene extends. The result is the start of the file if
 * the value is not found.
 *
 * @param file the definition
 * @param key null if only the file is known
 */
export function resourceSpan(file: string, source: SourceText, key: string | null): Span {
  const root = key === null ? null : mergedRoot(file, source);
  const node = root === null ? null : valueIn(root, key!);
  return node === null ? startOf(file) : node.span;
}

/**
 * Locates properties that decide about a timeline, by the text of a definition and its fragments: where the scene has them, else where
 * the definition has them.
 */
export function locateTimeline(file: string, source: SourceText): LocateScene {
  const root = mergedRoot(file, source);
  return (id, property, name) => {
    if (root === null) return startOf(file);
    const scene = id === null ? null : sceneIn(root, id);
    const path = name === undefined ? [property] : [property, name];
    const owner = [scene, root].find((node) => path.reduce<TreeNode | null>(child, node) !== null);
    if (owner) return locateIn(owner)(path, 'value').span;
    return scene === null ? startOf(file) : locateIn(scene)([], 'value').span;
  };
}

/** Returns a definition with the fragments that it extends; alone if a fragment cannot be used. */
function mergedRoot(file: string, source: SourceText): MapNode | null {
  const load = (path: string): DefinitionFile | null => {
    const parsed = parseYaml(path, source(path) ?? '');
    return parsed.ok && parsed.value?.kind === 'map' ? { root: parsed.value, diagnostics: [] } : null;
  };
  return extend(file, load)?.root ?? load(file)?.root ?? null;
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
