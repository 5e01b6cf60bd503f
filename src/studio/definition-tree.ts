import { child, type MapNode, type TreeNode } from '../kernel/yaml/tree.ts';
import { readDefinitionFile } from '../reconciler/definition/definition-file.ts';
import { extend } from '../reconciler/definition/extend.ts';
import { writtenId } from '../reconciler/definition/merge-definitions.ts';
import type { Project } from '../reconciler/project/load-project.ts';
import type { WrittenScene } from './timeline-protocol.ts';

/** A scene as a definition has it, with its index in the list. */
interface WrittenNode extends Omit<WrittenScene, 'rows'> {
  readonly node: TreeNode;
}

/** Finds the written form of a scene, which may stand for rows; null if there is none. */
export function writtenScene(id: string, tree: MapNode | null): WrittenNode | null {
  const list = child(tree, 'scenes');
  if (list?.kind !== 'list') return null;
  for (const [index, node] of list.items.entries()) {
    const name = writtenId(node) ?? '';
    const isEach = child(node, 'each') !== null;
    // A definition with errors may have no rows.
    if (isEach ? id === name || id.startsWith(`${name}/`) : id === name) return { index, isEach, node };
  }
  return null;
}

/** Parses a definition and merges it with its fragments, as far as they can be parsed. Values keep the name of their file. */
export function definitionTree(path: string, { source }: Pick<Project, 'source'>): MapNode | null {
  const load = (file: string) => {
    const text = source(file);
    return text === undefined ? null : readDefinitionFile(file, { ok: true, text }, () => []);
  };
  return extend(path, load)?.root ?? load(path)?.root ?? null;
}
