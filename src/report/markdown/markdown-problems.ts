import { isRecord } from '../../json.ts';
import type { PlanDocument } from '../../plan/plan-document.ts';
import { countNoun, formatCount } from '../wording/count-noun.ts';
import { shortenText } from '../wording/shorten-text.ts';
import { escapeMarkdown, markdownCode } from './escape-markdown.ts';
import { foldedTable } from './markdown-fold.ts';
import { thatFit } from './that-fit.ts';

/** A diagnostic of a plan's document, as far as it says something. */
export interface Problem {
  readonly severity: 'error' | 'warning';
  readonly code: string;
  readonly message: string;
  readonly hint: string | null;
  readonly file: string | null;
  readonly line: number | null;
  readonly column: number | null;
  readonly endLine: number | null;
  readonly endColumn: number | null;
}

/** The diagnostics of a plan, errors first. What is in no form of a diagnostic is passed over. */
export function problemsOf({ diagnostics }: Pick<PlanDocument, 'diagnostics'>): Problem[] {
  const problems = diagnostics.flatMap((one): Problem[] => {
    if (!isRecord(one) || typeof one.message !== 'string') return [];
    const string = (value: unknown): string | null => (typeof value === 'string' ? value : null);
    const place = (value: unknown): number | null => (Number.isInteger(value) ? (value as number) : null);
    return [
      {
        severity: one.severity === 'warning' ? 'warning' : 'error',
        code: string(one.code) ?? 'unknown',
        message: one.message,
        hint: string(one.hint),
        file: string(one.file),
        line: place(one.line),
        column: place(one.column),
        endLine: place(one.end_line),
        endColumn: place(one.end_column),
      },
    ];
  });
  const errors = problems.filter(({ severity }) => severity === 'error');
  return [...errors, ...problems.filter(({ severity }) => severity === 'warning')];
}

/** `2 errors and 1 warning`; empty where there are none. */
export function problemWords(problems: readonly Problem[]): string {
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const warnings = problems.length - errors;
  return [
    ...(errors > 0 ? [countNoun(errors, 'error')] : []),
    ...(warnings > 0 ? [countNoun(warnings, 'warning')] : []),
  ].join(' and ');
}

/** `videos/berlin.yaml:3:5`; empty where it is about no file. */
export function placeOf({ file, line, column }: Problem): string {
  return [file, line, column].filter((part) => part !== null).join(':');
}

/** How much a table of them may take. */
export interface ProblemRoom {
  readonly count: number;
  readonly characters: number;
}

/** A table of problems, of many the first ones and the others folded: what each is, what to do, where it is, and its code. @param room of the rest the number is told */
export function markdownProblems(problems: readonly Problem[], room: ProblemRoom): string {
  if (problems.length === 0) return '';
  const rows = thatFit(problems.slice(0, room.count), room.characters, (problem) => {
    const { severity, code, message, hint } = problem;
    const place = placeOf(problem);
    const where = [...(place === '' ? [] : [markdownCode(shortenText(place, 200))]), markdownCode(code)].join('<br>');
    const todo = hint === null ? '' : `<br><sub>${escapeMarkdown(shortenText(hint, 300))}</sub>`;
    const mark = severity === 'error' ? '❌' : '⚠️';
    return `| ${mark}&nbsp;${severity} | ${escapeMarkdown(shortenText(message, 500))}${todo} | ${where} |`;
  });
  const more = problems.length - rows.length;
  const rest = more > 0 ? `\n\nAnd ${formatCount(more)} more like these.` : '';
  return `${foldedTable('| | Problem | Where |\n|:--|:--|:--|', rows, (folded) => countNoun(folded, 'more problem'))}${rest}`;
}
