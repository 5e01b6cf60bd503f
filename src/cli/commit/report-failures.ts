import { ReelformError } from '../../diagnostic.ts';
import { gitHubPlace } from '../../forge/github/comments.ts';
import { reuseIssue } from '../../forge/github/issues.ts';
import { pullsOfCommit } from '../../forge/github/pulls.ts';
import { writeComment } from '../../forge/write-comment.ts';
import { headCommit, repositoryPath } from '../../git/revisions.ts';
import { LOCK_FILE } from '../../project/repository-layout.ts';
import {
  FAILURES_TITLE,
  type FailedRun,
  failuresMarkdown,
  issueLinkMarkdown,
  resolvedMarkdown,
} from '../../report/markdown/failures-markdown.ts';
import { openGitHubJob } from '../comment/open-github-job.ts';
import { tellWarning } from '../comment/tell-warning.ts';
import type { Io } from '../io.ts';
import type { CommitOptions } from './commit-options.ts';
import { filesUrl } from './files-url.ts';
import { gitHubOf, isGitHub } from './open-commit.ts';

/**
 * Tells on GitHub what an apply could not do: at the pull request that was merged, and in one issue, which is closed by the
 * run that finds all well. Whatever this meets is a warning: the run itself says whether it went well.
 *
 * @param run.isWell whether it is certain that all videos are as they should be, where nothing failed
 */
export async function reportFailures(
  run: FailedRun & { readonly root: string; readonly isWell: boolean },
  options: CommitOptions,
  io: Io,
): Promise<void> {
  try {
    if (!isGitHub(options, io)) {
      throw new ReelformError('forge_unknown', 'GITHUB_REPOSITORY names no repository to tell failures in', {
        hint: 'In a job of GitHub Actions it does; elsewhere set it to owner/name',
      });
    }
    await report(run, io);
  } catch (error) {
    if (!(error instanceof ReelformError)) throw error;
    tellWarning(error, io);
  }
}

async function report(run: Parameters<typeof reportFailures>[0], io: Io): Promise<void> {
  const { root, isWell } = run;
  const github = await gitHubOf(io);
  const [commit, path, { runUrl, serverUrl, address }, files] = await Promise.all([
    headCommit(root),
    repositoryPath(root, LOCK_FILE),
    openGitHubJob({}, io),
    filesUrl(root, io),
  ]);
  const commitUrl = `${serverUrl}/${address.repository}/commit/${commit}`;
  const text = failuresMarkdown(run, { commit, commitUrl, runUrl, filesUrl: files });
  if (text === null && !isWell) return;
  const marker = `<!-- reelform:failed-renders:${encodeURIComponent(path)} -->`;
  const mended = resolvedMarkdown({ commit, commitUrl });
  const issueUrl = await reuseIssue(github, { marker, title: FAILURES_TITLE, body: text, mended });
  if (text === null) return;
  const pull = (await pullsOfCommit(github, commit)).find(({ isMerged }) => isMerged);
  if (pull === undefined) return;
  await writeComment(gitHubPlace(github, pull.number), {
    body: `${marker}\n${text}${issueUrl === null ? '' : `\n\n${issueLinkMarkdown(issueUrl)}`}`,
    isOurs: (body) => body.startsWith(marker),
    behavior: 'update',
    hasNews: true,
  });
}
