import { type Diagnostic, errorAt } from '../../kernel/diagnostic.ts';
import { child, type MapEntry, type MapNode, type ScalarNode, type TreeNode } from '../../kernel/yaml/tree.ts';
import { type DefinitionFile, resolvePath, unreadable } from './definition-file.ts';
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

function extendFrom(path: string, load: Load, above: readonly string[]): DefinitionFile | null {
  const file = load(path);
  if (file === null || file.root === null) return file;
  const diagnostics = [...file.diagnostics, ...(isFragment(path) ? ownOfFragment(path, file.root) : [])];
  let broken = false;
  let merged: MapNode | null = null;
  for (const node of pathsOf(child(file.root, 'extends'))) {
    const part = extendPath(node, load, [...above, path]);
    diagnostics.push(...part.diagnostics);
    if (part.root === null) broken = true;
    else
      merged = merged === null ? withoutFileProperties(part.root) : mergeMaps(merged, withoutFileProperties(part.root));
  }
  if (broken) return { root: null, diagnostics };
  return { root: merged === null ? file.root : mergeMaps(merged, file.root), diagnostics };
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

function extendPath(node: ScalarNode, load: Load, chain: readonly string[]): DefinitionFile {
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
  if (chain.includes(target.path)) {
    const circle = [...chain.slice(chain.indexOf(target.path)), target.path].join(' → ');
    const message = `The file extends itself: ${circle}`;
    return {
      root: null,
      diagnostics: [errorAt('extends_cycle', at, message, 'Remove one of these extends')],
    };
  }
  const missing = { root: null, diagnostics: [unreadable(target.path, 'missing', at)] };
  return extendFrom(target.path, load, chain) ?? missing;
}

function pathsOf(node: TreeNode | null): ScalarNode[] {
  const nodes = node?.kind === 'list' ? node.items : node === null ? [] : [node];
  return nodes.filter((item): item is ScalarNode => item.kind === 'scalar' && item.value !== null);
}

/** Returns a map without the properties that are not inherited. */
export function withoutFileProperties(root: MapNode): MapNode {
  const entries = new Map(root.entries);
  for (const property of OWN_PROPERTIES) entries.delete(property);
  return { ...root, entries };
}

/**
 * Merges two maps recursively. Other values are replaced by the later value of the same key. Values keep their source
 * location.
 *
 * @param later its keys and its own location win
 */
function mergeMaps(earlier: MapNode, later: MapNode): MapNode {
  const entries = new Map<string, MapEntry>(earlier.entries);
  for (const [key, entry] of later.entries) {
    const before = entries.get(key)?.value;
    const merge = before?.kind === 'map' && entry.value.kind === 'map';
    entries.set(key, merge ? { ...entry, value: mergeMaps(before, entry.value) } : entry);
  }
  return { ...later, entries };
}
