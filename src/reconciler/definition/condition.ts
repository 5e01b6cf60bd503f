import { defined } from '../../kernel/defined.ts';
import { type Diagnostic, errorAt, type Result, type Span } from '../../kernel/diagnostic.ts';
import { didYouMean } from '../../kernel/hints.ts';
import { type MapEntry, type TreeNode, textOf } from '../../kernel/yaml/tree.ts';
import type { Row } from './read-rows.ts';

/**
 * A condition of `when` or `where`: a text that is true or false, or tests of columns that must all pass. Conditions are parsed after
 * their `${column}` have been filled in.
 */
export type Condition = TextCondition | { readonly kind: 'columns'; readonly tests: readonly ColumnTest[] };

interface TextCondition {
  readonly kind: 'text';
  readonly text: string;
  /** The column that filled it in; absent if it was written, or filled in by several. */
  readonly column?: string;
  readonly at: Span;
}

/** A test of one column. */
export interface ColumnTest {
  readonly column: string;
  /** Trimmed. The test passes if the cell has any of them, or with `isNegated` if it has none. */
  readonly values: readonly string[];
  readonly isNegated: boolean;
  readonly at: Span;
}

/** Why a condition is false, for plans. */
export type FailedTest = TextCondition | ({ readonly kind: 'column'; readonly cell: string } & ColumnTest);

/** Texts that are false, in lower case. */
const FALSE_TEXTS: readonly string[] = ['', 'false', 'no', '0'];
const EXAMPLE = '{ campaign: spring }, { country: [de, at] } or { state: { not: draft } }';

/**
 * Parses a condition. Returns all mistakes, each at its own value.
 *
 * @param columns columns of the row that the condition is about; null without rows
 */
export function parseCondition(node: TreeNode, columns: Iterable<string> | null): Result<Condition> {
  const text = textOf(node);
  if (text !== null) {
    const [cell, second] = node.kind === 'scalar' ? (node.cells ?? []) : [];
    const column = second === undefined ? cell?.column : undefined;
    return { ok: true, value: { kind: 'text', text, at: node.span, ...defined({ column }) } };
  }
  const problems: Diagnostic[] = [];
  const add = (message: string, at: Span, hint?: string): void => {
    problems.push(errorAt('definition_invalid', at, message, hint));
  };
  if (node.kind !== 'map' || node.entries.size === 0) {
    add(`A condition must be a text or a map of columns, like ${EXAMPLE}`, node.span);
    return { ok: false, diagnostics: problems };
  }
  const known = columns === null ? null : new Set(columns);
  const tests: ColumnTest[] = [];
  for (const [column, entry] of node.entries) {
    if (known?.has(column) !== true) problems.push(unknownColumn(column, entry, known));
    const test = parseTest(column, entry, add);
    if (test !== null) tests.push(test);
  }
  return problems.length > 0 ? { ok: false, diagnostics: problems } : { ok: true, value: { kind: 'columns', tests } };
}

/**
 * Returns the first reason why a condition is false; null if it is true.
 *
 * A text is false if it is empty, `false`, `no` or `0`, trimmed and ignoring case. A cell is a list separated by `;` whose items are
 * trimmed; its values are compared with case.
 */
export function failedTest(condition: Condition, row: Row | null): FailedTest | null {
  if (condition.kind === 'text') {
    return FALSE_TEXTS.includes(condition.text.trim().toLowerCase()) ? condition : null;
  }
  for (const test of condition.tests) {
    const cell = row?.values.get(test.column) ?? '';
    const items = cell.split(';').map((item) => item.trim());
    const hasValue = test.values.some((value) => items.includes(value));
    if (hasValue === test.isNegated) return { kind: 'column', cell, ...test };
  }
  return null;
}

/** Describes why a condition is false, like `offer is empty` or `campaign is "winter"`. */
export function reasonOf(failed: FailedTest): string {
  if (failed.kind === 'column') return `${failed.column} ${valueText(failed.cell)}`;
  return `${failed.column ?? 'its condition'} ${valueText(failed.text)}`;
}

function valueText(text: string): string {
  return text.trim() === '' ? 'is empty' : `is ${JSON.stringify(text.trim())}`;
}

function parseTest(
  column: string,
  { value: node, keySpan }: MapEntry,
  add: (message: string, at: Span, hint?: string) => void,
): ColumnTest | null {
  const isNegated = node.kind === 'map' && node.entries.has('not');
  const wanted = node.kind === 'map' ? node.entries.get('not')?.value : node;
  const others = node.kind === 'map' ? [...node.entries].filter(([name]) => name !== 'not') : [];
  for (const [name, { keySpan: at }] of others) {
    add(`The test of the column ${column} has no property ${name}`, at, `Write it like { ${column}: { not: value } }`);
  }
  const items = wanted?.kind === 'list' ? wanted.items : wanted === undefined ? [] : [wanted];
  const values = items.map(textOf);
  const wrong = items.find((_, index) => values[index] === null);
  if (wrong !== undefined || (items.length === 0 && others.length === 0)) {
    const message = `The column ${column} must be compared with a value, a list of values or { not: value }`;
    add(message, wrong?.span ?? node.span, `Write an empty cell as ""`);
    return null;
  }
  return { column, values: values.map((value) => value!.trim()), isNegated, at: keySpan };
}

function unknownColumn(column: string, { keySpan }: MapEntry, columns: ReadonlySet<string> | null): Diagnostic {
  if (columns === null) {
    const message = `The condition tests the column ${column}, but there are no rows`;
    return errorAt('unknown_variable', keySpan, message, 'Add `each`, or write the condition as a text');
  }
  const message = `No column is named ${column}`;
  const hint = didYouMean(column, columns) ?? `The columns are ${[...columns].slice(0, 20).join(', ')}`;
  return errorAt('unknown_variable', keySpan, message, hint);
}
