import {
  type Document,
  isCollection,
  isMap,
  isPair,
  isScalar,
  type Pair,
  parseDocument,
  Scalar,
  visit,
  type YAMLMap,
} from 'yaml';
import type { Result } from '../diagnostic.ts';
import { parseYaml } from './parse-yaml.ts';
import type { TreeNode } from './tree.ts';

/** Order of the properties of a map. */
export interface PropertyOrder {
  readonly names: readonly string[];
  /** Order of the properties of the maps in a property, which is a list or a map of them. */
  readonly inside?: Readonly<Record<string, PropertyOrder>>;
}

/** A formatted text with the same meaning as the original. */
interface FormattedYaml {
  readonly text: string;
  /** Whether the text was left as it is, because formatting would change its meaning. */
  readonly isKept: boolean;
}

const MAX_PASSES = 6;

/** `#EEADA7`, which YAML reads as a comment without quotes. */
const COLOR = /^#(?:[0-9a-f]{6}|[0-9a-f]{8})$/i;

/**
 * Formats a YAML text: known properties in order, then unknown properties, also in the maps that the order names, two spaces for each level, colours in double
 * quotes, at most one empty line, a newline at the end. Keeps comments, empty lines, quotes and the lines of long texts.
 * Parses the result and compares it with the original, so the meaning never changes.
 *
 * @param file repository-relative, for diagnostics
 * @param order of the top-level map
 */
export function formatYaml(file: string, text: string, order: PropertyOrder): Result<FormattedYaml> {
  const meant = parseYaml(file, text);
  if (!meant.ok) return meant;
  if (meant.value === null) return { ok: true, value: { text, isKept: false } };
  const keeps = (formatted: string): boolean => {
    const read = parseYaml(file, formatted);
    return read.ok && sameTree(read.value, meant.value);
  };
  // Comments may need several passes. A text counts as formatted only when another pass leaves it unchanged.
  let present = text;
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    const next = [layOut(present, order, true), layOut(present, order, false)].find(keeps);
    if (next === undefined) break;
    if (next === present) return { ok: true, value: { text: present, isKept: false } };
    present = next;
  }
  return { ok: true, value: { text, isKept: true } };
}

/** @param keepsLines whether scalars over several lines keep their line breaks instead of being joined */
function layOut(text: string, order: PropertyOrder, keepsLines: boolean): string {
  // In the failsafe schema every scalar is a string, so none is reformatted.
  const document = parseDocument(text, { schema: 'failsafe', merge: false, uniqueKeys: false, logLevel: 'silent' });
  const blocks: string[][] = [];
  let hasAnchors = false;
  visit(document, {
    // An explicit key without a value, `? a`: the failsafe schema has no null.
    Pair: (_, pair, path) => {
      if (pair.value === null && !isInFlow(path)) pair.value = emptyScalar();
    },
    Collection: (_, { anchor }) => {
      hasAnchors ||= anchor !== undefined;
    },
    Scalar: (key, node, path) => {
      hasAnchors ||= node.anchor !== undefined;
      if (typeof node.value !== 'string') return;
      if (COLOR.test(node.value)) node.type = Scalar.QUOTE_DOUBLE;
      const parent = path.at(-1);
      const inBlock = key === 'value' && isPair(parent) && !isInFlow(path);
      const lines = keepsLines && inBlock ? linesOf(node, text) : null;
      if (lines === null) return;
      node.value = placeholder(blocks.length);
      node.type = Scalar.PLAIN;
      blocks.push(lines);
    },
  });
  // Sorting could move an alias before its anchor.
  if (isMap(document.contents) && !hasAnchors) sortFile(document.contents, order);
  const laidOut = print(document);
  return blocks.reduce((whole, lines, index) => putBack(whole, placeholder(index), lines), laidOut);
}

function isInFlow(path: readonly unknown[]): boolean {
  return path.some((node) => isMap(node) && node.flow === true);
}

function emptyScalar(): Scalar {
  const scalar = new Scalar('');
  scalar.type = Scalar.PLAIN;
  scalar.source = '';
  return scalar;
}

function print(document: Document): string {
  const text = document.toString({ lineWidth: 0, indent: 2 });
  return `${text.trimEnd()}\n`;
}

/** Sorts the properties, and keeps a comment at the top of the file there. */
function sortFile(map: YAMLMap, order: PropertyOrder): void {
  const first = map.items[0];
  sortProperties(map, order);
  const now = map.items[0];
  if (first === undefined || now === undefined || first === now) return;
  if (!isScalar(first.key) || !isScalar(now.key)) return;
  // The last block of comments above the first property belongs to it, unless it is the only block.
  const [, header = first.key.commentBefore ?? '', propertyComment = ''] =
    /^([\s\S]*\n)\n([\s\S]+)$/.exec(first.key.commentBefore ?? '') ?? [];
  first.key.commentBefore = propertyComment;
  const under = now.key.commentBefore ?? '';
  now.key.commentBefore = header === '' || under === '' ? header + under : `${header.trimEnd()}\n\n${under}`;
}

/** Sorts the properties of a map, and those of the maps inside it. Comments move with their properties. */
function sortProperties(map: YAMLMap, { names, inside = {} }: PropertyOrder): void {
  const rank = ({ key }: Pair): number => {
    const index = names.indexOf(isScalar(key) ? String(key.value) : '');
    return index < 0 ? names.length : index;
  };
  const first = map.items[0];
  map.items.sort((a, b) => rank(a) - rank(b));
  const now = map.items[0];
  // An empty line above it separated it from another property.
  if (first !== now && isScalar(now?.key)) now.key.spaceBefore = false;
  for (const { key, value } of map.items) {
    const order = isScalar(key) && Object.hasOwn(inside, String(key.value)) ? inside[String(key.value)] : undefined;
    if (order === undefined || !isCollection(value)) continue;
    for (const item of value.items) {
      const member = isPair(item) ? item.value : item;
      if (isMap(member)) sortProperties(member, order);
    }
  }
}

/** Returns the lines of a multi-line scalar, the first starting after its key; null for any other scalar. */
function linesOf(node: Scalar, text: string): string[] | null {
  if (node.type === Scalar.BLOCK_LITERAL || node.range === undefined || node.range === null) return null;
  const [first = '', ...rest] = text.slice(node.range[0], node.range[1]).trimEnd().split(/\r?\n/);
  if (rest.length === 0 || node.anchor !== undefined) return null;
  const indents = rest.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length);
  const indent = node.type === Scalar.BLOCK_FOLDED ? Math.min(...indents) : null;
  return [first.trimEnd(), ...rest.map((line) => (indent === null ? line.trim() : line.slice(indent).trimEnd()))];
}

/** A text that does not occur in definitions. */
function placeholder(index: number): string {
  return `__reelform_lines_${index}__`;
}

function putBack(text: string, mark: string, [first, ...rest]: readonly string[]): string {
  const at = text.indexOf(mark);
  const line = text.slice(text.lastIndexOf('\n', at) + 1, at);
  const indent = `${/^[ -]*/.exec(line)?.[0].replaceAll('-', ' ') ?? ''}  `;
  const lines = [first, ...rest.map((line) => (line === '' ? '' : `${indent}${line}`))];
  return `${text.slice(0, at)}${lines.join('\n')}${text.slice(at + mark.length)}`;
}

/** Returns whether two trees have the same meaning: ignores positions and the order of keys, compares the text of scalars. */
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
