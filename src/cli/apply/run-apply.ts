import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { EXIT, hasErrors } from '../../kernel/diagnostic.ts';
import { recordFindings } from '../../reconciler/apply/refresh-videos.ts';
import type { JournalState } from '../../reconciler/lock/journal.ts';
import type { Lock } from '../../reconciler/lock/lock.ts';
import { readLock } from '../../reconciler/lock/lock-file.ts';
import { isEmptyPlan } from '../../reconciler/plan/plan.ts';
import { findUnnamedOutputs, removeOutputs } from '../../reconciler/project/local-outputs.ts';
import { findRoot, LOCK_FILE } from '../../reconciler/project/repository-layout.ts';
import { outcomeText, prunedFilesText } from '../../report/terminal/apply-text.ts';
import { withoutCommands } from '../../report/terminal/forge-text.ts';
import { COMMIT_FLAGS, isAboutCommits } from '../commit/commit-options.ts';
import type { OpenCommit } from '../commit/open-commit.ts';
import { withErrorReport } from '../errors.ts';
import { rejectConflictingOptions, workingDirectory } from '../global-options.ts';
import type { Io } from '../io.ts';
import { stdoutStyle } from '../output.ts';
import { printDrift } from '../plan/drift/drift-command.ts';
import type { PlanContext } from '../plan/open-plan.ts';
import { SAVED_PLAN_CONFLICTS } from '../plan/plan-options.ts';
import type { CommandPool } from '../render/command-pool.ts';
import { needsService, noopService, type OpenService, openService, SOURCES_FOLDER } from '../service/open-service.ts';
import { type DesiredState, loadDesiredState, serviceName } from '../state/load-desired-state.ts';
import { type OpenJournal, openJournal } from '../state/open-journal.ts';
import { openLockFile, withRunLock } from '../state/open-lock.ts';
import { approve, checkCredentials } from './apply-checks.ts';
import { type ApplyOptions, applyFormat } from './apply-options.ts';
import { type ApplyView, applyExitCode } from './apply-outcome.ts';
import { openApplyView } from './apply-view.ts';
import { type ApplyCall, type BegunApply, beginApply, refuseVideos } from './begin-apply.ts';
import { runPlan } from './run-plan.ts';
import { approveUnsearched } from './unsearched-history.ts';

interface ApplyRun {
  readonly observer: ApplyView | null;
  /** Closed by the caller. */
  readonly processes: CommandPool;
}

/** Runs `applyCommand`. */
export async function runApply(
  file: string | undefined,
  flags: ApplyOptions,
  io: Io,
  { observer, processes }: ApplyRun,
): Promise<number> {
  const format = applyFormat(flags);
  const options = { ...flags, format, json: format === 'json' };
  const view = await openApplyView(options, io, observer);
  const call: ApplyCall = { file, options, view, io };
  try {
    return await withErrorReport(view && ((diagnostics) => view.fail(diagnostics)), async () => {
      if (options.shard === undefined) return lockAndApply(call, processes);
      const { applyShard } = await import('./apply-shard.ts');
      return applyShard(call, options.shard, processes);
    });
  } finally {
    await view?.close?.();
  }
}

async function lockAndApply(call: ApplyCall, processes: CommandPool): Promise<number> {
  const { file, options, io } = call;
  if (file !== undefined) rejectConflictingOptions('A saved plan', options, SAVED_PLAN_CONFLICTS);
  const root = findRoot(workingDirectory(options, io));
  // The lock is taken before the first file is read, so that the lockfile stays the same from planning to recording.
  return withRunLock(root, io, async () => {
    if (options.refreshOnly === true) return applyDrift(options, io);
    return openAndApply(call, processes);
  });
}

async function openAndApply(call: ApplyCall, processes: CommandPool): Promise<number> {
  const { options, io } = call;
  // The plan cache is not used: videos are rendered from the files that were compared.
  const repository = await loadDesiredState(workingDirectory(options, io), {
    cache: false,
    openPool: () => processes.open(),
  });
  // The journal is opened before the tip of the branch is read, so that a result which another run records meanwhile is
  // in one of them. With errors there is no plan and no run.
  const journal = hasErrors(repository.diagnostics) ? null : await openJournal(repository.root, repository.config);
  try {
    const commit = journal === null ? null : await openCommitOf(call, repository);
    const context: PlanContext & { readonly repository: DesiredState } = {
      repository,
      processes,
      isApplied: true,
      ...(journal !== null && { journal: journal.state }),
      ...(commit !== null && { waiting: commit.waiting }),
    };
    const begun = await beginApply(call, context, {
      folder: SOURCES_FOLDER,
      processes,
      warnings: commit?.warnings ?? [],
      counts: options.segmentCache !== false,
      problem: () => commit?.run.problem ?? null,
    });
    if (typeof begun === 'number') return begun;
    return await runBegun(call, begun, journal!, commit)
      .catch((error: unknown) => {
        begun.warnUnresolved();
        throw error;
      })
      .finally(() => begun.videos.close());
  } finally {
    await journal?.close();
  }
}

/** @param commit null if the lockfile is not committed */
async function runBegun(
  call: ApplyCall,
  begun: BegunApply,
  journal: OpenJournal,
  commit: OpenCommit | null,
): Promise<number> {
  const { file, options, view, io } = call;
  const { plan, project, document, end } = begun;
  const { root, config } = project;
  const recordLinks = (): Promise<Lock> => recordExpiredLinks(root, begun);
  if (isEmptyPlan(plan)) {
    const lock = await recordLinks();
    // Commits the lockfile of an earlier run that ended before it could commit.
    await commit?.run.finish(lock);
    if (options.prune === true) await pruneOutputs(root, journal.state, commit, io);
    return end(EXIT.ok);
  }
  // Missing credentials are reported before the user is asked.
  checkCredentials(plan, config, io.env);
  const refusal = await refuseVideos(call, begun);
  if (refusal !== null) return refusal;
  const service = plan.changes.some(needsService)
    ? await openKnown(begun, journal, options, io)
    : noopService(serviceName(config));
  await approveUnsearched(begun, config, options, io);
  if (file === undefined) await approve(document, options, io);
  const lock = await recordLinks();
  io.stderr.write('\n');
  const outcome = await runPlan(
    {
      plan,
      project,
      lock,
      service,
      journal,
      concurrency: options.concurrency ?? config.concurrency,
      timeoutMs: options.timeout ?? null,
      failFast: options.failFast === true,
      color: options.color,
      streams: options.json === true,
      commit: commit?.run ?? null,
      onEvent: (event) => view?.take(event),
      onLeave: (left) => void end(EXIT.interrupted, left),
    },
    io,
  );
  if (options.json !== true) {
    const words = outcomeText(outcome, stdoutStyle(options, io));
    io.stdout.write(options.format === 'github' ? withoutCommands(words, randomUUID()) : words);
  }
  if (options.prune === true) await pruneOutputs(root, journal.state, commit, io);
  return end(applyExitCode(outcome), outcome);
}

/** Records the new URLs that a refresh found for expired URLs. */
async function recordExpiredLinks(root: string, { lock, refreshed }: BegunApply): Promise<Lock> {
  const expired = refreshed?.findings.filter(({ what }) => what === 'link_expired') ?? [];
  if (expired.length === 0) return lock;
  return openLockFile(root, lock).update((present) => recordFindings(present, expired));
}

/** @throws ReelformError as `openCommit`, such as `checkout_stale` */
async function openCommitOf({ options, view, io }: ApplyCall, repository: DesiredState): Promise<OpenCommit | null> {
  if (!isAboutCommits(options)) return null;
  const { openCommit } = await import('../commit/open-commit.ts');
  return openCommit(repository, options, io, (published) => view?.take({ kind: 'lock-published', published }));
}

/** Opens the service with the lifetime of idempotency keys that earlier runs observed. */
function openKnown(
  { project, videos }: BegunApply,
  journal: OpenJournal,
  options: ApplyOptions,
  io: Io,
): Promise<OpenService> {
  const facts = journal.state.services.get(serviceName(project.config));
  return openService(project, io, {
    keyLifetimeMs: facts?.keyLifetimeMs ?? null,
    cache: options.segmentCache ?? true,
    pool: () => videos.pool(),
  });
}

/**
 * `reelform apply --refresh-only`: updates the lockfile without rendering. Marks the entries of lost videos, so that
 * the next plan renders them, and records the new version of changed remote files, so that videos made from the old
 * version count as unchanged. Replaces expired URLs by those of the session. Files that are missing on this machine only are not recorded.
 */
async function applyDrift(options: ApplyOptions, io: Io): Promise<number> {
  rejectConflictingOptions('--refresh-only', options, {
    replace: '--replace',
    changedSince: '--changed-since',
    maxRenders: '--max-renders',
    policyCommand: '--policy-command',
    expectPlan: '--expect-plan',
    allowUnsearched: '--allow-unsearched',
    prune: '--prune',
    ...COMMIT_FLAGS,
  });
  const shown = await printDrift(options, io.stderr, io);
  if (shown === null) return EXIT.error;
  const { findings } = shown.refreshed;
  if (findings.length === 0) return shown.refreshed.sessions === 'nothing' ? EXIT.error : EXIT.ok;
  await approve(null, options, io);
  await openLockFile(shown.root, shown.lock).update((lock) => recordFindings(lock, findings));
  return EXIT.ok;
}

/**
 * Removes outputs that neither the lockfile, the journal nor the pull request of the lockfile names. Removes nothing if
 * the lockfile cannot be read.
 *
 * @param root absolute
 */
async function pruneOutputs(
  root: string,
  { attempts }: JournalState,
  commit: Pick<OpenCommit, 'waiting'> | null,
  io: Pick<Io, 'stderr'>,
): Promise<void> {
  const lock = await readLock(join(root, LOCK_FILE), LOCK_FILE);
  if (!lock.ok) return;
  const kept = [
    ...lock.value.videos.values(),
    ...[...attempts.values()].flatMap(({ rendering }) => rendering ?? []),
    ...[...(commit?.waiting.values() ?? [])].map(({ entry }) => entry),
  ];
  const files = await findUnnamedOutputs(root, { kept });
  const removed = await removeOutputs(
    root,
    files.map(({ path }) => path),
  );
  io.stderr.write(prunedFilesText(removed));
}
