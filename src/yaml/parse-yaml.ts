import { type Document, isScalar, parseDocument, type YAMLError } from 'yaml';
import type { Code, Diagnostic, Result, Span } from '../diagnostic.ts';
import { TreeReader } from './read-tree.ts';
import type { TreeNode } from './tree.ts';

/** UTF-16 code units of one YAML file. */
const MAX_LENGTH = 1 << 20;

/**
 * YAML 1.2 text → its tree, `null` for a file of nothing but comments. All problems of the file at once; never throws,
 * whatever the text. Tags, merge keys, keys that are not texts, control characters and several documents in one file
 * are refused; aliases are followed within limits.
 *
 * @param file repository-relative, for the spans
 * @see https://yaml.org/spec/1.2.2/#103-core-schema
 */
export function parseYaml(file: string, text: string): Result<TreeNode | null> {
  if (text.length > MAX_LENGTH) {
    const message = `The file has ${text.length} characters, more than the ${MAX_LENGTH} that are read`;
    return { ok: false, diagnostics: [problem('yaml_too_complex', { file, start: 0, end: 0 }, message)] };
  }
  // A `uniqueKeys: true` is quadratic in the number of keys; the reader below looks for duplicates itself.
  const document = parseDocument(text, {
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
    return { ok: false, diagnostics: conflict === null ? syntaxProblems(file, document.errors) : [conflict] };
  }
  const reader = new TreeReader(file, text);
  const root = document.contents === null ? null : reader.read(document.contents, 0);
  if (isEmptyDocument(document)) return { ok: true, value: null };
  return reader.problems.length > 0 ? { ok: false, diagnostics: reader.problems } : { ok: true, value: root };
}

function isEmptyDocument(document: Document): boolean {
  const { contents } = document;
  return contents === null || (isScalar(contents) && contents.value === null && contents.source === '');
}

/** What follows from a merge that nobody finished is not worth a message each. */
function conflictIn(file: string, text: string): Diagnostic | null {
  const marker = /^<{7}(?: .*)?$/m.exec(text);
  if (marker === null) return null;
  const at = { file, start: marker.index, end: marker.index + marker[0].length };
  return problem('yaml_syntax', at, 'The file holds a conflict marker of a git merge', 'Finish the merge');
}

function syntaxProblems(file: string, errors: readonly YAMLError[]): Diagnostic[] {
  // After the first unexpected token the parser stumbles from one to the next: they say nothing new.
  const first = errors.findIndex((error) => error.code === 'UNEXPECTED_TOKEN');
  const telling = errors.filter((error, index) => error.code !== 'UNEXPECTED_TOKEN' || index === first);
  return telling.map((error) => {
    const span = { file, start: error.pos[0], end: error.pos[1] };
    return problem(codeOf(error), span, MESSAGES[error.code] ?? error.message, HINTS[error.code]);
  });
}

function codeOf(error: YAMLError): Code {
  if (error.code === 'RESOURCE_EXHAUSTION') return 'yaml_too_complex';
  return error.code === 'NON_STRING_KEY' || error.code === 'MULTIPLE_DOCS' ? 'yaml_unsupported' : 'yaml_syntax';
}

/** Where the parser's own sentence speaks of its options. */
const MESSAGES: Readonly<Record<string, string>> = {
  BLOCK_AS_IMPLICIT_KEY: 'There is a second ": " in a value on one line',
  MULTIPLE_DOCS: 'The file holds more than one document',
  NON_STRING_KEY: 'A key is not a text',
};

const HINTS: Readonly<Record<string, string>> = {
  BAD_SCALAR_START: 'Put the text in quotes',
  BLOCK_AS_IMPLICIT_KEY: 'Put a text that holds ": " in quotes',
  MULTIPLE_DOCS: 'Write one definition per file, without ---',
  NON_STRING_KEY: 'Put the key in quotes',
  TAB_AS_INDENT: 'Indent with spaces',
  UNEXPECTED_TOKEN: 'Put a text with any of {}[],&*#?|<>=!%@ in quotes',
};

function problem(code: Code, at: Span, message: string, hint?: string): Diagnostic {
  return { code, severity: 'error', message, hint, at };
}
