import type { Locate, Span } from '../diagnostic.ts';
import type { Json } from '../digest.ts';
/**
 * A YAML document as a tree with source locations. Nodes are immutable, so aliases and merged fragments share them: the
 * tree is a graph without cycles.
 */
export type TreeNode = ScalarNode | ListNode | MapNode;

/** A cell of a data row that filled in a part of a text. */
export interface FilledCell {
  readonly text: string;
  readonly column: string;
  /** Location of the row. */
  readonly row: Span;
  /** Returns the location of the cell. */
  locate(): Span;
}

/** A text that contains the name of a locale. */
interface LocalText {
  readonly locale: string;
  readonly text: string;
}

export interface ScalarNode {
  readonly kind: 'scalar';
  /** By the YAML 1.2 core schema, except that numbers stay strings if JSON cannot represent them exactly. */
  readonly value: string | number | boolean | null;
  /** The text as written, such as `1.10` or `000000`, with quotes and escapes resolved. */
  readonly text: string;
  readonly span: Span;
  /** The file that a relative path in this text is resolved from: `span.file`, or the data file that filled it in. */
  readonly baseFile: string;
  /** Name of the row that filled in the text, for messages. */
  readonly row?: string | undefined;
  /** The cells of that row in the text; absent without any. */
  readonly cells?: readonly FilledCell[];
  /** The entry of a catalogue that the text is from; absent for any other text. */
  readonly entry?: Span;
  /** The text in the parents of the locale that filled it in, the nearest first; absent without such. */
  readonly inParents?: readonly LocalText[];
  readonly hint?: string | undefined;
}

export interface ListNode {
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

/** Returns the value of a key; `null` if the node is not a map or lacks the key. */
export function child(node: TreeNode | null, key: string): TreeNode | null {
  return node?.kind === 'map' ? (node.entries.get(key)?.value ?? null) : null;
}

/** Returns the text of a non-null scalar; `null` for any other node. */
export function textOf(node: TreeNode | null): string | null {
  return node?.kind === 'scalar' && node.value !== null ? node.text : null;
}

/**
 * Converts a tree to JSON, for validation.
 *
 * @param isText returns whether the scalar at a path is converted to its text rather than to its YAML value
 */
export function toJson(
  node: TreeNode,
  isText: (path: readonly string[]) => boolean,
  path: readonly string[] = [],
): Json {
  return jsonAt(node, isText, [...path]);
}

/** @param path is the same afterwards: a plan converts each value of each scene */
function jsonAt(node: TreeNode, isText: (path: readonly string[]) => boolean, path: string[]): Json {
  switch (node.kind) {
    case 'scalar':
      if (node.value === null) return null;
      return isText(path) ? node.text : node.row === undefined ? node.value : coreValue(node.text);
    case 'list':
      return node.items.map((item, index) => jsonWithin(item, String(index), isText, path));
    case 'map': {
      const members: Record<string, Json> = {};
      // Faster than a loop, which makes a list for each entry until it is optimized.
      node.entries.forEach(({ value }, key) => {
        members[key] = jsonWithin(value, key, isText, path);
      });
      return members;
    }
  }
}

function jsonWithin(inner: TreeNode, step: string, isText: (path: readonly string[]) => boolean, path: string[]): Json {
  path.push(step);
  const json = jsonAt(inner, isText, path);
  path.pop();
  return json;
}

/** Converts a filled-in text to a number or boolean where it has that form. */
function coreValue(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)$/.test(text) ? Number(text) : text;
}

/**
 * Creates a function that locates paths in a tree. A map is located at its first key, to keep code frames short.
 *
 * In a tree that was merged from several files, a value is located in the file that contains it. A value that is missing at
 * the top level, or in a map there, is located in the file of the root.
 */
export function locateIn(root: TreeNode): Locate {
  return (path, part) => {
    let node = root;
    let keySpan: Span | null = null;
    for (const [depth, step] of path.entries()) {
      const next = stepInto(node, step);
      if (next === null) {
        const around = keySpan ?? spanOf(node);
        return { span: depth <= 1 && around.file !== root.span.file ? spanOf(root) : around };
      }
      node = next.node;
      keySpan = next.keySpan ?? keySpan;
      if (depth === path.length - 1 && part === 'key' && next.keySpan !== null) return { span: next.keySpan };
    }
    if (node.kind === 'map') return { span: keySpan ?? spanOf(node) };
    if (node.kind === 'list') return { span: spanOf(node) };
    const isEmpty = node.span.start === node.span.end;
    return { span: isEmpty && keySpan !== null ? keySpan : node.span, hint: node.hint, row: node.row };
  };
}

/** Returns the node at a key of a map or an index of a list; null if it is missing. */
function stepInto(node: TreeNode, step: string): { readonly node: TreeNode; readonly keySpan: Span | null } | null {
  if (node.kind === 'map') {
    const entry = node.entries.get(step);
    return entry === undefined ? null : { node: entry.value, keySpan: entry.keySpan };
  }
  const item = node.kind === 'list' ? node.items[Number(step)] : undefined;
  return item === undefined ? null : { node: item, keySpan: null };
}

/** Returns the span of a node; for a map its first key in the same file, or its start if all keys come from other files. */
function spanOf(node: TreeNode): Span {
  if (node.kind !== 'map' || node.entries.size === 0) return node.span;
  const { file, start, end } = node.span;
  const keys = [...node.entries.values()].map(({ keySpan }) => keySpan);
  const keysInNode = keys.filter((key) => key.file === file && key.start >= start && key.start < end);
  if (keysInNode.length === 0) return { file, start, end: start };
  return keysInNode.reduce((first, key) => (key.start < first.start ? key : first));
}
