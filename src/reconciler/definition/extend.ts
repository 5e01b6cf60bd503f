import { type Diagnostic, errorAt, type Span } from '../../kernel/diagnostic.ts';
import { child, type MapEntry, type MapNode, type ScalarNode, type TreeNode } from '../../kernel/yaml/tree.ts';
import { type DefinitionFile, resolvePath, unreadable } from './definition-file.ts';
import { mergeDefinitions, mergeMaps, SCENE_PROPERTIES } from './merge-definitions.ts';
import { isFragment } from './video.ts';

/** Properties that determine which videos a file defines. They are not inherited. */
const OWN_PROPERTIES = ['id', 'each', 'extends'];

type Load = (path: string) => DefinitionFile | null;

/**
 * Loads a definition and merges it with the files that it extends, recursively. The definition's own values win. The
 * root is `null` if one of the files cannot be used; the diagnostics are those of all files.
 *
 * @param load returns the file at a path; `null` if it does not exist
 * @returns `null` if the definition does not exist
 */
export function extend(path: string, load: Load): DefinitionFile | null {
  return extendFrom(path, load, []);
}

/** A file that is being read, and the `extends` that named it; null for the first. */
interface Link {
  readonly path: string;
  readonly at: Span | null;
}

function extendFrom(path: string, load: Load, above: readonly Link[], at: Span | null = null): DefinitionFile | null {
  const file = load(path);
  if (file === null || file.root === null) return file;
  const diagnostics = [...file.diagnostics, ...(isFragment(path) ? ownOfFragment(path, file.root) : [])];
  const loadPath = (node: ScalarNode): DefinitionFile => extendPath(node, load, [...above, { path, at }]);
  const inherited = mergeFragments(child(file.root, 'extends'), loadPath, diagnostics);
  const own = extendScenes(file.root, loadPath, diagnostics);
  if (inherited === 'broken' || own === 'broken') return { root: null, diagnostics };
  return { root: inherited === null ? own : mergeDefinitions(inherited, own, diagnostics), diagnostics };
}

type LoadPath = (node: ScalarNode) => DefinitionFile;

/** Merges the fragments of an `extends`; null without any. @param diagnostics receives their problems */
function mergeFragments(node: TreeNode | null, load: LoadPath, diagnostics: Diagnostic[]): MapNode | 'broken' | null {
  const parts = pathsOf(node).map(load);
  diagnostics.push(...parts.flatMap((part) => part.diagnostics));
  const roots = parts.flatMap(({ root }) => (root === null ? [] : [withoutFileProperties(root)]));
  if (roots.length < parts.length) return 'broken';
  const [first, ...others] = roots;
  return first === undefined
    ? null
    : others.reduce((merged, root) => mergeDefinitions(merged, root, diagnostics), first);
}

/** Merges each scene of a file with the fragments that it extends. */
function extendScenes(root: MapNode, load: LoadPath, diagnostics: Diagnostic[]): MapNode | 'broken' {
  const scenes = root.entries.get('scenes');
  if (scenes === undefined || scenes.value.kind === 'scalar') return root;
  const { value } = scenes;
  const all = value.kind === 'list' ? value.items : [...value.entries.values()].map((entry) => entry.value);
  if (!all.some((scene) => child(scene, 'extends') !== null)) return root;
  let broken = false;
  const extended = (scene: TreeNode): TreeNode => {
    const paths = child(scene, 'extends');
    if (scene.kind !== 'map' || paths === null) return scene;
    const inherited = mergeFragments(paths, load, diagnostics);
    if (inherited === 'broken') broken = true;
    if (inherited === 'broken' || inherited === null) return scene;
    diagnostics.push(...ofVideos(inherited, paths));
    return mergeMaps(inherited, { ...scene, entries: withoutFileProperty(scene, 'extends') });
  };
  const merged: TreeNode =
    value.kind === 'list'
      ? { ...value, items: value.items.map(extended) }
      : {
          ...value,
          entries: new Map([...value.entries].map(([id, entry]) => [id, { ...entry, value: extended(entry.value) }])),
        };
  return broken ? 'broken' : { ...root, entries: new Map([...root.entries, ['scenes', { ...scenes, value: merged }]]) };
}

/** Reports properties of a video in a fragment that a scene extends. */
function ofVideos({ entries }: MapNode, extendsNode: TreeNode): Diagnostic[] {
  const known: readonly string[] = SCENE_PROPERTIES;
  return [...entries].flatMap(([property, { keySpan }]) => {
    if (known.includes(property)) return [];
    const message = `A scene extends ${keySpan.file}, but ${JSON.stringify(property)} belongs to a whole video`;
    const hint = `Move ${property} to the definition, or to a fragment that the definition extends`;
    return [errorAt('definition_invalid', extendsNode.span, message, hint)];
  });
}

function withoutFileProperty({ entries }: MapNode, property: string): Map<string, MapEntry> {
  return new Map([...entries].filter(([name]) => name !== property));
}

/** A fragment defines no video, so these properties would have no effect. */
function ownOfFragment(path: string, root: MapNode): Diagnostic[] {
  return ['id', 'each'].flatMap((property) => {
    const entry = root.entries.get(property);
    if (entry === undefined) return [];
    const message = `${path} is a fragment, which defines no video: its ${JSON.stringify(property)} would have no effect`;
    const hint = 'Move it to the definitions that extend the fragment';
    return [errorAt('definition_invalid', entry.keySpan, message, hint)];
  });
}

function extendPath(node: ScalarNode, load: Load, chain: readonly Link[]): DefinitionFile {
  const at = node.span;
  if (node.text.includes('${')) {
    const hint = 'Write a definition for each file to extend, and use columns in its values';
    const message = '"extends" cannot contain a column: files are extended before rows are read';
    return { root: null, diagnostics: [errorAt('unknown_variable', at, message, hint)] };
  }
  const target = resolvePath(node.text, node.baseFile);
  if (!target.ok) {
    const { code, message, hint } = target;
    return { root: null, diagnostics: [errorAt(code, at, message, hint)] };
  }
  const start = chain.findIndex(({ path }) => path === target.path);
  if (start !== -1)
    return { root: null, diagnostics: [circleOf([{ path: target.path, at }, ...chain.slice(start + 1)])] };
  const missing = { root: null, diagnostics: [unreadable(target.path, 'missing', at)] };
  return extendFrom(target.path, load, chain, at) ?? missing;
}

/** Reports a circle at the `extends` that leads to the first of its files by name, from whichever of them it was found. */
function circleOf(links: readonly Link[]): Diagnostic {
  const first = links.reduce((least, { path }, index) => (path < links[least]!.path ? index : least), 0);
  const turned = [...links.slice(first), ...links.slice(0, first + 1)];
  const message = `The file extends itself: ${turned.map(({ path }) => path).join(' → ')}`;
  return errorAt('extends_cycle', turned[0]!.at!, message, 'Remove one of these extends');
}

function pathsOf(node: TreeNode | null): ScalarNode[] {
  const nodes = node?.kind === 'list' ? node.items : node === null ? [] : [node];
  return nodes.filter((item): item is ScalarNode => item.kind === 'scalar' && item.value !== null);
}

/** Returns a map without the properties that are not inherited. @param others that it leaves out too */
export function withoutFileProperties(root: MapNode, others: readonly string[] = []): MapNode {
  const entries = new Map(root.entries);
  for (const property of OWN_PROPERTIES) entries.delete(property);
  for (const property of others) entries.delete(property);
  return { ...root, entries };
}
