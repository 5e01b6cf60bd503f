import type { ApplyOutcome } from '../../reconciler/apply/events.ts';
import type { Published } from '../../reconciler/lock/publish-lock.ts';
import { isDenied, type PlanDocument } from '../../reconciler/plan/plan-document.ts';
import { type JsonDiagnostic, problemsOf } from '../json/diagnostics-json.ts';
import { hasChanges } from '../wording/plan-words.ts';
import { formatCount } from '../wording/quantities.ts';

/** GitHub shows at most this many annotations of a kind for a step. */
const MOST = 10;

/**
 * Formats the problems of a plan as annotations, each on a line: `::error file=…,line=…::…`. At most 10 of each kind; the last
 * annotation counts the rest.
 *
 * @param folder folder of reelform's repository within the git repository, with a trailing `/`; empty if they are the same
 * @see https://docs.github.com/en/actions/reference/workflow-commands-for-github-actions
 */
export function githubAnnotations(document: Pick<PlanDocument, 'diagnostics'>, folder: string): string {
  const problems = problemsOf(document);
  return (['error', 'warning'] as const)
    .flatMap((severity) => {
      const ofSeverity = problems.filter((problem) => problem.severity === severity);
      if (ofSeverity.length <= MOST) return ofSeverity.map((problem) => annotation(problem, folder));
      const more = ofSeverity.length - (MOST - 1);
      const last = `::${severity}::${formatCount(more)} more like these: see the summary of the job\n`;
      return [...ofSeverity.slice(0, MOST - 1).map((problem) => annotation(problem, folder)), last];
    })
    .join('');
}

function annotation(problem: JsonDiagnostic, folder: string): string {
  const { severity, code, message, hint, file, line, column, end_line: endLine, end_column: endColumn } = problem;
  const isOneLine = line === endLine;
  const properties: [string, string | number | null][] = [
    ['title', code],
    ['file', file === null ? null : folder + file],
    ['line', line],
    ['endLine', endLine],
    // GitHub accepts columns only within a line.
    ['col', isOneLine ? column : null],
    ['endColumn', isOneLine ? endColumn : null],
  ];
  const present = properties.flatMap(([name, value]) =>
    value === null ? [] : [`${name}=${escapeProperty(String(value))}`],
  );
  return `::${severity} ${present.join(',')}::${escapeData(hint === null ? message : `${message}. ${hint}`)}\n`;
}

/** Formats the outputs of a plan step for its output file. @param delimiter random, not a line of any value */
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
 * Formats the outputs of an apply step. `failed` counts videos not rendered, not delivered or of unknown state.
 *
 * @param run.published last publication of the lockfile
 * @param run.commit last commit of the lockfile in this run
 * @param run.isLockChanged whether the lockfile in the work tree changed during the run
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

/** Wraps text for a step's log, so that no line runs as a workflow command. @param token random, not part of the text */
export function withoutCommands(text: string, token: string): string {
  return `::stop-commands::${token}\n${text.endsWith('\n') ? text : `${text}\n`}::${token}::\n`;
}

function escapeData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}

const KINDS = {
  created: 'The comment was created',
  updated: 'The comment was updated',
  same: 'The comment is already up to date',
  hidden: 'The plan has no changes; the earlier comment was hidden',
  deleted: 'The plan has no changes; the earlier comment was deleted',
  none: 'The plan has no changes; no comment was created',
} as const;

/** Reports what happened to a comment. */
export function commentText({ kind, url }: { readonly kind: keyof typeof KINDS; readonly url: string | null }): string {
  return `${KINDS[kind]}${url === null ? '' : `: ${url}`}\n`;
}

const SKIPPED = {
  no_pipeline: () => 'it has no merge request pipeline',
  fork: () =>
    'its pipeline runs in the project of the fork. A member can start one in this project, after reading the changes',
  outdated: () => 'its newest commit has no merge request pipeline yet',
  no_job: ({ job }) => `its newest pipeline has no job ${job}`,
  unfinished: ({ job }) => `its job ${job} is not finished`,
  no_plan: ({ job, file }) => `its job ${job} has no artifact ${file}`,
} as const satisfies Record<string, (names: { readonly job: string; readonly file: string }) => string>;

/** Reports why a merge request gets no note. */
export function skippedNoteText(
  reason: keyof typeof SKIPPED,
  names: { readonly job: string; readonly file: string },
): string {
  return `No note was written: ${SKIPPED[reason](names)}`;
}

/** Formats a warning as a line, or as an annotation in a job of GitHub Actions. */
export function warningText(
  { message, code, hint }: { readonly message: string; readonly code?: string; readonly hint?: string | undefined },
  isAction: boolean,
): string {
  const text = `${code === undefined ? '' : `${code}: `}${message}${hint === undefined ? '' : `. ${hint}`}`;
  const line = text.replaceAll(/[\s\p{C}]+/gu, ' ');
  return isAction ? `::warning title=reelform::${line.replaceAll('%', '%25')}\n` : `warning: ${line}\n`;
}
