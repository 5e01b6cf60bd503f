import type { ApplyOutcome } from '../../apply/events.ts';
import { isReelformError, ReelformError } from '../../diagnostic.ts';
import { gitHubPlace } from '../../forge/github/comment-place.ts';
import type { GitHub } from '../../forge/github/github.ts';
import { pullsOfCommit } from '../../forge/github/pulls.ts';
import { reuseIssue } from '../../forge/github/reused-issue.ts';
import { writeComment } from '../../forge/write-comment.ts';
import { headCommit, repositoryPath } from '../../git/checkout-state.ts';
import { LOCK_FILE } from '../../project/repository-names.ts';
import { FAILURES_TITLE, failuresMarkdown, mendedMarkdown } from '../../report/failures-markdown.ts';
import { openGitHubJob } from '../comment/open-github-job.ts';
import { tellWarning } from '../comment/tell-warning.ts';
import type { Io } from '../io.ts';
import type { CommitOptions } from './commit-options.ts';
import { gitHubOf, isGitHub } from './open-commit.ts';

/**
 * Tells on GitHub what an apply could not do: at the pull request that was merged, and in one issue, which is closed by the
 * run that finds all well. Whatever this meets is a warning: the run itself says whether it went well.
 *
 * @param run.isComplete false when some videos were left out on demand: then nobody knows whether all is well
 */
export async function reportFailures(
  outcome: ApplyOutcome,
  run: { readonly root: string; readonly isComplete: boolean },
  options: CommitOptions,
  io: Io,
): Promise<void> {
  try {
    if (!isGitHub(options, io)) {
      throw new ReelformError('forge_unknown', 'GITHUB_REPOSITORY names no repository to tell failures in', {
        hint: 'In a job of GitHub Actions it does; elsewhere set it to owner/name',
      });
    }
    await report(await gitHubOf(io), outcome, run, io);
  } catch (error) {
    if (!isReelformError(error)) throw error;
    tellWarning(error, io);
  }
}

async function report(
  github: GitHub,
  outcome: ApplyOutcome,
  { root, isComplete }: { readonly root: string; readonly isComplete: boolean },
  io: Io,
): Promise<void> {
  const [commit, path, { runUrl }] = await Promise.all([
    headCommit(root),
    repositoryPath(root, LOCK_FILE),
    openGitHubJob({}, io),
  ]);
  const text = failuresMarkdown(outcome, { commit, runUrl });
  const isWell = text === null && isComplete && outcome.skipped.length + outcome.inProgress.length === 0;
  if (text === null && !isWell) return;
  const marker = `<!-- reelform:failed-renders:${encodeURIComponent(path)} -->`;
  await reuseIssue(github, { marker, title: FAILURES_TITLE, body: text, mended: mendedMarkdown(commit) });
  if (text === null) return;
  const pull = (await pullsOfCommit(github, commit)).find(({ isMerged }) => isMerged);
  if (pull === undefined) return;
  await writeComment(gitHubPlace(github, pull.number), {
    body: `${marker}\n${text}`,
    isOurs: (body) => body.startsWith(marker),
    behavior: 'update',
    hasNews: true,
  });
}
