import type { ApplyOutcome } from '../../apply/events.ts';
import type { Published } from '../../lock/publish-lock.ts';
import { isDenied, type PlanDocument } from '../../plan/plan-document.ts';
import { type Problem, problemsOf } from '../markdown/problem-tables.ts';
import { hasChanges } from '../wording/plan-words.ts';
import { formatCount } from '../wording/quantities.ts';

/** So many of a kind GitHub shows of one step. */
const MOST = 10;

/**
 * The problems of a plan as annotations of the files that they are in, a line for each: `::error file=…,line=…::…`. Of each
 * kind there are 10 at most; where there are more, the last one counts them.
 *
 * @param folder of the repository of reelform within git's, with `/` and one at its end; empty where they are the same
 * @see https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
 */
export function githubAnnotations(document: Pick<PlanDocument, 'diagnostics'>, folder: string): string {
  const problems = problemsOf(document);
  return (['error', 'warning'] as const)
    .flatMap((severity) => {
      const own = problems.filter((problem) => problem.severity === severity);
      if (own.length <= MOST) return own.map((problem) => annotation(problem, folder));
      const more = own.length - (MOST - 1);
      const last = `::${severity}::${formatCount(more)} more like these: see the summary of the job\n`;
      return [...own.slice(0, MOST - 1).map((problem) => annotation(problem, folder)), last];
    })
    .join('');
}

function annotation(problem: Problem, folder: string): string {
  const { severity, code, message, hint, file, line, column, endLine, endColumn } = problem;
  const isOneLine = line === endLine;
  const properties: [string, string | number | null][] = [
    ['title', code],
    ['file', file === null ? null : folder + file],
    ['line', line],
    ['endLine', endLine],
    // Columns are taken within one line alone.
    ['col', isOneLine ? column : null],
    ['endColumn', isOneLine ? endColumn : null],
  ];
  const given = properties.flatMap(([name, value]) =>
    value === null ? [] : [`${name}=${escapeProperty(String(value))}`],
  );
  return `::${severity} ${given.join(',')}::${escapeData(hint === null ? message : `${message}. ${hint}`)}\n`;
}

/** The outputs of a step, as they are appended to its file. @param delimiter no line of a value: random */
export function githubOutputs(document: PlanDocument, delimiter: string): string {
  const errors = problemsOf(document).filter(({ severity }) => severity === 'error').length;
  const values = {
    plan_id: document.plan_id,
    has_changes: hasChanges(document),
    renders: document.estimate.renders,
    restores: document.estimate.restores?.videos ?? 0,
    errors,
    denied: isDenied(document),
  };
  return outputLines(values, delimiter);
}

/**
 * The same of an apply. `failed` is what a person has to look at: not rendered, not delivered, or not known.
 *
 * @param run.published what became of the lockfile on its branch, at last; null: nothing
 * @param run.commit of the lockfile, the last that the run made; null: none
 * @param run.isLockChanged whether the lockfile of the work tree is not as the run found it
 */
export function githubApplyOutputs(
  run: {
    readonly outcome: ApplyOutcome;
    readonly published: Published | null;
    readonly commit: string | null;
    readonly isLockChanged: boolean;
  },
  delimiter: string,
): string {
  const { rendered, recorded, failed, undelivered, unknown } = run.outcome;
  const { published } = run;
  const values = {
    rendered,
    recorded,
    failed: failed.length + undelivered.length + unknown.length,
    lock_changed: run.isLockChanged,
    commit: run.commit ?? '',
    pull_request: published === null || published.kind === 'closed' ? '' : (published.pull ?? ''),
  };
  return outputLines(values, delimiter);
}

function outputLines(values: Readonly<Record<string, string | number | boolean>>, delimiter: string): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}<<${delimiter}\n${value}\n${delimiter}\n`)
    .join('');
}

/** Text for the log of a step of which no line is taken for a command. @param token not in the text: random */
export function withoutCommands(text: string, token: string): string {
  return `::stop-commands::${token}\n${text.endsWith('\n') ? text : `${text}\n`}::${token}::\n`;
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
