import type { TreeNode } from './tree.ts';

/** Whether two trees say the same: places and the order of keys say nothing, the text of a scalar does. */
export function sameTree(a: TreeNode | null, b: TreeNode | null): boolean {
  if (a === null || b === null) return a === b;
  if (a.kind === 'scalar') return b.kind === 'scalar' && a.text === b.text && Object.is(a.value, b.value);
  if (a.kind === 'list') {
    return (
      b.kind === 'list' &&
      a.items.length === b.items.length &&
      a.items.every((item, index) => sameTree(item, b.items[index]!))
    );
  }
  if (b.kind !== 'map' || a.entries.size !== b.entries.size) return false;
  return [...a.entries].every(([key, { value }]) => sameTree(value, b.entries.get(key)?.value ?? null));
}
