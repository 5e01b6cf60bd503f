import { ReelformError } from '../../diagnostic.ts';
import { gitHubComments } from '../../forge/github/comments.ts';
import { reuseIssue } from '../../forge/github/issues.ts';
import { pullsOfCommit } from '../../forge/github/pulls.ts';
import { writeComment } from '../../forge/write-comment.ts';
import { headCommit, repositoryPath } from '../../git/revisions.ts';
import { RepositoryFiles } from '../../project/repository-files.ts';
import { LOCK_FILE } from '../../project/repository-layout.ts';
import { problemsOf } from '../../report/json/diagnostics-json.ts';
import {
  FAILURES_TITLE,
  type FailedRun,
  failuresMarkdown,
  issueLinkMarkdown,
  resolvedMarkdown,
} from '../../report/markdown/failures-markdown.ts';
import { groupFailures } from '../../report/wording/failure-groups.ts';
import type { CommitOptions } from '../commit/commit-options.ts';
import { filesUrl, loadGitHubJob, openJobGitHub, printWarning, usesGitHubApi } from '../forge/forge-job.ts';
import { type GlobalOptions, repositoryRoot } from '../global-options.ts';
import type { Io } from '../io.ts';
import { RunSummary } from './apply-view.ts';

/** Errors that do not concern single videos: the run was refused, or another run is active. */
const IGNORED_CODES = new Set([
  'already_running',
  'checkout_stale',
  'interrupted',
  'not_approved',
  'options_conflict',
  'plan_invalid',
  'plan_stale',
]);

/** Reports failures on GitHub when a run ends: `--report-failures`. */
export class FailureReporter extends RunSummary {
  readonly #options: GlobalOptions & CommitOptions;
  readonly #io: Io;

  constructor(options: GlobalOptions & CommitOptions, io: Io) {
    super();
    this.#options = options;
    this.#io = io;
  }

  async close(): Promise<void> {
    const root = repositoryRoot(this.#options, this.#io);
    if (root === null) return;
    const { outcome, document, diagnostics } = this;
    const errors = problemsOf({ diagnostics }).filter(({ severity }) => severity === 'error');
    const { source } = new RepositoryFiles(root);
    const isComplete = document?.complete === true && outcome.skipped.length + outcome.inProgress.length === 0;
    await reportFailures(
      {
        outcome,
        troubles: groupFailures(outcome, { changes: document?.changes ?? [], source }),
        problems: errors.filter(({ code }) => !IGNORED_CODES.has(code)),
        root,
        isWell: isComplete && errors.length === 0,
      },
      this.#options,
      this.#io,
    );
  }
}

interface ReportedRun extends FailedRun {
  readonly root: string;
  /** Whether every video is known to be up to date, if nothing failed. */
  readonly isWell: boolean;
}

/**
 * Reports failures on GitHub: in a comment on the merged pull request, and in one issue, which the next run without failures
 * closes. Errors become warnings, because the run itself has reported its result.
 */
async function reportFailures(run: ReportedRun, options: CommitOptions, io: Io): Promise<void> {
  try {
    if (!usesGitHubApi(options, io)) {
      throw new ReelformError('forge_unknown', 'GITHUB_REPOSITORY does not name a repository for failure reports', {
        hint: 'GitHub Actions sets it; elsewhere set it to owner/name',
      });
    }
    await writeReports(run, io);
  } catch (error) {
    if (!(error instanceof ReelformError)) throw error;
    printWarning(error, io);
  }
}

async function writeReports(run: ReportedRun, io: Io): Promise<void> {
  const { root, isWell } = run;
  const github = await openJobGitHub(io);
  const [commit, path, { runUrl, serverUrl, address }, files] = await Promise.all([
    headCommit(root),
    repositoryPath(root, LOCK_FILE),
    loadGitHubJob({}, io),
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
  await writeComment(gitHubComments(github, pull.number), {
    body: `${marker}\n${text}${issueUrl === null ? '' : `\n\n${issueLinkMarkdown(issueUrl)}`}`,
    isOurs: (body) => body.startsWith(marker),
    behavior: 'update',
    hasNews: true,
  });
}
