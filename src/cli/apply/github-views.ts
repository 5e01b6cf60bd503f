import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ReelformError } from '../../kernel/diagnostic.ts';
import { type ApplyOutcome, NOTHING_DONE } from '../../reconciler/apply/events.ts';
import { headLocation } from '../../reconciler/git/revisions.ts';
import type { Published } from '../../reconciler/lock/publish-lock.ts';
import type { PlanDocument } from '../../reconciler/plan/plan-document.ts';
import { RepositoryFiles } from '../../reconciler/project/repository-files.ts';
import { LOCK_FILE } from '../../reconciler/project/repository-layout.ts';
import { type JsonDiagnostic, problemsOf } from '../../report/json/diagnostics-json.ts';
import type { StreamEvent } from '../../report/json/event-json.ts';
import { failureDiagnostics, groupFailures } from '../../report/json/failure-groups.ts';
import { applyMarkdown, type DoneEvent } from '../../report/markdown/apply-markdown.ts';
import {
  FAILURES_TITLE,
  type FailedRun,
  failuresMarkdown,
  issueLinkMarkdown,
  resolvedMarkdown,
} from '../../report/markdown/issue-bodies.ts';
import { githubAnnotations, githubApplyOutputs } from '../../report/terminal/forge-text.ts';
import type { CommitOptions } from '../commit/commit-options.ts';
import {
  appendToJobFile,
  filesUrl,
  loadGitHubJob,
  openJobGitHub,
  printWarning,
  relativeFolder,
  summaryBudget,
  usesGitHubApi,
} from '../forge/forge-job.ts';
import { reuseIssue } from '../forge/github/issues.ts';
import { gitHubComments, pullsOfCommit } from '../forge/github/pulls.ts';
import { writeComment } from '../forge/write-comment.ts';
import { type GlobalOptions, repositoryRoot } from '../global-options.ts';
import type { Io } from '../io.ts';
import { type ApplyView, updateOutcome } from './apply-outcome.ts';

const INTERRUPTED_RUN: JsonDiagnostic = {
  code: 'internal',
  severity: 'error',
  message: 'The run was aborted',
  hint: 'See the log of the run, and please report it',
  file: null,
  line: null,
  column: null,
  end_line: null,
  end_column: null,
};

/** Collects what a view reports at the end of a run, even if an error ended the run. */
class RunSummary implements ApplyView {
  /** In the order in which they happened. */
  readonly done: DoneEvent[] = [];
  readonly #diagnostics: JsonDiagnostic[] = [];
  #isEnded = false;
  /** Null before planning has finished. */
  document: PlanDocument | null = null;
  outcome: ApplyOutcome = NOTHING_DONE;
  /** Last result of publishing the lockfile; null if it was not published. */
  published: Published | null = null;
  /** Last commit of the lockfile; null if it was never committed. */
  commit: string | null = null;

  /** All diagnostics of the run. An internal error if the run ended without an outcome and without an error. */
  get diagnostics(): readonly JsonDiagnostic[] {
    return this.#isEnded || this.#diagnostics.length > 0 ? this.#diagnostics : [INTERRUPTED_RUN];
  }

  fail(diagnostics: readonly JsonDiagnostic[]): void {
    this.#diagnostics.push(...diagnostics);
  }

  take(event: StreamEvent): void {
    switch (event.kind) {
      case 'planned':
        this.document = event.document;
        return;
      case 'lock-published':
        this.published = event.published;
        if (event.published.kind === 'committed') this.commit = event.published.commit;
        return;
      case 'outcome':
        this.outcome = event.outcome;
        this.#isEnded = true;
        this.#diagnostics.push(...event.diagnostics);
        return;
      default:
        if (event.kind === 'video-rendered' || event.kind === 'video-recorded') this.done.push(event);
        this.outcome = updateOutcome(this.outcome, event);
    }
  }
}

/**
 * Reports a run in a step of GitHub Actions when it ends: failures as annotations of the definitions, the whole run in the
 * summary of the job, and the outputs of the step.
 */
export class GitHubView extends RunSummary {
  readonly #io: Io;
  /** Null if there is no repository. */
  readonly #root: string | null;
  readonly #lockBefore: string | null;

  constructor(options: GlobalOptions, io: Io) {
    super();
    this.#io = io;
    this.#root = repositoryRoot(options, io);
    this.#lockBefore = this.#lockText();
  }

  async close(): Promise<void> {
    const io = this.#io;
    const { outcome, published, commit, diagnostics } = this;
    const files = this.#root === null ? null : new RepositoryFiles(this.#root);
    const changes = this.document?.changes ?? [];
    const troubles = groupFailures(outcome, { changes, source: (file) => files?.source(file) });
    const folder = this.#root === null ? '' : relativeFolder(io.env.GITHUB_WORKSPACE, this.#root);
    const annotated = [...diagnostics, ...failureDiagnostics(troubles)];
    io.stdout.write(githubAnnotations({ diagnostics: annotated }, folder));
    await appendToJobFile('GITHUB_STEP_SUMMARY', io, async (file) => {
      const links = this.#root === null ? null : await filesUrl(this.#root, io);
      return applyMarkdown({ ...this, diagnostics, troubles, filesUrl: links }, await summaryBudget(file));
    });
    await appendToJobFile('GITHUB_OUTPUT', io, () => {
      const isLockChanged = this.#lockText() !== this.#lockBefore;
      return githubApplyOutputs({ outcome, published, commit, isLockChanged }, `reelform_${randomUUID()}`);
    });
  }

  #lockText(): string | null {
    if (this.#root === null) return null;
    try {
      return readFileSync(join(this.#root, LOCK_FILE), 'utf8');
    } catch {
      // The plan reports a lockfile that cannot be read.
      return null;
    }
  }
}

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
 * Reports failures on GitHub: in a comment on the merged pull request, and in an issue, which the next run without failures
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
  const [{ commit, folder }, { runUrl, serverUrl, address }, files] = await Promise.all([
    headLocation(root),
    loadGitHubJob({}, io),
    filesUrl(root, io),
  ]);
  const commitUrl = `${serverUrl}/${address.repository}/commit/${commit}`;
  const text = failuresMarkdown(run, { commit, commitUrl, runUrl, filesUrl: files });
  if (text === null && !isWell) return;
  const marker = `<!-- reelform:failed-renders:${encodeURIComponent(`${folder}${LOCK_FILE}`)} -->`;
  const mended = resolvedMarkdown({ commit, commitUrl });
  const issueUrl = await reuseIssue(github, { marker, title: FAILURES_TITLE, body: text, mended });
  if (text === null) return;
  const pull = (await pullsOfCommit(github, commit)).find(({ isMerged }) => isMerged);
  if (pull === undefined) return;
  await writeComment(gitHubComments(github, pull.number), {
    body: `${marker}\n${text}${issueUrl === null ? '' : `\n\n${issueLinkMarkdown(issueUrl)}`}`,
    isManaged: (body) => body.startsWith(marker),
    behavior: 'update',
    hasNews: true,
  });
}
