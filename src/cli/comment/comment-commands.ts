import { ReelformError } from '../../kernel/diagnostic.ts';
import { isDenied, type PlanDocument } from '../../reconciler/plan/plan-document.ts';
import { problemsOf } from '../../report/json/diagnostics-json.ts';
import { planTitle } from '../../report/markdown/plan-markdown.ts';
import { hasChanges } from '../../report/wording/plan-words.ts';
import { ForgeError } from '../forge/forge-client.ts';
import { forgeClock, loadGitHubJob, printWarning, relativeFolder, runForgeWrites } from '../forge/forge-job.ts';
import { type Annotation, type CheckRun, writeCheckRun } from '../forge/github/check-runs.ts';
import { type GitHub, openGitHub } from '../forge/github/github.ts';
import type { GitHubJob } from '../forge/github/job.ts';
import { gitHubComments, pullOfJob } from '../forge/github/pulls.ts';
import { workingDirectory } from '../global-options.ts';
import type { Io } from '../io.ts';
import { type CommentDraft, type CommentOptions, draftComment, readPlanFile } from './comment-draft.ts';
import { post, tokenOf } from './post-comment.ts';

interface CommentGitHubOptions extends CommentOptions {
  readonly pr?: number;
  readonly check?: boolean;
}

/** `reelform comment github`: maintains a comment on the pull request that shows the plan, and a check run. */
export async function commentGitHubCommand(options: CommentGitHubOptions, io: Io): Promise<number> {
  requirePreview(options);
  const job = await loadGitHubJob({ number: options.pr }, options.dryRun === true ? withRepositoryName(io) : io);
  const draft = await draftComment(await readPlanFile(options, io), options, io, {
    summary: job.runUrl,
    urlsBelow: [`${job.serverUrl}/${job.address.repository}/`],
  });
  if (options.dryRun === true) {
    io.stdout.write(`${draft.body({ head_sha: job.headSha, base_sha: null })}\n`);
    return 0;
  }
  const hint = `Set env: ${options.tokenEnv} for the step: the token of the job, with permission to write pull requests`;
  const open = (): GitHub => openGitHub(job.address, tokenOf(options, io, hint), forgeClock(io));
  const writes = [async () => comment(open(), job, draft, options, io)];
  if (options.check === true) {
    writes.push(async () => {
      const github = open();
      const headSha = job.headSha ?? (await pullOfJob(github, job))?.headSha;
      if (headSha === undefined) throw pullMissing();
      await writeCheckRun(github, {
        ...planCheckRun(draft, options, io),
        headSha,
        ...(job.runUrl !== null && { detailsUrl: job.runUrl }),
      });
    });
  }
  return runForgeWrites(writes, options.strict === true, io);
}

async function comment(
  github: GitHub,
  job: GitHubJob,
  draft: CommentDraft,
  options: CommentGitHubOptions,
  io: Io,
): Promise<void> {
  const pull = await pullOfJob(github, job);
  if (pull === null) throw pullMissing();
  if (!job.isPush && job.headSha !== null && pull.headSha !== job.headSha) {
    // The run for the newest commit writes the current comment.
    printWarning({ message: `Pull request ${pull.number} has a newer commit: no comment was written` }, io);
    return;
  }
  const body = draft.body({ head_sha: pull.headSha, base_sha: pull.baseSha });
  await post(gitHubComments(github, pull.number), body, draft, options, io);
}

/** A dry run writes without a repository. */
function withRepositoryName(io: Io): Io {
  return { ...io, env: { ...io.env, GITHUB_REPOSITORY: io.env.GITHUB_REPOSITORY || 'owner/name' } };
}

/** @throws ReelformError `options_conflict` */
function requirePreview({ previewHost, previewKeep, previewDir }: CommentGitHubOptions): void {
  const [option, needed] =
    previewHost === undefined
      ? [previewKeep, '--preview-host']
      : [previewDir === undefined || undefined, '--preview-dir'];
  if (option === undefined) return;
  const flag = previewHost === undefined ? '--preview-keep' : '--preview-host';
  throw new ReelformError('options_conflict', `${flag} needs images`, {
    hint: `Add ${needed}`,
  });
}

function pullMissing(): ForgeError {
  return new ForgeError('forge_refused', 'The job does not run for a pull request', { hint: 'Pass --pr NUMBER' });
}

/** Returns a plan as a check run, without its commit. */
function planCheckRun(
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
    annotations: annotationsOf(document, relativeFolder(io.env.GITHUB_WORKSPACE, workingDirectory(options, io))),
    externalId: [options.tag, document.plan_id, run, attempt].join(' '),
  };
}

/** Errors take precedence over policies, because a plan with errors is incomplete. */
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
