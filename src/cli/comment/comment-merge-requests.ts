import { posix } from 'node:path';
import { EXIT, ReelformError } from '../../kernel/diagnostic.ts';
import { skippedNoteText } from '../../report/terminal/forge-text.ts';
import { forgeClock, printWarning } from '../forge/forge-job.ts';
import { type GitLab, gitLabComments, openGitLab, readGitLabAddress } from '../forge/gitlab/gitlab.ts';
import { artifactFile, finishedJob, openMergeRequests } from '../forge/gitlab/merge-requests.ts';
import { commentData } from '../forge/write-comment.ts';
import type { Io } from '../io.ts';
import { type CommentOptions, draftComment, parsePlan } from './comment-draft.ts';
import { post, tokenOf } from './post-comment.ts';

/** Equals the retention of the artifacts of the starter's job `plan`. */
const DAYS = 7;
const DAY_MS = 24 * 60 * 60 * 1000;

/** `plan` is a path in the artifact. */
interface MergeRequestsOptions extends CommentOptions {
  /** Name of the job that plans. */
  readonly job?: string;
}

type MergeRequest = Awaited<ReturnType<typeof openMergeRequests>>[number];

/**
 * Writes the note of every open merge request that was updated in the last seven days, from the artifact of its newest
 * finished job. The artifacts are untrusted: only plan.json is read, and its images are not shown.
 *
 * A merge request that fails is a warning and does not stop the run.
 *
 * @returns the exit status
 * @throws ReelformError `forge_unknown`
 * @throws ForgeError if there is no token, or if merge requests cannot be listed
 */
export async function commentMergeRequests(options: MergeRequestsOptions, io: Io): Promise<number> {
  const file = artifactPath(options.plan);
  const address = readGitLabAddress(io.env);
  if (address === null) {
    throw new ReelformError('forge_unknown', 'CI_API_V4_URL and CI_PROJECT_ID do not name a project', {
      hint: 'GitLab sets them in its jobs; elsewhere set both',
    });
  }
  const hint =
    'Add a masked and protected CI/CD variable: a project access token with the role Reporter and the scope api';
  const gitlab = openGitLab(address, tokenOf(options, io, hint), forgeClock(io));
  const requests = await openMergeRequests(gitlab, io.now() - DAYS * DAY_MS);
  if (requests.length === 0) io.stderr.write(`No open merge request was updated in the last ${DAYS} days\n`);
  let exitCode: number = EXIT.ok;
  const defects: unknown[] = [];
  for (const request of requests) {
    try {
      await comment(gitlab, request, file, options, io);
    } catch (error) {
      if (!(error instanceof ReelformError)) {
        defects.push(error);
        continue;
      }
      const { code, message, hint } = error;
      printWarning({ code, message: `!${request.number}: ${message}`, hint }, io);
      if (options.strict === true) exitCode = EXIT.error;
    }
  }
  // A plan that causes an unexpected error must not keep other merge requests from their notes.
  if (defects.length > 0) throw defects[0];
  return exitCode;
}

/** @throws ReelformError, ForgeError */
async function comment(
  gitlab: GitLab,
  request: MergeRequest,
  file: string,
  options: MergeRequestsOptions,
  io: Io,
): Promise<void> {
  const { number, headSha } = request;
  const name = options.job ?? 'plan';
  const skip = (reason: Parameters<typeof skippedNoteText>[0]): void =>
    printWarning({ message: `!${number}: ${skippedNoteText(reason, { job: name, file })}` }, io);
  const job = await finishedJob(gitlab, request, name);
  if (typeof job === 'string') return skip(job);
  const comments = gitLabComments(gitlab, number);
  // Ids of jobs only grow. So a concurrent run never replaces the note of a newer plan.
  const shown = (await comments.listByAccount()).map(({ body }) => commentData(body, options.tag)?.job_id ?? null);
  if (shown.some((id) => id !== null && Number(id) >= job.id)) {
    io.stderr.write(`!${number}: The comment is already up to date\n`);
    return;
  }
  const text = await artifactFile(gitlab, job, file);
  if (text === null) return skip('no_plan');
  const page = `${job.url}/artifacts/file/${encodeURI(posix.join(posix.dirname(file), 'plan.html'))}`;
  const draftOptions = { ...options, page };
  const draft = await draftComment(parsePlan(text, file), draftOptions, io, { summary: job.url, urlsBelow: [] });
  const body = draft.body({ head_sha: headSha, base_sha: null, job_id: String(job.id) });
  if (options.dryRun === true) io.stdout.write(`${body}\n`);
  else await post(comments, body, draft, draftOptions, io, `!${number}: `);
}

/** @throws ReelformError `options_conflict` */
function artifactPath(plan: string): string {
  const file = posix.normalize(plan);
  if (!posix.isAbsolute(file) && file !== '..' && !file.startsWith('../')) return file;
  throw new ReelformError('options_conflict', '--open-merge-requests needs a path in the artifact as --plan', {
    hint: 'Pass it from the root of the repository, such as --plan .reelform/gitlab/plan/plan.json',
  });
}
