import { resolve } from 'node:path';
import { isReelformError } from '../../diagnostic.ts';
import { type CommentData, markedComment } from '../../forge/comment-mark.ts';
import type { PlanDocument } from '../../plan/plan-document.ts';
import type { PlanPreview } from '../../preview/plan-preview.ts';
import { readPreview } from '../../preview/read-preview.ts';
import { QUIET_COMMENT } from '../../report/comment-text.ts';
import { planMarkdown } from '../../report/plan-markdown.ts';
import { directoryOf } from '../diagnose.ts';
import type { Io } from '../io.ts';
import type { CommentOptions } from './comment-options.ts';
import { readPlanFile } from './read-plan-file.ts';
import { tellWarning } from './tell-warning.ts';

/** Of a comment, GitHub takes 65,536 characters. */
const BUDGET = 60_000;

/** A plan that was read, and how it is said. */
export interface CommentDraft {
  readonly document: PlanDocument;
  /** Whether there is anything to say. */
  readonly hasNews: boolean;
  /** Without its hidden part. */
  readonly markdown: string;
  /** The whole comment, at most 60,000 characters. */
  body(data: Omit<CommentData, 'plan_id'>): string;
}

/**
 * Reads what a comment is made from; a preview that cannot be used is left out.
 *
 * @param summary the page where all of the plan can be read
 * @param urlsBelow where pictures may be shown from
 * @throws ReelformError `plan_invalid`
 */
export async function draftComment(
  options: CommentOptions,
  io: Io,
  { summary, urlsBelow }: { readonly summary: string | null; readonly urlsBelow: readonly string[] },
): Promise<CommentDraft> {
  const directory = directoryOf(options, io);
  const document = await readPlanFile(options.plan, directory);
  const preview = options.previewDir === undefined ? null : await tryPreview(resolve(directory, options.previewDir));
  const hasFailed = (document.checks ?? []).some(({ status }) => status === 'fail');
  const hasNews = document.changes.length > 0 || document.diagnostics.length > 0 || hasFailed;
  const hidden = markedComment(options.tag, { plan_id: document.plan_id, head_sha: LONG, base_sha: LONG }, '').length;
  const rest = summary === null ? {} : { rest: { summary } };
  const markdown = planMarkdown(document, { budget: BUDGET - hidden - 1, preview, ...rest });
  return {
    document,
    hasNews,
    markdown,
    body: (data) =>
      markedComment(options.tag, { plan_id: document.plan_id, ...data }, hasNews ? markdown : QUIET_COMMENT),
  };

  async function tryPreview(folder: string): Promise<PlanPreview | null> {
    try {
      return await readPreview(folder, { urlsBelow: [...urlsBelow, ...(options.previewUrl ?? [])] });
    } catch (error) {
      if (!isReelformError(error)) throw error;
      tellWarning(error, io);
      return null;
    }
  }
}

/** As long as any commit. */
const LONG = '0'.repeat(64);
