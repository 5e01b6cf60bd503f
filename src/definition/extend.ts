import type { Diagnostic } from '../diagnostic.ts';
import { child, type MapEntry, type MapNode, type ScalarNode, type TreeNode } from '../yaml/tree.ts';
import type { DefinitionFile } from './definition-file.ts';
import { unreadable } from './definition-file.ts';
import { resolvePath } from './repository-path.ts';

/** A file with all that it extends merged into it. */
export interface Extended {
  /** `null` when the file or one that it extends cannot be used; the diagnostics say why. */
  readonly root: MapNode | null;
  readonly diagnostics: readonly Diagnostic[];
}

/** Properties that say which videos a file makes: they stay with the file that says them. */
const OWN_PROPERTIES = ['id', 'each', 'extends'];

/**
 * Merges the files that a definition extends, and those that they extend, the definition's own values last.
 *
 * @param load the file of a path; `null` when it does not exist
 */
export function extend(file: DefinitionFile, load: (path: string) => DefinitionFile | null): Extended {
  return extendFrom(file, load, [file.path]);
}

function extendFrom(
  file: DefinitionFile,
  load: (path: string) => DefinitionFile | null,
  chain: readonly string[],
): Extended {
  if (file.root === null) return { root: null, diagnostics: file.diagnostics };
  const diagnostics = [...file.diagnostics];
  let broken = false;
  let merged: MapNode | null = null;
  for (const node of pathsOf(child(file.root, 'extends'))) {
    const part = extendPath(node, load, chain);
    diagnostics.push(...part.diagnostics);
    if (part.root === null) broken = true;
    else merged = merged === null ? withoutOwn(part.root) : mergeMaps(merged, withoutOwn(part.root));
  }
  if (broken) return { root: null, diagnostics };
  return { root: merged === null ? file.root : mergeMaps(merged, file.root), diagnostics };
}

function extendPath(
  node: ScalarNode,
  load: (path: string) => DefinitionFile | null,
  chain: readonly string[],
): Extended {
  const at = node.span;
  const target = resolvePath(node.text, node.saidBy);
  if (!target.ok) {
    const { code, message, hint } = target;
    return { root: null, diagnostics: [{ code, severity: 'error', message, hint, at }] };
  }
  if (chain.includes(target.path)) {
    const circle = [...chain.slice(chain.indexOf(target.path)), target.path].join(' → ');
    const message = `The file extends itself: ${circle}`;
    return {
      root: null,
      diagnostics: [{ code: 'extends_cycle', severity: 'error', message, hint: 'Remove one of these extends', at }],
    };
  }
  const part = load(target.path);
  if (part === null) return { root: null, diagnostics: [unreadable(target.path, 'missing', at)] };
  return extendFrom(part, load, [...chain, target.path]);
}

function pathsOf(node: TreeNode | null): ScalarNode[] {
  const nodes = node?.kind === 'list' ? node.items : node === null ? [] : [node];
  return nodes.filter((item): item is ScalarNode => item.kind === 'scalar' && item.value !== null);
}

/** The map without what says which videos the file makes. */
export function withoutOwn(root: MapNode): MapNode {
  const entries = new Map(root.entries);
  for (const property of OWN_PROPERTIES) entries.delete(property);
  return { ...root, entries };
}

/**
 * Two maps as one: maps under the same key are merged in turn, of anything else the later stays. Each value keeps the
 * place where it was written.
 *
 * @param later its keys and its own place win
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
