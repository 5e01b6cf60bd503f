import { createRequire } from 'node:module';
import type { Document, Node, YAMLError } from 'yaml';
import { type Code, type Diagnostic, errorAt, failure, type Result, type Span, startOf } from '../diagnostic.ts';
import type { MapEntry, ScalarNode, TreeNode } from './tree.ts';
import { readUsualYaml } from './usual-yaml.ts';

/** Loaded for the first text that needs the whole language: most commands read none. The build makes a file of it. */
let yaml: typeof import('yaml');

/** Maximum depth of nested values. */
const MAX_DEPTH = 64;
/** Maximum length of a YAML file, in UTF-16 code units. */
const MAX_LENGTH = 1 << 20;

/**
 * Parses YAML 1.2 text to a tree, or to `null` if the file contains only comments. Reports all problems at once and never
 * throws. Rejects tags, merge keys, keys that are not strings, control characters and several documents in one file.
 * Resolves aliases within limits.
 *
 * @param file repository-relative, for the spans
 * @see https://yaml.org/spec/1.2.2/#103-core-schema
 */
export function parseYaml(file: string, text: string): Result<TreeNode | null> {
  if (text.length > MAX_LENGTH) {
    const message = `The file has ${text.length} characters, but at most ${MAX_LENGTH} are supported`;
    return failure('yaml_too_complex', startOf(file), message);
  }
  const usual = readUsualYaml(file, text);
  if (usual !== null) return { ok: true, value: usual };
  return parseAnyYaml(file, text);
}

/** Parses a text by the whole language. */
export function parseAnyYaml(file: string, text: string): Result<TreeNode | null> {
  yaml ??= createRequire(import.meta.url)('yaml') as typeof import('yaml');
  // `uniqueKeys: true` takes quadratic time in the number of keys; TreeReader detects duplicates itself.
  const document = yaml.parseDocument(text, {
    schema: 'core',
    merge: false,
    uniqueKeys: false,
    stringKeys: true,
    resolveKnownTags: false,
    prettyErrors: false,
    logLevel: 'error',
  });
  if (document.errors.length > 0) {
    const conflict = conflictIn(file, text);
    return { ok: false, diagnostics: conflict === null ? syntaxProblems(file, text, document) : [conflict] };
  }
  const reader = new TreeReader(file, text);
  const root = document.contents === null ? null : reader.read(document.contents, 0);
  if (isEmptyDocument(document)) return { ok: true, value: null };
  return reader.problems.length > 0 ? { ok: false, diagnostics: reader.problems } : { ok: true, value: root };
}

function isEmptyDocument(document: Document): boolean {
  const { contents } = document;
  return contents === null || (yaml.isScalar(contents) && contents.value === null && contents.source === '');
}

/** Returns a single diagnostic for an unfinished git merge, which causes many syntax errors. */
function conflictIn(file: string, text: string): Diagnostic | null {
  const marker = /^<{7}(?: .*)?$/m.exec(text);
  if (marker === null) return null;
  const at = { file, start: marker.index, end: marker.index + marker[0].length };
  return errorAt('yaml_syntax', at, 'The file contains a git conflict marker', 'Resolve the conflict');
}

/**
 * Returns the offset of the first quote whose closing quote is missing, or null. The parser reports it where the text ends:
 * at the end of the file, at the next line that is indented less, or after the quote that begins a later text.
 */
function unclosedQuote(text: string, document: Document): number | null {
  let first: number | null = null;
  yaml.visit(document, {
    Scalar(_, { type, range }) {
      if ((type !== 'QUOTE_DOUBLE' && type !== 'QUOTE_SINGLE') || !range) return;
      const [start, end] = range;
      const hasLineBreak = text.slice(start, end).includes('\n');
      const isUnclosed = document.errors.some(({ code, pos, message }) => {
        if (code === 'MULTILINE_IMPLICIT_KEY') return pos[0] === start;
        if (pos[0] !== end) return false;
        return code === 'UNEXPECTED_TOKEN' ? hasLineBreak : message.startsWith('Missing closing');
      });
      if (!isUnclosed) return;
      first = start;
      return yaml.visit.BREAK;
    },
  });
  return first;
}

/** Returns the spans of lists and maps in brackets whose closing bracket is missing, in order. */
function unclosedBrackets(text: string, document: Document): [start: number, end: number][] {
  const unclosed: [number, number][] = [];
  // Of values that are nested too deep, the parser has not seen the end.
  if (document.errors.some(({ code }) => code === 'RESOURCE_EXHAUSTION')) return unclosed;
  yaml.visit(document, {
    Collection(_, { flow, range }) {
      if (flow !== true || !range) return;
      const [start, end] = range;
      const closing = CLOSING[text[start]!];
      if (closing !== undefined && text[end - 1] !== closing) unclosed.push([start, end]);
    },
  });
  return unclosed;
}

const CLOSING: Readonly<Record<string, string>> = { '[': ']', '{': '}' };

function syntaxProblems(file: string, text: string, document: Document): Diagnostic[] {
  const quote = unclosedQuote(text, document);
  // An open quote hides the brackets after it.
  const brackets = unclosedBrackets(text, document).filter(([, end]) => quote === null || end <= quote);
  const open = [...brackets.map(([start]) => start), ...(quote === null ? [] : [quote])];
  // Later errors follow from what is open.
  const earlier = document.errors.filter(({ pos }) => open.every((start) => pos[0] < start));
  return [...problemsOf(file, text, earlier), ...open.map((start) => unclosedProblem(file, text, start))];
}

/** @param start of a quote or a bracket */
function unclosedProblem(file: string, text: string, start: number): Diagnostic {
  const opening = text[start]!;
  const end = start + /^[^\r\n]*/.exec(text.slice(start))![0].trimEnd().length;
  const closing = CLOSING[opening] ?? opening;
  const of = opening === '[' ? 'list' : opening === '{' ? 'map' : 'text';
  return errorAt(
    'yaml_syntax',
    { file, start, end },
    `The closing ${closing} of this ${of} is missing`,
    `Add ${closing} at the end of the ${of}${UNCLOSED_HINTS[opening]}`,
  );
}

const UNCLOSED_HINTS: Readonly<Record<string, string>> = {
  '"': '; a quote in the text is \\"',
  "'": "; an apostrophe in the text is ''",
  '[': ', or quote a text that begins with [',
  '{': ', or quote a text that begins with {',
};

function problemsOf(file: string, text: string, errors: readonly YAMLError[]): Diagnostic[] {
  // Further unexpected tokens usually follow from the first.
  const first = errors.findIndex((error) => error.code === 'UNEXPECTED_TOKEN');
  const reported = errors.filter((error, index) => error.code !== 'UNEXPECTED_TOKEN' || index === first);
  // The parser takes a line with a wrong indentation for the continuation of the value above, and reports that value twice.
  const continued = new Set(reported.filter(({ code }) => code === 'MULTILINE_IMPLICIT_KEY').map(({ pos }) => pos[0]));
  const isRepeated = ({ code, pos }: YAMLError): boolean => code === 'BLOCK_AS_IMPLICIT_KEY' && continued.has(pos[0]);
  return reported
    .filter((error) => !isRepeated(error))
    .map((error) => {
      const layout = layoutProblem(file, text, error);
      if (layout !== null) return layout;
      const span = { file, start: error.pos[0], end: error.pos[1] };
      return errorAt(codeOf(error), span, MESSAGES[error.code] ?? error.message, HINTS[error.code]);
    });
}

/** Explains an error that an indentation or a missing colon causes; null for other errors. */
function layoutProblem(file: string, text: string, { code, pos, message }: YAMLError): Diagnostic | null {
  const isBetween = code === 'MISSING_CHAR' && message.startsWith('Sequence item without');
  if (isBetween || (code === 'BAD_INDENT' && message.startsWith('All mapping items'))) {
    return misindented(file, text, pos[0], null);
  }
  if (code !== 'MULTILINE_IMPLICIT_KEY' || !message.startsWith('Implicit keys need')) return null;
  const start = text.lastIndexOf('\n', pos[0] - 1) + 1;
  const line = /^[ \t]*/.exec(text.slice(start))![0].length;
  // The next line that is neither blank nor a comment.
  const next = /\n(?:[ \t]*(?:#[^\n]*)?\r?\n)*([ \t]*)(?=\S)/g;
  next.lastIndex = pos[0];
  const found = next.exec(text);
  if (found === null) return null;
  const indentation = found[1]!.length;
  const isWholeLine = start + line === pos[0];
  if (!isWholeLine || indentation !== line) return misindented(file, text, next.lastIndex, isWholeLine ? null : line);
  const at = { file, start: pos[0], end: /[^\r\n]*/.exec(text.slice(pos[0]))![0].trimEnd().length + pos[0] };
  return errorAt('yaml_syntax', at, 'The line has no ": " after its key', 'Write it as key: value');
}

/**
 * @param at start of the line or of its first character
 * @param expected spaces at the start of the entry above; null if unknown
 */
function misindented(file: string, text: string, at: number, expected: number | null): Diagnostic {
  const lineStart = text.lastIndexOf('\n', at - 1) + 1;
  const [, spaces = '', rest = ''] = /^([ \t]*)([^\r\n]*)/.exec(text.slice(lineStart)) ?? [];
  const start = lineStart + spaces.length;
  const message = `The line begins with ${spacesText(spaces.length)}, which matches no entry above it`;
  const hint =
    expected === null
      ? 'Indent all entries of a map by the same number of spaces'
      : `Begin it ${expected === 0 ? 'without spaces' : `with ${spacesText(expected)}`} like the line above, or quote a text of several lines`;
  return errorAt('yaml_syntax', { file, start, end: start + rest.trimEnd().length }, message, hint);
}

function spacesText(count: number): string {
  return count === 1 ? '1 space' : `${count} spaces`;
}

function codeOf(error: YAMLError): Code {
  if (error.code === 'RESOURCE_EXHAUSTION') return 'yaml_too_complex';
  return error.code === 'NON_STRING_KEY' || error.code === 'MULTIPLE_DOCS' ? 'yaml_unsupported' : 'yaml_syntax';
}

/** Replacements for messages of the parser that mention its options. */
const MESSAGES: Readonly<Record<string, string>> = {
  BLOCK_AS_IMPLICIT_KEY: 'There is a second ": " in a value on one line',
  MULTIPLE_DOCS: 'The file contains more than one document',
  NON_STRING_KEY: 'A key is not a string',
  // The stack of the parser is full.
  RESOURCE_EXHAUSTION: `The value is nested more than ${MAX_DEPTH} levels deep`,
};

const HINTS: Readonly<Record<string, string>> = {
  BAD_SCALAR_START: 'Put the text in quotes',
  BLOCK_AS_IMPLICIT_KEY: 'Quote a text that contains ": "',
  MULTIPLE_DOCS: 'Write one definition per file, without ---',
  NON_STRING_KEY: 'Put the key in quotes',
  TAB_AS_INDENT: 'Indent with spaces',
  UNEXPECTED_TOKEN: 'Quote a text that contains any of {}[],&*#?|<>=!%@',
};

/** Total number of nodes that the aliases of a file may expand to. */
const MAX_ALIASED_NODES = 10_000;

/** Converts the nodes of `yaml` to `TreeNode`, and collects the constructs that definitions do not allow. */
class TreeReader {
  readonly problems: Diagnostic[] = [];
  readonly #file: string;
  readonly #text: string;
  readonly #anchors = new Map<string, { node: TreeNode; size: number } | 'open'>();
  #aliasedNodes = 0;
  #size = 0;

  constructor(file: string, text: string) {
    this.#file = file;
    this.#text = text;
  }

  read(node: Node, depth: number): TreeNode {
    if (yaml.isAlias(node)) return this.#follow(node.source, this.#span(node));
    const anchor = yaml.isScalar(node) || yaml.isMap(node) || yaml.isSeq(node) ? node.anchor : undefined;
    if (anchor !== undefined) this.#anchors.set(anchor, 'open');
    const before = this.#size;
    const result = this.#readNode(node, depth);
    if (anchor !== undefined) this.#anchors.set(anchor, { node: result, size: this.#size - before });
    return result;
  }

  #readNode(node: Node, depth: number): TreeNode {
    const span = this.#span(node);
    this.#size += 1;
    if (node.tag !== undefined) {
      this.#add('yaml_unsupported', span, 'The value has a tag', 'Remove the tag; quote the value if it is a text');
    }
    if (depth > MAX_DEPTH) {
      this.#add('yaml_too_complex', span, `The value is nested more than ${MAX_DEPTH} levels deep`);
      return emptyScalar(span);
    }
    if (yaml.isMap(node)) return { kind: 'map', entries: this.#entries(node.items, depth), span };
    if (yaml.isSeq(node))
      return { kind: 'list', items: node.items.map((item) => this.#child(item, depth, span)), span };
    return yaml.isScalar(node) ? this.#scalar(node.value, node.source, span) : emptyScalar(span);
  }

  #entries(pairs: readonly { key: unknown; value: unknown }[], depth: number): Map<string, MapEntry> {
    const entries = new Map<string, MapEntry>();
    for (const pair of pairs) {
      // The option `stringKeys` rejects all other keys except aliases.
      if (!yaml.isScalar(pair.key) || typeof pair.key.value !== 'string') {
        const at = this.#span(pair.key as Node);
        this.#add('yaml_unsupported', at, 'A key is an alias', 'Write the key itself');
        continue;
      }
      const key = pair.key.value;
      const keySpan = this.#span(pair.key);
      if (pair.key.tag !== undefined) this.#add('yaml_unsupported', keySpan, 'The key has a tag', 'Remove the tag');
      this.#checkCharacters(key, keySpan);
      if (key === '<<') {
        this.#add('yaml_unsupported', keySpan, 'Merge keys are not supported', 'Share values with "extends" instead');
      } else if (key === '__proto__') {
        this.#add('yaml_unsupported', keySpan, 'A key cannot be named __proto__', 'Choose another name');
      } else if (entries.has(key)) {
        const message = `The key ${JSON.stringify(key)} is used twice in this map`;
        this.#add('yaml_duplicate_key', keySpan, message, 'Remove one of the two');
      } else {
        entries.set(key, { keySpan, value: this.#withHint(this.#child(pair.value, depth, keySpan), keySpan) });
      }
    }
    return entries;
  }

  /** Adds a hint to `c_01: #EEADA7`, which YAML reads as an empty value and a comment. */
  #withHint(value: TreeNode, keySpan: Span): TreeNode {
    if (value.kind !== 'scalar' || value.value !== null || value.text !== '') return value;
    const comment = /^\s*:[ \t]+(#[^\r\n]*)/.exec(this.#text.slice(keySpan.end, keySpan.end + 200))?.[1]?.trim();
    if (comment === undefined) return value;
    return { ...value, hint: `# starts a comment in YAML; quote ${JSON.stringify(comment)}` };
  }

  #child(value: unknown, depth: number, around: Span): TreeNode {
    return value === null || value === undefined ? emptyScalar(around) : this.read(value as Node, depth + 1);
  }

  #scalar(value: unknown, source: string | undefined, span: Span): ScalarNode {
    const written = typeof value === 'string' ? value : (source ?? String(value));
    // Escapes, and all of JSON, can contain CR LF and CR. The texts of videos do not depend on the line breaks of a file.
    const text = written.replaceAll(/\r\n?/g, '\n');
    this.#checkCharacters(text, span);
    const isText = typeof value === 'string' || (typeof value === 'number' && !isExact(value));
    const exact = isText ? text : (value as ScalarNode['value']);
    return { kind: 'scalar', value: exact, text, span, baseFile: this.#file };
  }

  #follow(name: string, span: Span): TreeNode {
    const target = this.#anchors.get(name);
    if (target === undefined) {
      this.#add(
        'yaml_syntax',
        span,
        `No anchor &${name} is defined before this alias`,
        `Add &${name} to the value to repeat`,
      );
      return emptyScalar(span);
    }
    if (target === 'open') {
      this.#add('yaml_too_complex', span, `The alias *${name} is inside the value that it repeats`);
      return emptyScalar(span);
    }
    const before = this.#aliasedNodes;
    this.#aliasedNodes += target.size;
    this.#size += target.size;
    if (this.#aliasedNodes <= MAX_ALIASED_NODES) return target.node;
    if (before <= MAX_ALIASED_NODES) {
      const message = `The aliases of this file expand to more than ${MAX_ALIASED_NODES} values`;
      this.#add('yaml_too_complex', span, message, 'Write the values themselves, or share them with "extends"');
    }
    return emptyScalar(span);
  }

  #checkCharacters(text: string, span: Span): void {
    const control = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/.exec(text)?.[0];
    if (control !== undefined) {
      const name = `U+${control.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
      this.#add('yaml_unsupported', span, `The text contains the control character ${name}`, 'Remove it');
    } else if (!text.isWellFormed()) {
      this.#add('yaml_unsupported', span, 'The text contains an unpaired surrogate', 'Write the complete character');
    }
  }

  #span(node: Node): Span {
    const [start, end] = node.range ?? [0, 0];
    return { file: this.#file, start, end };
  }

  #add(code: Code, at: Span, message: string, hint?: string): void {
    this.problems.push(errorAt(code, at, message, hint));
  }
}

function emptyScalar(span: Span): ScalarNode {
  return { kind: 'scalar', value: null, text: '', span, baseFile: span.file };
}

/** Returns whether JSON can represent the number exactly. */
function isExact(value: number): boolean {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
}
