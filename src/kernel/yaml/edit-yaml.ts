import {
  type Document,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  Scalar,
  stringify,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { sameTree } from './format-yaml.ts';
import { parseYaml } from './parse-yaml.ts';

/** A value to write. Strings stay strings when they are read again. */
export type YamlValue =
  | string
  | number
  | boolean
  | readonly string[]
  | Readonly<Record<string, string | number | boolean>>;

export interface YamlEdit {
  /** Keys from the top; an index for an item of a list. Missing maps are created. */
  readonly path: readonly string[];
  /** Null removes the key, and the maps around it that become empty, except the top. */
  readonly value: YamlValue | null;
}

/**
 * Edits a YAML text and keeps everything else as it is: comments, order, quotes, indentation and empty lines. Each edit changes only the
 * lines of its value; where that is not possible, such as inside an alias, the document is printed anew by the yaml library, which
 * keeps comments and order.
 *
 * @param text valid YAML with a map at the top, or nothing
 */
export function editYaml(text: string, edits: readonly YamlEdit[]): string {
  return edits.reduce(editOnce, text);
}

function editOnce(text: string, edit: YamlEdit): string {
  return closestText(splice(text, edit), editDocument(text, edit));
}

/** Returns the spliced text if it means the same as the printed document. */
function closestText(spliced: string | null, printed: string): string {
  if (spliced === null) return printed;
  const [read, meant] = [parseYaml('', spliced), parseYaml('', printed)];
  return read.ok && meant.ok && sameTree(read.value, meant.value) ? spliced : printed;
}

/** A change of the items of a list. Indexes count from 0. */
export type YamlListEdit =
  | { readonly kind: 'move'; readonly from: number; readonly to: number }
  | { readonly kind: 'remove'; readonly index: number }
  /** At the place of the item with this index, or at the end. */
  | { readonly kind: 'insert'; readonly index: number; readonly value: NestedYaml };

/**
 * Moves, removes or adds an item of a list, with the comments above it. Keeps everything else, as `editYaml` does.
 *
 * @param path keys from the top to a list
 * @throws RangeError if there is no such list or item
 */
export function editYamlList(text: string, path: readonly string[], edit: YamlListEdit): string {
  const document = parseDocument(text, PARSE);
  const list = document.getIn(keysOf(document, path), true);
  if (!isSeq(list)) throw new RangeError(`${path.join('.')} is not a list`);
  const ends = edit.kind === 'move' ? [edit.from, edit.to] : [edit.index];
  const last = edit.kind === 'insert' ? list.items.length : list.items.length - 1;
  if (ends.some((index) => !Number.isInteger(index) || index < 0 || index > last)) {
    throw new RangeError(`${path.join('.')} has ${list.items.length} items`);
  }
  const spliced = spliceList(text, list as YAMLSeq<Node>, edit);
  // Comments of an item move with its node.
  const [moved] = edit.kind === 'insert' ? [document.createNode(edit.value)] : list.items.splice(ends[0]!, 1);
  if (edit.kind !== 'remove') list.items.splice(ends.at(-1)!, 0, moved);
  return closestText(spliced, document.toString(PRINT));
}

/** Edits the lines of a list in block style; null for another list. */
function spliceList(text: string, { items, flow }: YAMLSeq<Node>, edit: YamlListEdit): string | null {
  const blocks = flow === true ? null : blocksOf(text, items);
  if (blocks === null) return null;
  const { start, end, indent } = blocks;
  const lines = [...blocks.texts];
  const [moved = ''] =
    edit.kind === 'insert'
      ? [itemText(edit.value, indent)]
      : lines.splice(edit.kind === 'move' ? edit.from : edit.index, 1);
  if (edit.kind !== 'remove') lines.splice(edit.kind === 'move' ? edit.to : edit.index, 0, moved);
  const isLast = end === text.length && !text.endsWith('\n');
  const joined = lines.map((block) => (block.endsWith('\n') ? block : `${block}\n`)).join('');
  return `${text.slice(0, start)}${isLast ? joined.replace(/\n$/, '') : joined}${text.slice(end)}`;
}

interface ListBlocks {
  readonly start: number;
  readonly end: number;
  /** Before the dash of each item. */
  readonly indent: string;
  /** Lines of each item, with the comments and empty lines above it. */
  readonly texts: readonly string[];
}

/** Returns the lines of the items of a list; null if they do not begin with a dash on a line of their own. */
function blocksOf(text: string, items: readonly Node[]): ListBlocks | null {
  const dashes: number[] = [];
  for (const { range } of items) {
    if (range == null) return null;
    const dash = text.lastIndexOf('-', range[0] - 1);
    if (dash === -1 || !/^-\s*$/.test(text.slice(dash, range[0]))) return null;
    dashes.push(dash);
  }
  const [first] = dashes;
  const lastEnd = items.at(-1)?.range?.[1];
  if (first === undefined || lastEnd === undefined) return null;
  const indents = dashes.map((dash) => text.slice(text.lastIndexOf('\n', dash - 1) + 1, dash));
  const [indent = ''] = indents;
  if (indents.some((before) => before !== indent) || indent.trim() !== '') return null;
  const starts = dashes.map((dash) => withComments(text, dash - indent.length, indent));
  const end = text[lastEnd - 1] === '\n' ? lastEnd : lineEnd(text, lastEnd);
  const texts = starts.map((start, index) => text.slice(start, starts[index + 1] ?? end));
  return { start: starts[0]!, end, indent, texts };
}

/** Returns the start of the comment lines directly above an item. Deeper lines belong to the item before. */
function withComments(text: string, lineStart: number, indent: string): number {
  let start = lineStart;
  for (;;) {
    const above = text.lastIndexOf('\n', start - 2) + 1;
    if (above === start || !text.startsWith(`${indent}#`, above)) return start;
    start = above;
  }
}

function itemText(value: NestedYaml, indent: string): string {
  const lines = stringify([value], PRINT).trimEnd().split('\n');
  return lines.map((line) => `${line === '' ? '' : indent}${line}\n`).join('');
}

const PARSE = { merge: false, uniqueKeys: false, logLevel: 'silent' } as const;
/** Lines are never folded, because they would differ from the typed text. */
const PRINT = { lineWidth: 0 } as const;

/** Edits through the document of the yaml library. */
function editDocument(text: string, { path, value }: YamlEdit): string {
  const document = parseDocument(text, PARSE);
  if (value === null) removeIn(document, path);
  else {
    // An empty value, such as "resources:" alone, is a map to be.
    const scalarAt = path.findIndex((_, depth) => depth > 0 && isScalar(document.getIn(path.slice(0, depth), true)));
    const writablePath = scalarAt === -1 ? path : path.slice(0, scalarAt);
    document.setIn(keysOf(document, writablePath), document.createNode(nested(path.slice(writablePath.length), value)));
  }
  return document.toString(PRINT);
}

function removeIn(document: Document, path: readonly string[]): void {
  const keys = keysOf(document, path);
  if (!document.hasIn(keys)) return;
  document.deleteIn(keys);
  const parent = path.slice(0, -1);
  const around = document.getIn(keysOf(document, parent), true);
  if (parent.length > 0 && isMap(around) && around.items.length === 0) removeIn(document, parent);
}

/** Turns the indexes of lists into numbers. */
function keysOf(document: Document, path: readonly string[]): (string | number)[] {
  return path.map((key, depth) => (isSeq(document.getIn(path.slice(0, depth), true)) ? Number(key) : key));
}

/** Edits the text itself; null where that is not possible. */
function splice(text: string, { path, value }: YamlEdit): string | null {
  const document = parseDocument(text, PARSE);
  const { contents } = document;
  if (!isMap(contents)) return null;
  let map: YAMLMap | YAMLSeq = contents;
  for (const [depth, key] of path.entries()) {
    const rest = path.slice(depth + 1);
    if (isSeq(map)) {
      const item: unknown = map.items[Number(key)];
      if (!isMap(item) || rest.length === 0) return null;
      map = item;
      continue;
    }
    const pair = pairOf(map, key);
    if (pair === null) return value === null ? text : insert(text, map, key, nested(rest, value));
    const isInFlow = map.flow === true;
    if (rest.length === 0) return value === null ? remove(text, contents, path) : replace(text, pair, value, isInFlow);
    const { value: inner } = pair;
    const isEmpty = isMap(inner) ? inner.items.length === 0 : isScalar(inner) && inner.value === null;
    if (isEmpty && value !== null) return replace(text, pair, nested(rest, value), isInFlow);
    if (!isMap(inner) && !isSeq(inner)) return null;
    map = inner;
  }
  return null;
}

export type NestedYaml = YamlValue | { readonly [key: string]: NestedYaml };

function nested(path: readonly string[], value: YamlValue): NestedYaml {
  return path.reduceRight<NestedYaml>((inner, key) => ({ [key]: inner }), value);
}

function pairOf(map: YAMLMap, key: string): Pair<Node, Node | null> | null {
  const found = map.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === key);
  return (found as Pair<Node, Node | null> | undefined) ?? null;
}

/**
 * Replaces the value of a pair. A scalar keeps its style, such as its quotes.
 *
 * @param isInFlow whether the pair is between braces
 */
function replace(
  text: string,
  { key, value: before }: Pair<Node, Node | null>,
  value: NestedYaml,
  isInFlow: boolean,
): string | null {
  if (before?.range == null || key.range == null) return null;
  const written = typeof value === 'object' ? value : new Scalar(value);
  const isLong = typeof value === 'string' && value.includes('\n');
  const keepsStyle = isScalar(before) && !(isLong && before.type === Scalar.PLAIN);
  if (written instanceof Scalar && keepsStyle && before.type !== undefined) written.type = before.type;
  const [start, end] = before.range;
  const indent = indentAt(text, key.range[0]);
  // An empty map in braces becomes a block, which is easier to extend.
  const wasFlow = isMap(before) && before.flow === true && before.items.length > 0;
  const isInline = typeof value !== 'object';
  if (wasFlow || Array.isArray(value) || (isInFlow && !isInline))
    return `${text.slice(0, start)}${flowText(written)}${text.slice(end)}`;
  // A value that begins on a line below its key is written behind the key again.
  const keyEnd = key.range[1];
  const between = text.slice(keyEnd, start);
  if (!/^\s*:\s*$/.test(between)) return null;
  const [first = '', ...lines] = stringify({ k: written }, PRINT).trimEnd().split('\n');
  const isBlock = lines.length > 0;
  const printed = [first.slice('k:'.length), ...lines.map((line) => (line === '' ? '' : indent + line))].join('\n');
  const hasBreak = text.slice(start, end).endsWith('\n');
  const space = isInline && !isBlock && !between.includes('\n') ? between : ':';
  const body = space === ':' ? printed : printed.trimStart();
  return `${text.slice(0, keyEnd)}${space}${body}${hasBreak ? '\n' : ''}${text.slice(end)}`;
}

function flowText(value: unknown): string {
  return stringify(value, { ...PRINT, collectionStyle: 'flow' }).trimEnd();
}

/** Adds a pair at the end of a map. */
function insert(text: string, map: YAMLMap, key: string, value: NestedYaml): string | null {
  const last = map.items.at(-1) as Pair<Node, Node | null> | undefined;
  const end = last?.value?.range?.[1] ?? last?.key.range?.[1];
  const start = last?.key.range?.[0];
  if (end === undefined || start === undefined) return null;
  if (map.flow === true)
    return `${text.slice(0, end)}, ${flowText({ [key]: value })
      .slice(1, -1)
      .trim()}${text.slice(end)}`;
  const indent = indentAt(text, start);
  const added = stringify({ [key]: value }, PRINT)
    .trimEnd()
    .split('\n')
    .map((line) => (line === '' ? '' : indent + line))
    .join('\n');
  // Behind a comment on the line of the last value.
  const at = text[end - 1] === '\n' ? end : lineEnd(text, end);
  const hasBreak = at > 0 && text[at - 1] === '\n';
  return `${text.slice(0, at)}${hasBreak ? '' : '\n'}${added}\n${text.slice(at)}`;
}

/** Removes the lines of a pair. */
function remove(text: string, root: YAMLMap, path: readonly string[]): string | null {
  let around: unknown = root;
  for (const key of path.slice(0, -1)) {
    around = isSeq(around) ? around.items[Number(key)] : isMap(around) ? pairOf(around, key)?.value : null;
  }
  if (!isMap(around)) return null;
  const map: YAMLMap = around;
  const pair = pairOf(map, path.at(-1)!);
  if (pair?.key.range == null) return text;
  if (map.items.length === 1 && path.length > 1) return remove(text, root, path.slice(0, -1));
  if (map.flow === true) return removeFromFlow(text, map, pair as Pair<Node, Node | null>);
  const start = text.lastIndexOf('\n', pair.key.range[0] - 1) + 1;
  if (text.slice(start, pair.key.range[0]).trim() !== '') return null;
  const valueEnd = pair.value?.range?.[1] ?? pair.key.range[1];
  const end = text[valueEnd - 1] === '\n' ? valueEnd : lineEnd(text, valueEnd);
  return text.slice(0, start) + text.slice(end);
}

/** Removes a pair between braces with its comma; null where a comment is beside it. */
function removeFromFlow(text: string, map: YAMLMap, pair: Pair<Node, Node | null>): string | null {
  const pairs = map.items as Pair<Node, Node | null>[];
  const index = pairs.indexOf(pair);
  const endOf = ({ key, value }: Pair<Node, Node | null>): number | undefined => (value?.range ?? key.range)?.[1];
  const next = pairs[index + 1]?.key.range?.[0];
  const start = next === undefined ? endOf(pairs[index - 1]!) : pair.key.range?.[0];
  const end = next ?? endOf(pair);
  if (start === undefined || end === undefined || text.slice(start, end).includes('#')) return null;
  return text.slice(0, start) + text.slice(end);
}

/** Returns the end of a line, behind its line break. */
function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end + 1;
}

function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  return ' '.repeat(line.length);
}
