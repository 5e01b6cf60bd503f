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
} from 'yaml';
import { sameTree } from './format-yaml.ts';
import { parseYaml } from './parse-yaml.ts';

/** A value to write. Strings stay strings when they are read again. */
export type YamlValue = string | number | boolean | Readonly<Record<string, string | number | boolean>>;

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
  const printed = editDocument(text, edit);
  const meant = parseYaml('', printed);
  const spliced = splice(text, edit);
  if (spliced === null) return printed;
  const read = parseYaml('', spliced);
  return read.ok && meant.ok && sameTree(read.value, meant.value) ? spliced : printed;
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
  document.deleteIn(keysOf(document, path));
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
  let map: YAMLMap = contents;
  for (const [depth, key] of path.entries()) {
    const pair = pairOf(map, key);
    const rest = path.slice(depth + 1);
    if (pair === null) return value === null ? text : insert(text, map, key, nested(rest, value));
    if (rest.length === 0) return value === null ? remove(text, contents, path) : replace(text, pair, value);
    const { value: inner } = pair;
    const isEmpty = isMap(inner) ? inner.items.length === 0 : isScalar(inner) && inner.value === null;
    if (isEmpty && value !== null) return replace(text, pair, nested(rest, value));
    if (!isMap(inner)) return null;
    map = inner;
  }
  return null;
}

type Nested = YamlValue | { readonly [key: string]: Nested };

function nested(path: readonly string[], value: YamlValue): Nested {
  return path.reduceRight<Nested>((inner, key) => ({ [key]: inner }), value);
}

function pairOf(map: YAMLMap, key: string): Pair<Node, Node | null> | null {
  const found = map.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === key);
  return (found as Pair<Node, Node | null> | undefined) ?? null;
}

/** Replaces the value of a pair. A scalar keeps its style, such as its quotes. */
function replace(text: string, { key, value: before }: Pair<Node, Node | null>, value: Nested): string | null {
  if (before?.range == null || key.range == null) return null;
  const written = typeof value === 'object' ? value : new Scalar(value);
  const isLong = typeof value === 'string' && value.includes('\n');
  const keepsStyle = isScalar(before) && !(isLong && before.type === Scalar.PLAIN);
  if (written instanceof Scalar && keepsStyle && before.type !== undefined) written.type = before.type;
  const [start, end] = before.range;
  const indent = indentAt(text, key.range[0]);
  // An empty map in braces becomes a block, which is easier to extend.
  const isFlow = isMap(before) && before.flow === true && before.items.length > 0;
  const isInline = typeof value !== 'object';
  if (isFlow) return `${text.slice(0, start)}${flowText(written)}${text.slice(end)}`;
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
function insert(text: string, map: YAMLMap, key: string, value: Nested): string | null {
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
  let map = root;
  for (const key of path.slice(0, -1)) {
    const inner = pairOf(map, key)?.value;
    if (!isMap(inner)) return null;
    map = inner;
  }
  const pair = pairOf(map, path.at(-1)!);
  if (pair?.key.range == null) return text;
  if (map.items.length === 1 && path.length > 1) return remove(text, root, path.slice(0, -1));
  if (map.flow === true) return null;
  const start = text.lastIndexOf('\n', pair.key.range[0] - 1) + 1;
  if (text.slice(start, pair.key.range[0]).trim() !== '') return null;
  const valueEnd = pair.value?.range?.[1] ?? pair.key.range[1];
  const end = text[valueEnd - 1] === '\n' ? valueEnd : lineEnd(text, valueEnd);
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
