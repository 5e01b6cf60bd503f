import type { Locate, Span } from '../diagnostic.ts';
import type { Json } from '../digest.ts';
/**
 * A YAML document as a small tree that knows where each part of it was written. Nodes are never changed, so aliases and
 * merged parts may share them: it is a graph without cycles.
 */
export type TreeNode = ScalarNode | ListNode | MapNode;

export interface ScalarNode {
  readonly kind: 'scalar';
  /** By the YAML 1.2 core schema, except that numbers which JSON cannot carry exactly stay texts. */
  readonly value: string | number | boolean | null;
  /** The text as written: `1.10` and `000000` stay what they are; quotes and escapes are resolved. */
  readonly text: string;
  readonly span: Span;
  /** The file that a path in this text starts from; `span.file` unless data said it. */
  readonly saidBy: string;
  /** The row that filled in the text, for messages. */
  readonly row?: string | undefined;
  readonly hint?: string | undefined;
}

interface ListNode {
  readonly kind: 'list';
  readonly items: readonly TreeNode[];
  readonly span: Span;
}

export interface MapNode {
  readonly kind: 'map';
  readonly entries: ReadonlyMap<string, MapEntry>;
  readonly span: Span;
}

export interface MapEntry {
  readonly keySpan: Span;
  readonly value: TreeNode;
}

/** The node under a key of a map; `null` when it is no map or has no such key. */
export function child(node: TreeNode | null, key: string): TreeNode | null {
  return node?.kind === 'map' ? (node.entries.get(key)?.value ?? null) : null;
}

/** The text of a scalar that has a value; `null` for anything else. */
export function textOf(node: TreeNode | null): string | null {
  return node?.kind === 'scalar' && node.value !== null ? node.text : null;
}

/**
 * The tree as plain JSON, for a schema.
 *
 * @param isText says at which paths a scalar counts by its text, whatever YAML makes of it
 */
export function toJson(
  node: TreeNode,
  isText: (path: readonly string[]) => boolean,
  path: readonly string[] = [],
): Json {
  switch (node.kind) {
    case 'scalar':
      if (node.value === null) return null;
      return isText(path) ? node.text : node.row === undefined ? node.value : coreValue(node.text);
    case 'list':
      return node.items.map((item, index) => toJson(item, isText, [...path, String(index)]));
    case 'map': {
      const members: Record<string, Json> = {};
      for (const [key, entry] of node.entries) members[key] = toJson(entry.value, isText, [...path, key]);
      return members;
    }
  }
}

/** A text that was filled in where a number or a boolean belongs. */
function coreValue(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)$/.test(text) ? Number(text) : text;
}

/**
 * Finds source locations in a tree by path. A map is shown as its first key: its whole text would be too much.
 *
 * In a tree that is merged from several files, a value that is written in one of them is located there. What no file
 * says at the top, or in a map there, is located in the file of the root, which is where it is missing.
 */
export function locateIn(root: TreeNode): Locate {
  return (path, part) => {
    let node = root;
    let keySpan: Span | null = null;
    for (const [depth, step] of path.entries()) {
      const next = node.kind === 'map' ? node.entries.get(step) : undefined;
      const item = node.kind === 'list' ? node.items[Number(step)] : undefined;
      if (next === undefined && item === undefined) {
        const around = keySpan ?? placeOf(node);
        return { span: depth <= 1 && around.file !== root.span.file ? placeOf(root) : around };
      }
      if (next !== undefined) keySpan = next.keySpan;
      node = next?.value ?? item!;
      if (depth === path.length - 1 && part === 'key' && next !== undefined) return { span: next.keySpan };
    }
    if (node.kind !== 'scalar') return { span: node.kind === 'map' && keySpan !== null ? keySpan : placeOf(node) };
    const span = node.span.start === node.span.end && keySpan !== null ? keySpan : node.span;
    return { span, hint: node.hint, row: node.row };
  };
}

/** The first key that a map has in its own file; the place where the map begins where all of its keys are merged into it. */
function placeOf(node: TreeNode): Span {
  if (node.kind !== 'map' || node.entries.size === 0) return node.span;
  const { file, start, end } = node.span;
  const keys = [...node.entries.values()].map(({ keySpan }) => keySpan);
  const own = keys.filter((key) => key.file === file && key.start >= start && key.start < end);
  if (own.length === 0) return { file, start, end: start };
  return own.reduce((first, key) => (key.start < first.start ? key : first));
}
