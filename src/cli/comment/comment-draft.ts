import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { defined } from '../../kernel/defined.ts';
import { ReelformError } from '../../kernel/diagnostic.ts';
import { parseJson } from '../../kernel/json.ts';
import { createPlanCheck } from '../../kernel/json-schema/compile-schema.ts';
import { approvalsOf } from '../../reconciler/plan/approvals.ts';
import { hasTrueCounts, type PlanDocument, planId } from '../../reconciler/plan/plan-document.ts';
import { problemsOf } from '../../report/json/diagnostics-json.ts';
import { OBSOLETE_COMMENT, pageMarkdown, planMarkdown } from '../../report/markdown/plan-markdown.ts';
import type { PlanPreview } from '../../report/preview/plan-preview.ts';
import { readPreview } from '../../report/preview/read-preview.ts';
import { hasChanges } from '../../report/wording/plan-words.ts';
import { printWarning } from '../forge/forge-job.ts';
import { type Behavior, type CommentData, markedComment } from '../forge/write-comment.ts';
import { type GlobalOptions, workingDirectory } from '../global-options.ts';
import type { Io } from '../io.ts';

/** GitHub limits a comment to 65,536 characters. */
const BUDGET = 60_000;

/** A plan and the comment that shows it. */
export interface CommentDraft {
  readonly document: PlanDocument;
  /** True if the plan has changes, diagnostics or failed checks. */
  readonly hasNews: boolean;
  /** The visible part of the comment. */
  readonly markdown: string;
  /** Returns the whole comment, at most 60,000 characters. */
  body(data: Pick<CommentData, 'head_sha' | 'base_sha' | 'job_id'>): string;
}

/**
 * Reads the images of a plan, and publishes them if requested. Omits a preview that cannot be used.
 *
 * @param summary URL of a page that shows the whole plan
 * @param urlsBelow URL prefixes from which images may be shown
 */
export async function draftComment(
  document: PlanDocument,
  options: CommentOptions,
  io: Io,
  { summary, urlsBelow }: { readonly summary: string | null; readonly urlsBelow: readonly string[] },
): Promise<CommentDraft> {
  const directory = workingDirectory(options, io);
  const folder = options.previewDir === undefined ? null : resolve(directory, options.previewDir);
  // A plan with errors has no preview, so a missing folder is no warning.
  const isDrawn = folder !== null && (document.preview !== undefined || existsSync(folder));
  const preview = isDrawn ? await tryPreview(folder) : null;
  const hasFailed = (document.checks ?? []).some(({ status }) => status === 'fail');
  const hasNews = hasChanges(document) || document.diagnostics.length > 0 || hasFailed;
  const shown = { plan_id: document.plan_id, approvals: joinedApprovals(document) };
  const hidden = markedComment(
    options.tag,
    { ...shown, head_sha: LONG, base_sha: LONG, job_id: '9'.repeat(16) },
    '',
  ).length;
  const { page } = options;
  const footer = page === undefined ? '' : `\n${pageMarkdown(page)}`;
  const rest = { ...(summary === null ? {} : { summary }), ...defined({ artifact: page }) };
  const budget = BUDGET - hidden - 1 - footer.length;
  const markdown = planMarkdown(document, { budget, preview, rest }) + footer;
  return {
    document,
    hasNews,
    markdown,
    body: (data) => markedComment(options.tag, { ...shown, ...data }, hasNews ? markdown : OBSOLETE_COMMENT),
  };

  async function tryPreview(from: string): Promise<PlanPreview | null> {
    try {
      const found = await readPreview(from, { urlsBelow: [...urlsBelow, ...(options.previewUrl ?? [])] });
      const { previewHost: place, previewKeep: keepDays } = options;
      if (place === undefined || options.dryRun === true) return found;
      const { publishUntrustedPreview } = await import('../plan/preview/preview-host.ts');
      return await publishUntrustedPreview(found, { directory, place, keepDays }, io);
    } catch (error) {
      if (!(error instanceof ReelformError)) throw error;
      printWarning(error, io);
      return null;
    }
  }
}

/** Leaves a third of the comment to its visible part. */
const MAX_APPROVALS = 1800;

/** Joins the approvals of a plan; null for too many, so that only the whole plan is approved. */
function joinedApprovals(document: PlanDocument): string | null {
  const approvals = approvalsOf(document);
  return approvals.length > MAX_APPROVALS ? null : approvals.join('');
}

/** Placeholder with the length of the longest commit id. */
const LONG = '0'.repeat(64);

/** Options of the comments on GitHub and GitLab. */
export interface CommentOptions extends GlobalOptions {
  readonly plan: string;
  readonly previewDir?: string;
  /** URL prefixes from which images may be shown, besides those of the repository. */
  readonly previewUrl?: readonly string[];
  /** Publishes the redrawn images: `branch:NAME`, or a folder in a bucket. */
  readonly previewHost?: string;
  /** Days. */
  readonly previewKeep?: number;
  readonly page?: string;
  readonly behavior: Behavior;
  readonly skipNoDiff?: boolean;
  readonly dryRun?: boolean;
  readonly tag: string;
  readonly strict?: boolean;
  /** Environment variable that holds the token. */
  readonly tokenEnv: string;
}

/** Twice the size of a plan with 100,000 new videos. */
const MAX_BYTES = 64 * 2 ** 20;
const MAX_CHANGES = 200_000;
const MAX_DIAGNOSTICS = 10_000;

/**
 * Reads an untrusted plan, such as an artifact of a fork's pull request. Checks its size and the rest that `parsePlan` checks.
 *
 * @throws ReelformError `plan_invalid`
 */
export async function readPlanFile(options: CommentOptions, io: Io): Promise<PlanDocument> {
  const { plan: file } = options;
  const text = await readBounded(resolve(workingDirectory(options, io), file)).catch((error: NodeJS.ErrnoException) => {
    throw refusePlan(file, error.code === 'ENOENT' ? 'the file does not exist' : (error.code ?? 'it is not a file'));
  });
  if (text === null) throw refusePlan(file, `it is larger than ${MAX_BYTES >> 20} MiB`);
  return parsePlan(text, file);
}

function refusePlan(file: string, what: string): ReelformError {
  return new ReelformError('plan_invalid', `The plan ${file} cannot be read: ${what}`, {
    hint: 'Create it with `reelform plan --json > FILE` or `reelform plan --out FILE`',
  });
}

/**
 * Parses an untrusted plan. Checks its schema, and that `plan_id` and the counts match the changes. Its texts still have to be
 * escaped.
 *
 * @param file as it was typed
 * @throws ReelformError `plan_invalid`
 */
export function parsePlan(text: string, file: string): PlanDocument {
  const value = parseJson(text);
  if (value === undefined) throw refusePlan(file, 'it is not JSON');
  const wrong = createPlanCheck()(value);
  // Joined to one line, because an untrusted name at the start of a line could be a workflow command.
  if (wrong !== null) throw refusePlan(file, wrong.slice(0, 200).replaceAll(/[\s\p{C}]+/gu, ' '));
  const document = value as PlanDocument;
  if (document.changes.length > MAX_CHANGES) throw refusePlan(file, `it has more than ${MAX_CHANGES} changes`);
  if (planId(document.changes) !== document.plan_id) {
    throw refusePlan(file, 'its changes do not match its plan_id');
  }
  if (!hasTrueCounts(document)) throw refusePlan(file, 'its counts do not match its changes');
  return { ...document, diagnostics: problemsOf(document).slice(0, MAX_DIAGNOSTICS) };
}

async function readBounded(path: string): Promise<string | null> {
  const handle = await open(path);
  try {
    const found = await handle.stat();
    if (!found.isFile()) throw new Error('It is no file');
    return found.size > MAX_BYTES ? null : await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}
