import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { ReelformError } from '../../diagnostic.ts';
import { type CommentData, markedComment } from '../../forge/write-comment.ts';
import type { PlanDocument } from '../../plan/plan-document.ts';
import type { PlanPreview } from '../../preview/plan-preview.ts';
import { readPreview } from '../../preview/read-preview.ts';
import { OBSOLETE_COMMENT, pageMarkdown } from '../../report/markdown/comment-text.ts';
import { planMarkdown } from '../../report/markdown/plan-markdown.ts';
import { hasChanges } from '../../report/wording/plan-words.ts';
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
 * Reads what a comment is made from, and publishes its pictures where that is asked for; a preview that cannot be used is left
 * out.
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
  const folder = options.previewDir === undefined ? null : resolve(directory, options.previewDir);
  // Mistakes leave nothing to draw: that there are no pictures is no news then.
  const isDrawn = folder !== null && (document.preview !== undefined || existsSync(folder));
  const preview = isDrawn ? await tryPreview(folder) : null;
  const hasFailed = (document.checks ?? []).some(({ status }) => status === 'fail');
  const hasNews = hasChanges(document) || document.diagnostics.length > 0 || hasFailed;
  const hidden = markedComment(options.tag, { plan_id: document.plan_id, head_sha: LONG, base_sha: LONG }, '').length;
  const { page } = options;
  const footer = page === undefined ? '' : `\n${pageMarkdown(page)}`;
  const rest = { ...(summary === null ? {} : { summary }), ...(page === undefined ? {} : { artifact: page }) };
  const budget = BUDGET - hidden - 1 - footer.length;
  const markdown = planMarkdown(document, { budget, preview, rest }) + footer;
  return {
    document,
    hasNews,
    markdown,
    body: (data) =>
      markedComment(options.tag, { plan_id: document.plan_id, ...data }, hasNews ? markdown : OBSOLETE_COMMENT),
  };

  async function tryPreview(from: string): Promise<PlanPreview | null> {
    try {
      const found = await readPreview(from, { urlsBelow: [...urlsBelow, ...(options.previewUrl ?? [])] });
      const { previewHost: place, previewKeep: keepDays } = options;
      if (place === undefined || options.dryRun === true) return found;
      const { hostPreview } = await import('./host-preview.ts');
      return await hostPreview(found, { directory, place, keepDays }, io);
    } catch (error) {
      if (!(error instanceof ReelformError)) throw error;
      tellWarning(error, io);
      return null;
    }
  }
}

/** As long as any commit. */
const LONG = '0'.repeat(64);
