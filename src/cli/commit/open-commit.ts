import { type Diagnostic, errorAt, ReelformError } from '../../kernel/diagnostic.ts';
import { GitLockBranch } from '../../reconciler/git/git-lock-branch.ts';
import { commonCommit, headBranch, headLocation } from '../../reconciler/git/revisions.ts';
import type { Fingerprint, Lock } from '../../reconciler/lock/lock.ts';
import { LockPublisher, type Published } from '../../reconciler/lock/publish-lock.ts';
import type { FormerEntry } from '../../reconciler/plan/plan.ts';
import { createOutputCheck } from '../../reconciler/project/local-outputs.ts';
import { LOCK_FILE } from '../../reconciler/project/repository-layout.ts';
import { lockCommitMessage, publishedText } from '../../report/markdown/lock-commit.ts';
import { diagnosticsText } from '../../report/terminal/diagnostics-text.ts';
import { mergeDecisionsText } from '../../report/terminal/lock-text.ts';
import { forgeClock, openJobGitHub, usesGitHubApi } from '../forge/forge-job.ts';
import type { GitHub } from '../forge/github/github.ts';
import type { GlobalOptions } from '../global-options.ts';
import { type Io, wantsColor } from '../io.ts';
import type { DesiredState } from '../state/load-desired-state.ts';
import { localJournalWarnings } from '../state/open-journal.ts';
import { fingerprintsAt, lockAt, rejectUncommitted, tipCheckedOut } from './checked-out-tip.ts';
import { type CommitOptions, pullBranchName } from './commit-options.ts';
import { GitHubLockBranch, PullLockBranch, type PullLockOptions } from './github-lock-branch.ts';

export interface OpenCommit {
  readonly run: CommitRun;
  /** Entries that wait in a pull request, whose videos need not be rendered again. */
  readonly waiting: ReadonlyMap<Fingerprint, FormerEntry>;
  /** Risks that do not stop the run. */
  readonly warnings: readonly Diagnostic[];
}

/**
 * Opens the branch that a run commits the lockfile to. The checked-out commit has to be its tip: a workflow that is run
 * again for an old commit would revert newer entries.
 *
 * @param repository without errors
 * @param onPublished called for each commit, and when no commit was needed
 * @throws ReelformError `checkout_stale` with status 6, `commit_refused`, `git_failed`, `options_conflict`,
 *   `forge_refused`
 */
export async function openCommit(
  repository: DesiredState,
  options: GlobalOptions & CommitOptions,
  io: Io,
  onPublished: (published: Published) => void = () => {},
): Promise<OpenCommit | null> {
  const { commit: how = 'none' } = options;
  rejectWithoutCommit(how, options);
  if (how === 'none') return null;
  const { root, config } = repository;
  const remote = config.journal === 'file' ? 'origin' : config.journal.remote;
  const branch = await checkedOutBranch(root, io);
  const { commit: head, folder } = await headLocation(root);
  const path = `${folder}${LOCK_FILE}`;
  const github = usesGitHubApi(options, io) ? await openJobGitHub(io, io.env.REELFORM_COMMIT_TOKEN) : null;
  const fingerprints = new Map(repository.desired.map(({ id, fingerprint }) => [id as string, fingerprint]));
  const target =
    github === null
      ? new GitLockBranch({ root, remote, branch, path, message: lockCommitMessage })
      : new GitHubLockBranch(github, branch, path);
  const pull =
    how === 'pr' ? pullOf(github, { target: branch, path, wanted: fingerprints }, repository, options) : null;

  const place = { root, remote, branch, path };
  const mayBeStale = options.allowStale === true;
  const tip = mayBeStale ? await target.tip() : await tipCheckedOut(place, head, () => target.tip());
  if (!mayBeStale) await rejectUncommitted(repository);
  const base = await lockAt(root, mayBeStale ? ((await commonCommit(root, head, tip)) ?? head) : tip, path);
  const lockBranch = pull ?? target;
  const publisher = new LockPublisher(
    {
      branch: lockBranch,
      file: LOCK_FILE,
      present: (source) => fingerprintsAt(place, head, source, fingerprints),
      wait: (milliseconds) => forgeClock(io).wait(milliseconds),
      random: Math.random,
    },
    base,
  );
  const color = wantsColor(io.stderr, io.env, options.color);
  const run = new CommitRun(publisher, options.checkpoint ?? null, (result) => {
    if ('severity' in result) {
      io.stderr.write(diagnosticsText([result], { source: () => undefined, color }));
      return;
    }
    onPublished(result);
    io.stderr.write(mergeDecisionsText(LOCK_FILE, result.decisions, { color }));
    io.stderr.write(publishedText(result, lockBranch.name, { color }));
  });
  const waiting = pull === null ? new Map<Fingerprint, FormerEntry>() : await waitingIn(pull, root);
  return { run, waiting, warnings: localJournalWarnings(config, io) };
}

/** @throws ReelformError `options_conflict` for options that need another value of `--commit` */
function rejectWithoutCommit(how: string, { checkpoint, allowStale, commitBranch }: CommitOptions): void {
  const misplaced = [
    ...(checkpoint === undefined || how !== 'none' ? [] : ['--checkpoint']),
    ...(allowStale !== true || how !== 'none' ? [] : ['--allow-stale']),
    ...(commitBranch === undefined || how === 'pr' ? [] : ['--commit-branch']),
  ];
  if (misplaced.length === 0) return;
  const isPull = misplaced.includes('--commit-branch');
  const what = isPull ? '--commit=pr' : '--commit';
  throw new ReelformError('options_conflict', `${misplaced.join(', ')} needs ${what}`, {
    hint: isPull ? 'Add --commit=pr' : 'Add --commit=push or --commit=pr',
  });
}

function pullOf(
  github: GitHub | null,
  place: Pick<PullLockOptions, 'target' | 'path' | 'wanted'>,
  { config: { journal } }: DesiredState,
  { commitBranch }: CommitOptions,
): PullLockBranch {
  if (github === null) {
    throw new ReelformError('options_conflict', '--commit=pr needs GitHub, which was not detected', {
      hint: 'Use --commit=push, or set GITHUB_REPOSITORY to owner/name and GITHUB_TOKEN',
    });
  }
  const branch = commitBranch ?? pullBranchName(place.path);
  const isTaken = branch === place.target || (journal !== 'file' && journal.branch === branch);
  if (!isTaken) return new PullLockBranch({ github, branch, ...place });
  const whose = branch === place.target ? 'the target of the pull request' : 'the branch of the journal';
  throw new ReelformError('options_conflict', `The pull request cannot come from ${branch}, which is ${whose}`, {
    hint: 'Name an unused branch: --commit-branch NAME',
  });
}

/**
 * Returns the checked-out branch. A CI job may check out a commit without a branch, and names the branch in its
 * environment.
 */
async function checkedOutBranch(root: string, { env }: Io): Promise<string> {
  const ofJob = /^refs\/heads\/(.+)$/.exec(env.GITHUB_REF ?? '')?.[1] ?? env.CI_COMMIT_BRANCH ?? '';
  const branch = (await headBranch(root)) ?? ofJob;
  if (branch !== '') return branch;
  throw new ReelformError('commit_refused', 'The checkout is not on a branch, so the lockfile cannot be committed', {
    hint: 'Check out a branch, for example with `ref: main` for actions/checkout. Pull requests are applied after the merge',
  });
}

async function waitingIn(pull: PullLockBranch, root: string): Promise<Map<Fingerprint, FormerEntry>> {
  const found = await pull.waiting();
  const hasOutputs = createOutputCheck(root);
  const entries = [...(found?.lock.videos ?? [])].filter(([, entry]) => hasOutputs(entry));
  return new Map(
    entries.map(([id, entry]) => [entry.fingerprint, { commit: found!.commit, isMerged: true, id, entry }]),
  );
}

/** Commits the lockfile of a run: at checkpoints, and at the end. */
export class CommitRun {
  readonly #publisher: LockPublisher;
  readonly #every: number | null;
  readonly #report: (result: Published | Diagnostic) => void;
  #publishing: Promise<void> | null = null;
  #problem: Diagnostic | null = null;

  /** @param every number of results per checkpoint; null to commit only at the end */
  constructor(publisher: LockPublisher, every: number | null, report: (result: Published | Diagnostic) => void) {
    this.#publisher = publisher;
    this.#every = every;
    this.#report = report;
  }

  /** Error of the last commit; null if it succeeded. */
  get problem(): Diagnostic | null {
    return this.#problem;
  }

  /** Called when the lockfile was saved. Starts a commit at a checkpoint. */
  saved(lock: Lock): void {
    if (this.#every === null || this.#publishing !== null || this.#problem !== null) return;
    if (this.#publisher.waiting(lock) < this.#every) return;
    this.#publishing = this.#publish(lock).finally(() => {
      this.#publishing = null;
    });
  }

  /** Commits the remaining entries. @returns true if all of them are on the branch */
  async finish(lock: Lock): Promise<boolean> {
    await this.#publishing;
    this.#problem = null;
    await this.#publish(lock);
    return this.#problem === null;
  }

  /** Reports errors instead of throwing them: videos are rendered and recorded locally even if a commit fails. */
  async #publish(lock: Lock): Promise<void> {
    try {
      this.#report(await this.#publisher.publish(lock));
    } catch (error) {
      if (!(error instanceof ReelformError)) throw error;
      this.#problem = errorAt(error.code, undefined, error.message, error.hint);
      this.#report(this.#problem);
    }
  }
}
