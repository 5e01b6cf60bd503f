import { ReelformError } from '../../diagnostic.ts';
import { ForgeError } from '../../forge/forge-error.ts';
import { gitLabComments, readGitLabJob } from '../../forge/gitlab/gitlab.ts';
import { isMarked, writeComment } from '../../forge/write-comment.ts';
import { commentText } from '../../report/terminal/comment-text.ts';
import { forgeClock, runForgeWrites } from '../forge/forge-job.ts';
import type { Io } from '../io.ts';
import { type CommentOptions, draftComment } from './comment-draft.ts';

export interface CommentGitLabOptions extends CommentOptions {
  readonly mr?: number;
}

/** `reelform comment gitlab`: maintains one note on the merge request that shows the plan. */
export async function commentGitLabCommand(options: CommentGitLabOptions, io: Io): Promise<number> {
  const job = readGitLabJob(io.env, { number: options.mr });
  if (job === null && options.dryRun !== true) {
    throw new ReelformError('forge_unknown', 'The job does not run for a merge request', {
      hint: 'Run it in a merge request pipeline, or set CI_API_V4_URL and CI_PROJECT_ID and pass --mr NUMBER',
    });
  }
  const draft = await draftComment(options, io, {
    summary: job?.jobUrl ?? null,
    urlsBelow: job?.projectUrl == null ? [] : [`${job.projectUrl}/`],
  });
  const body = draft.body({ head_sha: job?.headSha ?? null, base_sha: job?.baseSha ?? null });
  if (options.dryRun === true || job === null) {
    io.stdout.write(`${body}\n`);
    return 0;
  }
  const write = async (): Promise<void> => {
    const token = io.env[options.tokenEnv]?.trim() ?? '';
    if (token === '') {
      throw new ForgeError('forge_refused', `${options.tokenEnv} contains no token`, {
        hint: 'Add a masked CI/CD variable with a project access token that has the scope api',
      });
    }
    const written = await writeComment(gitLabComments(job, token, forgeClock(io)), {
      body,
      isOurs: (comment) => isMarked(comment, options.tag),
      behavior: options.behavior,
      hasNews: draft.hasNews,
      skipsQuiet: options.skipNoDiff === true,
    });
    io.stderr.write(commentText(written));
  };
  return runForgeWrites([write], options.strict === true, io);
}
