import { ReelformError } from '../../diagnostic.ts';
import { ForgeError } from '../../forge/forge-error.ts';
import { writeCheckRun } from '../../forge/github/check-runs.ts';
import { gitHubPlace } from '../../forge/github/comments.ts';
import { type GitHub, openGitHub } from '../../forge/github/github.ts';
import type { GitHubJob } from '../../forge/github/job.ts';
import { pullOfJob } from '../../forge/github/pulls.ts';
import { isMarked, writeComment } from '../../forge/write-comment.ts';
import { commentText } from '../../report/markdown/comment-text.ts';
import type { Io } from '../io.ts';
import { checkOfPlan } from './check-of-plan.ts';
import { type CommentDraft, draftComment } from './comment-draft.ts';
import type { CommentOptions } from './comment-options.ts';
import { forgeClock } from './forge-clock.ts';
import { openGitHubJob } from './open-github-job.ts';
import { tellWarning } from './tell-warning.ts';
import { writeAll } from './write-all.ts';

export interface CommentGitHubOptions extends CommentOptions {
  readonly pr?: number;
  readonly check?: boolean;
}

/** `reelform comment github`: one comment on the pull request that says what the plan does, and a check run. */
export async function commentGitHubCommand(options: CommentGitHubOptions, io: Io): Promise<number> {
  needPictures(options);
  const job = await openGitHubJob({ number: options.pr }, options.dryRun === true ? anywhere(io) : io);
  const draft = await draftComment(options, io, {
    summary: job.runUrl,
    urlsBelow: [`${job.serverUrl}/${job.address.repository}/`],
  });
  if (options.dryRun === true) {
    io.stdout.write(`${draft.body({ head_sha: job.headSha, base_sha: null })}\n`);
    return 0;
  }
  const open = (): GitHub => openGitHub(job.address, tokenOf(options.tokenEnv, io), forgeClock(io));
  const works = [async () => comment(open(), job, draft, options, io)];
  if (options.check === true) {
    works.push(async () => {
      const github = open();
      const headSha = job.headSha ?? (await pullOfJob(github, job))?.headSha;
      if (headSha === undefined) throw noPull();
      await writeCheckRun(github, { ...checkOfPlan(draft, options, io), headSha, ...detailsOf(job) });
    });
  }
  return writeAll(works, options.strict === true, io);
}

async function comment(
  github: GitHub,
  job: GitHubJob,
  draft: CommentDraft,
  options: CommentGitHubOptions,
  io: Io,
): Promise<void> {
  const pull = await pullOfJob(github, job);
  if (pull === null) throw noPull();
  if (!job.isPush && job.headSha !== null && pull.headSha !== job.headSha) {
    // The run for its newest commit writes, or wrote, what is right.
    tellWarning({ message: `Pull request ${pull.number} has another commit meanwhile: nothing is written` }, io);
    return;
  }
  const written = await writeComment(gitHubPlace(github, pull.number), {
    body: draft.body({ head_sha: pull.headSha, base_sha: pull.baseSha }),
    isOurs: (body) => isMarked(body, options.tag),
    behavior: options.behavior,
    hasNews: draft.hasNews,
    skipsQuiet: options.skipNoDiff === true,
  });
  io.stderr.write(commentText(written));
}

/** What is only printed takes no repository. */
function anywhere(io: Io): Io {
  return { ...io, env: { ...io.env, GITHUB_REPOSITORY: io.env.GITHUB_REPOSITORY || 'owner/name' } };
}

/** @throws ReelformError `options_conflict` */
function needPictures({ previewHost, previewKeep, previewDir }: CommentGitHubOptions): void {
  const [said, needed] =
    previewHost === undefined
      ? [previewKeep, '--preview-host']
      : [previewDir === undefined || undefined, '--preview-dir'];
  if (said === undefined) return;
  const flag = previewHost === undefined ? '--preview-keep' : '--preview-host';
  throw new ReelformError('options_conflict', `${flag} is about pictures, and none are named`, {
    hint: `Add ${needed}`,
  });
}

function noPull(): ForgeError {
  return new ForgeError('forge_refused', 'The job is of no pull request', { hint: 'Say which one: --pr NUMBER' });
}

function tokenOf(name: string, { env }: Io): string {
  const token = env[name]?.trim() ?? '';
  if (token !== '') return token;
  throw new ForgeError('forge_refused', `There is no token in ${name}`, {
    hint: `Give the step env: ${name}: the token of the job, which can write pull requests`,
  });
}

function detailsOf({ runUrl }: GitHubJob): { readonly detailsUrl?: string } {
  return runUrl === null ? {} : { detailsUrl: runUrl };
}
