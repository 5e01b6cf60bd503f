import { relative, sep } from 'node:path';
import type { Annotation, CheckRun } from '../../forge/github/check-runs.ts';
import { isDenied, type PlanDocument } from '../../plan/plan-document.ts';
import { planTitle } from '../../report/markdown/comment-text.ts';
import { problemsOf } from '../../report/markdown/problem-tables.ts';
import { hasChanges } from '../../report/wording/plan-words.ts';
import { directoryOf } from '../diagnose.ts';
import type { Io } from '../io.ts';
import type { CommentDraft } from './comment-draft.ts';
import type { CommentOptions } from './comment-options.ts';

/** A plan as a check run, without the commit that it is for. */
export function checkOfPlan(
  { document, markdown }: CommentDraft,
  options: CommentOptions,
  io: Io,
): Omit<CheckRun, 'headSha' | 'detailsUrl'> {
  const { GITHUB_RUN_ID: run = '', GITHUB_RUN_ATTEMPT: attempt = '' } = io.env;
  return {
    name: options.tag === 'plan' ? 'Reelform plan' : `Reelform plan (${options.tag})`,
    conclusion: conclusionOf(document),
    title: planTitle(document),
    summary: markdown,
    annotations: annotationsOf(document, folderOf(options, io)),
    externalId: [options.tag, document.plan_id, run, attempt].join(' '),
  };
}

/** Mistakes come before what a policy says: a plan with mistakes is not all of it. */
function conclusionOf(document: PlanDocument): CheckRun['conclusion'] {
  const errors = problemsOf(document).filter(({ severity }) => severity === 'error');
  if (errors.some(({ code }) => code !== 'policy_broken')) return 'failure';
  if (isDenied(document) || errors.length > 0) return 'action_required';
  return hasChanges(document) ? 'success' : 'neutral';
}

function annotationsOf(document: PlanDocument, folder: string): Annotation[] {
  return problemsOf(document).flatMap(({ file, line, end_line: endLine, severity, code, message, hint }) => {
    if (file === null || line === null || line < 1 || !isInside(file)) return [];
    return [
      {
        path: folder + file,
        startLine: line,
        endLine: endLine ?? line,
        level: severity === 'error' ? ('failure' as const) : ('warning' as const),
        title: code,
        message: hint === null ? message : `${message}. ${hint}`,
      },
    ];
  });
}

function isInside(file: string): boolean {
  return file !== '' && !/^[/\\]|[\0\\]/.test(file) && !file.split('/').includes('..');
}

/** From the root of git's repository to that of reelform: `site/`, or nothing where they are the same. */
function folderOf(options: CommentOptions, io: Io): string {
  const root = io.env.GITHUB_WORKSPACE ?? '';
  if (root === '') return '';
  const path = relative(root, directoryOf(options, io)).split(sep).join('/');
  return path === '' || path.startsWith('..') ? '' : `${path}/`;
}
