import { isTiming } from '../../contract/timeline/place.ts';
import type { StyleVersion } from '../../contract/wire/style-version.ts';
import { type Diagnostic, errorAt, type Result, type Span, startOf } from '../../kernel/diagnostic.ts';
import { isRecord, parseJson } from '../../kernel/json.ts';

const MAX_EDITABLES = 500;
const MAX_LABEL = 200;
const MAX_TEXT = 10_000;

/**
 * Parses `schemas/<template>.spec.json`, `{"style_version": …}`. The text comes from a service and is untrusted: checks its
 * structure and size, and keeps unknown fields.
 */
export function parseSpec(file: string, text: string): Result<StyleVersion> {
  const invalid = (problems: readonly string[]): Result<never> => ({
    ok: false,
    diagnostics: problems.map(
      (message): Diagnostic => errorAt('spec_invalid', locateKey(file, text, message), message, 'Run reelform pull'),
    ),
  });
  const document = parseJson(text);
  if (document === undefined) return invalid(['The text is not valid JSON']);
  const value = isRecord(document) ? document.style_version : undefined;
  const problems = specProblems(value);
  return problems.length > 0 ? invalid(problems) : { ok: true, value: value as StyleVersion };
}

/** Returns the problems of a specification; empty if it is valid. */
export function specProblems(value: unknown): string[] {
  if (!isRecord(value)) return ['style_version is not an object'];
  const problems: string[] = [];
  if (!isText(value.id, MAX_LABEL) || value.id === '')
    problems.push(`style_version.id is not a string of 1 to ${MAX_LABEL} characters`);
  if (!isTexts(value.fonts)) problems.push('style_version.fonts is not a list of strings');
  if (value.available_fonts !== undefined && !isTexts(value.available_fonts))
    problems.push('style_version.available_fonts is not a list of strings');
  if (value.timing !== undefined && !isTiming(value.timing))
    problems.push('style_version.timing is not a list of places');
  if (!isRecord(value.editables)) return [...problems, 'style_version.editables is not an object'];
  const editables = Object.entries(value.editables);
  if (editables.length > MAX_EDITABLES) {
    return [...problems, `style_version has ${editables.length} editables, but at most ${MAX_EDITABLES} are supported`];
  }
  for (const [key, editable] of editables) {
    const name = JSON.stringify(key.slice(0, MAX_LABEL));
    if (!isText(key, MAX_LABEL) || key === '' || key === '__proto__')
      problems.push(`${name} is not a valid key of an editable`);
    if (!isRecord(editable)) problems.push(`The editable ${name} is not an object`);
    else problems.push(...editableProblems(name, editable));
  }
  return problems;
}

/** Locates the first key or text that a problem quotes, as written in the file; the beginning of the file if it quotes none. */
function locateKey(file: string, text: string, message: string): Span {
  const quoted = /"(?:[^"\\]|\\.)*"/.exec(message)?.[0];
  const start = quoted === undefined ? -1 : text.indexOf(`${quoted}:`);
  return quoted === undefined || start < 0 ? startOf(file) : { file, start, end: start + quoted.length };
}

type Fields = Readonly<Record<string, unknown>>;

/** Field of an editable → its type. Fields without a `?` are required. */
const RULES: Readonly<Record<string, readonly [expected: string, holds: (value: unknown) => boolean]>> = {
  input_type: ['a text', (value) => isText(value, MAX_LABEL) && value !== ''],
  stillcut: ['a text', (value) => isText(value, MAX_LABEL)],
  'example_text?': [
    `a text of at most ${MAX_TEXT} characters`,
    (value) => typeof value === 'string' && value.length <= MAX_TEXT,
  ],
  'fonts?': ['a list of texts', isTexts],
  'width?': ['a positive number', isPositive],
  'height?': ['a positive number', isPositive],
  'label?': [`a text of at most ${MAX_LABEL} characters`, (value) => isText(value, MAX_LABEL)],
  'required?': ['true or false', (value) => typeof value === 'boolean'],
  'max_length?': ['a positive number', isPositive],
  'duration?': ['a positive number', isPositive],
  'allowed_fonts?': ['a list of texts', isTexts],
};

function editableProblems(name: string, editable: Fields): string[] {
  return Object.entries(RULES).flatMap(([rule, [expected, holds]]) => {
    const field = rule.replace('?', '');
    const value = Object.hasOwn(editable, field) ? editable[field] : undefined;
    if (value === undefined && rule.endsWith('?')) return [];
    return holds(value) ? [] : [`${field} of the editable ${name} is not ${expected}`];
  });
}

/** Accepts a line without control characters, which a terminal or editor could interpret. */
function isText(value: unknown, maxLength: number): value is string {
  return (
    typeof value === 'string' &&
    value.length <= maxLength &&
    !/[\x00-\x1f\x7f-\x9f]/.test(value) &&
    value.isWellFormed()
  );
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.length <= 1000 && value.every((item) => isText(item, MAX_LABEL));
}

function isPositive(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value > 0;
}
