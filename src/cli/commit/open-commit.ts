import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Diagnostic, EXIT, hasErrors, ReelformError } from '../../diagnostic.ts';
import { nullIfMissing } from '../../file-system-error.ts';
import { ForgeError } from '../../forge/forge-error.ts';
import { type GitHub, openGitHub } from '../../forge/github/github.ts';
import { checkoutCommit } from '../../git/checkout-commit.ts';
import { GitLockBranch } from '../../git/git-lock-branch.ts';
import {
  commonCommit,
  differInOne,
  fetchCommit,
  fileAt,
  headBranch,
  headCommit,
  repositoryPath,
} from '../../git/revisions.ts';
import { emptyLock, type Fingerprint, type Lock } from '../../lock/lock.ts';
import { parseLock } from '../../lock/parse-lock.ts';
import { LockPublisher, type Published } from '../../lock/publish-lock.ts';
import type { FormerEntry } from '../../plan/plan.ts';
import { createOutputCheck } from '../../project/local-outputs.ts';
import { LOCK_FILE } from '../../project/repository-layout.ts';
import { writeFileAtomic } from '../../project/write-file.ts';
import { lockCommitMessage, publishedText } from '../../report/markdown/lock-commit.ts';
import { diagnosticsText } from '../../report/terminal/diagnostics-text.ts';
import { mergeDecisionsText } from '../../report/terminal/lock-text.ts';
import { forgeClock } from '../comment/forge-clock.ts';
import { openGitHubJob } from '../comment/open-github-job.ts';
import type { GlobalOptions } from '../global-options.ts';
import { type Io, wantsColor } from '../io.ts';
import { localJournalWarnings } from '../journal/local-journal.ts';
import { type OpenDesired, openDesired } from '../plan/open-desired.ts';
import { commitBranchOf } from './commit-branch.ts';
import type { CommitOptions } from './commit-options.ts';
import { CommitRun } from './commit-run.ts';
import { GitHubLockBranch } from './github-lock-branch.ts';
import { PullLockBranch, type PullLockOptions } from './pull-lock-branch.ts';
import { refuseUncommitted } from './refuse-uncommitted.ts';

/** So often a tip is looked at that moves. */
const MOST_LOOKS = 5;

export interface OpenCommit {
  readonly run: CommitRun;
  /** What waits in a pull request, and need not be rendered again. */
  readonly waiting: ReadonlyMap<Fingerprint, FormerEntry>;
  /** What could go wrong and does not stop the run. */
  readonly warnings: readonly Diagnostic[];
}

/**
 * Opens the branch that a run's lockfile goes to. What is checked out has to be its tip: a workflow that is run again from
 * an old commit would take back what came after.
 *
 * @param repository without errors
 * @param onPublished is told of each commit, and where none was needed
 * @throws ReelformError `checkout_stale` with status 6, `commit_refused`, `git_failed`, `options_conflict`, `forge_refused`
 */
export async function openCommit(
  repository: OpenDesired,
  options: GlobalOptions & CommitOptions,
  io: Io,
  onPublished: (published: Published) => void = () => {},
): Promise<OpenCommit | null> {
  const { commit: how = 'none' } = options;
  refuseAlone(how, options);
  if (how === 'none') return null;
  const { root, config } = repository;
  const remote = config.journal === 'file' ? 'origin' : config.journal.remote;
  const branch = await branchOf(root, io);
  const path = await repositoryPath(root, LOCK_FILE);
  const github = isGitHub(options, io) ? await gitHubOf(io, io.env.REELFORM_COMMIT_TOKEN) : null;
  const own = new Map(repository.desired.map(({ id, fingerprint }) => [id as string, fingerprint]));
  const target =
    github === null
      ? new GitLockBranch({ root, remote, branch, path, message: lockCommitMessage })
      : new GitHubLockBranch(github, branch, path);
  const pull = how === 'pr' ? pullOf(github, { target: branch, path, wanted: own }, repository, options) : null;

  const place = { root, remote, branch, path };
  const head = await headCommit(root);
  const mayBeStale = options.allowStale === true;
  const tip = mayBeStale ? await target.tip() : await tipCheckedOut(place, head, () => target.tip());
  if (!mayBeStale) await refuseUncommitted(repository);
  const base = await lockAt(root, mayBeStale ? ((await commonCommit(root, head, tip)) ?? head) : tip, path);
  const lockBranch = pull ?? target;
  const publisher = new LockPublisher(
    {
      branch: lockBranch,
      file: LOCK_FILE,
      present: (source) => fingerprintsAt(place, head, source, own),
      wait: (milliseconds) => forgeClock(io).wait(milliseconds),
      random: Math.random,
    },
    base,
  );
  const color = wantsColor(io.stderr, io.env, options.color);
  const run = new CommitRun(publisher, options.checkpoint ?? null, (told) => {
    if ('severity' in told) {
      io.stderr.write(diagnosticsText([told], { source: () => undefined, color }));
      return;
    }
    onPublished(told);
    io.stderr.write(mergeDecisionsText(LOCK_FILE, told.decisions, { color }));
    io.stderr.write(publishedText(told, lockBranch.name, { color }));
  });
  const waiting = pull === null ? new Map<Fingerprint, FormerEntry>() : await waitingIn(pull, root);
  return { run, waiting, warnings: localJournalWarnings(config, io) };
}

/** Whether GitHub's interface is to be used: its jobs say which repository they are about. */
export function isGitHub({ forge }: CommitOptions, { env }: Pick<Io, 'env'>): boolean {
  return (forge ?? ((env.GITHUB_REPOSITORY ?? '') === '' ? 'git' : 'github')) === 'github';
}

/**
 * Opens GitHub with the token of the job, or with another one.
 *
 * @param otherToken goes before the job's; empty counts as absent
 * @throws ReelformError `forge_refused` without a token, `forge_unknown`
 */
export async function gitHubOf(io: Io, otherToken?: string): Promise<GitHub> {
  const { address } = await openGitHubJob({}, io);
  const token = (otherToken ?? '').trim() || (io.env.GITHUB_TOKEN ?? '').trim();
  if (token !== '') return openGitHub(address, token, forgeClock(io));
  throw new ForgeError('forge_refused', 'There is no token in GITHUB_TOKEN', {
    hint: 'Give the step env: GITHUB_TOKEN: the token of the job, which can write contents; elsewhere use --forge git',
  });
}

/** @throws ReelformError `options_conflict` for what says something of a commit that is not asked for */
function refuseAlone(how: string, { checkpoint, allowStale, commitBranch }: CommitOptions): void {
  const given = [
    ...(checkpoint === undefined || how !== 'none' ? [] : ['--checkpoint']),
    ...(allowStale !== true || how !== 'none' ? [] : ['--allow-stale']),
    ...(commitBranch === undefined || how === 'pr' ? [] : ['--commit-branch']),
  ];
  if (given.length === 0) return;
  const isPull = given.includes('--commit-branch');
  const what = isPull ? '--commit=pr' : '--commit';
  throw new ReelformError('options_conflict', `${given.join(', ')} says something of ${what}, and there is none`, {
    hint: isPull ? 'Add --commit=pr' : 'Add --commit=push or --commit=pr',
  });
}

function pullOf(
  github: GitHub | null,
  place: Pick<PullLockOptions, 'target' | 'path' | 'wanted'>,
  { config: { journal } }: OpenDesired,
  { commitBranch }: CommitOptions,
): PullLockBranch {
  if (github === null) {
    throw new ReelformError('options_conflict', '--commit=pr needs GitHub, and nothing here says that it is there', {
      hint: 'Use --commit=push; or set GITHUB_REPOSITORY to owner/name, and GITHUB_TOKEN',
    });
  }
  const branch = commitBranch ?? commitBranchOf(place.path);
  const isTaken = branch === place.target || (journal !== 'file' && journal.branch === branch);
  if (!isTaken) return new PullLockBranch({ github, branch, ...place });
  const whose = branch === place.target ? 'what the pull request is to be merged into' : 'the branch of the journal';
  throw new ReelformError('options_conflict', `The pull request cannot come from ${branch}, which is ${whose}`, {
    hint: 'Name a branch that nothing else uses: --commit-branch NAME',
  });
}

/** What is checked out; a job may have a commit alone, and say of which branch. */
async function branchOf(root: string, { env }: Io): Promise<string> {
  const ofJob = /^refs\/heads\/(.+)$/.exec(env.GITHUB_REF ?? '')?.[1] ?? env.CI_COMMIT_BRANCH ?? '';
  const branch = (await headBranch(root)) ?? ofJob;
  if (branch !== '') return branch;
  throw new ReelformError(
    'commit_refused',
    'What is checked out is a commit of no branch: there is nothing to commit to',
    {
      hint: 'Check the branch out: with actions/checkout, `ref: main`. A pull request is applied when it is merged',
    },
  );
}

interface Place {
  readonly root: string;
  readonly remote: string;
  readonly branch: string;
  readonly path: string;
}

/** The tip, where it is what is checked out. @throws ReelformError `checkout_stale` with status 6 */
async function tipCheckedOut(place: Place, head: string, tipOf: () => Promise<string>): Promise<string> {
  for (let tip = await tipOf(), looks = 1; ; looks++) {
    if (await isTip(place, head, tip)) return tip;
    // Lockfiles that others commit move it on while it is looked at.
    const later = await tipOf();
    if (later === tip || looks === MOST_LOOKS) throw stale(place.branch, head, tip);
    tip = later;
  }
}

/**
 * Whether what is checked out is what the branch has, also where a run, from here or elsewhere, has moved it on. What another
 * one has recorded since is taken over into the work tree: pushes of runs start no run that would do the work of this one.
 */
async function isTip({ root, remote, branch, path }: Place, head: string, tip: string): Promise<boolean> {
  if (head === tip) return true;
  try {
    await fetchCommit(root, remote, branch, tip);
  } catch {
    return false;
  }
  if (!(await differInOne(root, head, tip, path))) return false;
  const here = await nullIfMissing(readFile(join(root, LOCK_FILE), 'utf8'));
  const there = await fileAt(root, tip, path);
  if (here === there) return true;
  if (there === null || here !== (await fileAt(root, head, path))) return false;
  await writeFileAtomic(join(root, LOCK_FILE), there);
  return true;
}

function stale(branch: string, head: string, tip: string): ReelformError {
  const [ours, theirs] = [head, tip].map((commit) => commit.slice(0, 12));
  return new ReelformError(
    'checkout_stale',
    `${ours} is checked out, and ${branch} is at ${theirs}: nothing was rendered`,
    {
      hint: `Apply the tip: git pull, or "ref: ${branch}" for actions/checkout. The run of the newer commit does this one's work; --allow-stale applies it all the same`,
      exitCode: EXIT.stale,
    },
  );
}

async function lockAt(root: string, commit: string, path: string): Promise<Lock> {
  const text = await fileAt(root, commit, path);
  const read = text === null ? null : parseLock(text, LOCK_FILE);
  // What cannot be read is told by the plan, which comes before anything else.
  return read?.ok === true ? read.value : emptyLock;
}

/** What the definitions of a commit want: those at hand where it differs in the lockfile alone. */
async function fingerprintsAt(
  { root, remote, branch, path }: Place,
  head: string,
  source: string,
  own: ReadonlyMap<string, Fingerprint>,
): Promise<ReadonlyMap<string, Fingerprint> | null> {
  if (source === head) return own;
  try {
    await fetchCommit(root, remote, branch, source);
    if (await differInOne(root, head, source, path)) return own;
    const files = await checkoutCommit(root, source);
    try {
      const { desired, diagnostics } = await openDesired(files.root, { cache: false });
      // With mistakes in them nobody knows what they want.
      if (hasErrors(diagnostics)) return null;
      return new Map(desired.map(({ id, fingerprint }) => [id, fingerprint]));
    } finally {
      await files.remove();
    }
  } catch {
    // Without them the entries tell by themselves which of them is the later one.
    return null;
  }
}

async function waitingIn(pull: PullLockBranch, root: string): Promise<Map<Fingerprint, FormerEntry>> {
  const found = await pull.waiting();
  const hasOutputs = createOutputCheck(root);
  const entries = [...(found?.lock.videos ?? [])].filter(([, entry]) => hasOutputs(entry));
  return new Map(entries.map(([id, entry]) => [entry.fingerprint, { commit: found!.commit, id, entry }]));
}
