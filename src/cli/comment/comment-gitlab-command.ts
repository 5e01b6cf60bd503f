import { ReelformError } from '../../kernel/diagnostic.ts';
import { forgeClock, runForgeWrites } from '../forge/forge-job.ts';
import { gitLabComments, openGitLab, readGitLabJob } from '../forge/gitlab/gitlab.ts';
import type { Io } from '../io.ts';
import { type CommentOptions, draftComment, readPlanFile } from './comment-draft.ts';
import { commentMergeRequests } from './comment-merge-requests.ts';
import { post, tokenOf } from './post-comment.ts';

interface CommentGitLabOptions extends CommentOptions {
  readonly mr?: number;
  readonly openMergeRequests?: boolean;
  /** With `openMergeRequests`: name of the job that plans. */
  readonly job?: string;
}

/** `reelform comment gitlab`: maintains a note with the plan on each merge request, or on a single merge request. */
export async function commentGitLabCommand(options: CommentGitLabOptions, io: Io): Promise<number> {
  requireOneSource(options);
  if (options.openMergeRequests === true) return commentMergeRequests(options, io);
  const job = readGitLabJob(io.env, { number: options.mr });
  if (job === null && options.dryRun !== true) {
    throw new ReelformError('forge_unknown', 'The job does not run for a merge request', {
      hint: 'Run it in a merge request pipeline, or set CI_API_V4_URL and CI_PROJECT_ID and pass --mr NUMBER or --open-merge-requests',
    });
  }
  const draft = await draftComment(await readPlanFile(options, io), options, io, {
    summary: job?.jobUrl ?? null,
    urlsBelow: job?.projectUrl == null ? [] : [`${job.projectUrl}/`],
  });
  const body = draft.body({ head_sha: job?.headSha ?? null, base_sha: job?.baseSha ?? null });
  if (options.dryRun === true || job === null) {
    io.stdout.write(`${body}\n`);
    return 0;
  }
  const write = async (): Promise<void> => {
    const hint =
      'Set a variable of a job that runs no code of merge requests: a project access token with the scope api';
    const gitlab = openGitLab(job, tokenOf(options, io, hint), forgeClock(io));
    await post(gitLabComments(gitlab, job.number), body, draft, options, io);
  };
  return runForgeWrites([write], options.strict === true, io);
}

/** @throws ReelformError `options_conflict` */
function requireOneSource(options: CommentGitLabOptions): void {
  const { openMergeRequests, mr, page, previewDir, previewUrl, job } = options;
  if (openMergeRequests !== true) {
    if (job === undefined) return;
    throw new ReelformError('options_conflict', '--job needs --open-merge-requests', {
      hint: 'Without it, --plan names a file',
    });
  }
  const flags = { '--mr': mr, '--page': page, '--preview-dir': previewDir, '--preview-url': previewUrl };
  const [flag] = Object.entries(flags).find(([, value]) => value !== undefined) ?? [];
  if (flag === undefined) return;
  throw new ReelformError('options_conflict', `--open-merge-requests and ${flag} exclude each other`, {
    hint: 'Plans and pages are found in the artifacts of the merge requests',
  });
}
