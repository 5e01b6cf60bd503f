import { randomUUID } from 'node:crypto';
import { type ApplyOutcome, NOTHING_DONE } from '../../apply/events.ts';
import { type Diagnostic, EXIT, hasErrors } from '../../diagnostic.ts';
import { isEmptyPlan, renders } from '../../plan/plan.ts';
import { planDocument } from '../../plan/plan-document.ts';
import type { Project } from '../../project/load-project.ts';
import { findRoot } from '../../project/repository-layout.ts';
import { diagnosticsJson } from '../../report/json/diagnostics-json.ts';
import { outcomeText } from '../../report/terminal/apply-text.ts';
import { withoutCommands } from '../../report/terminal/github-commands.ts';
import { lintRefusal } from '../../report/terminal/repository-text.ts';
import { isAboutCommits } from '../commit/commit-options.ts';
import type { OpenCommit } from '../commit/open-commit.ts';
import { directoryOf, tellDiagnostics } from '../diagnose.ts';
import { VERSION } from '../global-options.ts';
import { type Io, wantsColor } from '../io.ts';
import { type OpenJournal, openJournal } from '../journal/open-journal.ts';
import { lintErrors } from '../lint/lint-plan.ts';
import { withRunLock } from '../lock/with-run-lock.ts';
import { segmentsToRender } from '../plan/make-plan.ts';
import { type OpenDesired, openDesired, serviceName } from '../plan/open-desired.ts';
import type { PlanContext } from '../plan/open-plan.ts';
import { PLAN_FLAGS } from '../plan/plan-flags.ts';
import { planToApply } from '../plan/plan-to-apply.ts';
import { showPlan } from '../plan/show-plan.ts';
import { refuseTogether } from '../refuse-together.ts';
import { asksService, idleService } from '../service/idle-service.ts';
import { type OpenService, openService } from '../service/open-service.ts';
import { tellThrown } from '../thrown.ts';
import { applyFormat } from './apply-format.ts';
import type { ApplyOptions } from './apply-options.ts';
import type { ApplyView } from './apply-view.ts';
import { approve } from './approve.ts';
import { checkCredentials } from './check-credentials.ts';
import { exitCodeOf } from './exit-code-of.ts';
import { openApplyView } from './open-apply-view.ts';
import { prune } from './prune.ts';
import { runPlan } from './run-plan.ts';

/**
 * `reelform apply [PLANFILE]`: plans, asks, renders what changed, and records it; or does what a saved plan says, without
 * asking.
 */
export async function applyCommand(file: string | undefined, said: ApplyOptions, io: Io): Promise<number> {
  const format = applyFormat(said);
  const options = { ...said, format, json: format === 'json' };
  const view = await openApplyView(options, io);
  try {
    return await tellThrown(view && ((diagnostics) => view.fail(diagnostics)), () =>
      lockAndApply(file, options, io, view),
    );
  } finally {
    await view?.close?.();
  }
}

async function lockAndApply(
  file: string | undefined,
  options: ApplyOptions,
  io: Io,
  view: ApplyView | null,
): Promise<number> {
  if (file !== undefined) refuseTogether('A saved plan', options, { ...PLAN_FLAGS, expectPlan: '--expect-plan' });
  const root = findRoot(directoryOf(options, io));
  // Before anything is read: what is planned here is what the lockfile says until the end.
  return withRunLock(root, io, async () => {
    if (options.refreshOnly !== true) return openAndApply(file, options, io, view);
    const { applyDrift } = await import('../drift/apply-drift.ts');
    return applyDrift(options, io);
  });
}

async function openAndApply(
  file: string | undefined,
  options: ApplyOptions,
  io: Io,
  view: ApplyView | null,
): Promise<number> {
  // Nothing remembered: what is rendered is what was compared.
  const repository = await openDesired(directoryOf(options, io), { cache: false });
  if (hasErrors(repository.diagnostics)) return planAndApply(file, options, io, view, repository, null);
  // Before the tip is looked at: what another run has recorded is in the one or in the other, whenever it does that.
  const journal = await openJournal(repository.root, repository.config);
  try {
    const commit = await openCommitOf(repository, options, io, view);
    return await planAndApply(file, options, io, view, repository, { journal, commit });
  } finally {
    await journal.close();
  }
}

/** Where a run writes to. */
interface Places {
  readonly journal: OpenJournal;
  /** Null: the lockfile stays where it is. */
  readonly commit: OpenCommit | null;
}

/** @param places null when there are mistakes in the repository, which leave nothing to do */
async function planAndApply(
  file: string | undefined,
  options: ApplyOptions,
  io: Io,
  view: ApplyView | null,
  repository: OpenDesired,
  places: Places | null,
): Promise<number> {
  const { journal, commit } = places ?? { journal: null, commit: null };
  const context: PlanContext = {
    repository,
    ...(journal !== null && { journal: journal.state }),
    ...(commit !== null && { waiting: commit.waiting }),
  };
  const { diagnostics: planned, opened, refusal } = await planToApply(file, options, io, context);
  const diagnostics = [...(commit?.warnings ?? []), ...planned];
  tellDiagnostics(diagnostics, repository.source, options, io);
  const end = (outcome: ApplyOutcome, exitCode: number, found: readonly Diagnostic[] = []): number => {
    const problem = commit?.run.problem ?? null;
    const all = [...diagnostics, ...found, ...(problem === null ? [] : [problem])];
    view?.tell({ kind: 'outcome', outcome, diagnostics: diagnosticsJson(all, repository.source) });
    return problem === null ? exitCode : EXIT.error;
  };
  if (opened === null || journal === null || refusal !== null) return end(NOTHING_DONE, refusal ?? EXIT.error);
  const { plan, lock } = opened;
  const segments = options.segmentCache === false ? undefined : await segmentsToRender(plan, repository, io);
  const document = planDocument(plan, VERSION, [], repository.labels, segments);
  view?.tell({ kind: 'planned', document });
  showPlan(document, io.stderr, options, io);
  if (isEmptyPlan(plan)) {
    // A run that ended before it could commit has left the lockfile behind.
    await commit?.run.finish(lock);
    if (options.prune === true) await prune(repository.root, journal.state, commit, io);
    return end(NOTHING_DONE, EXIT.ok);
  }

  const project = await repository.project();
  const { config } = project;
  // Before anybody is asked: it may be one that cannot be used.
  checkCredentials(plan, config, io.env);
  const found = options.lint === false ? [] : await lintErrors(plan, project, { cache: options.cache !== false }, io);
  if (found.length > 0) {
    tellDiagnostics(found, project.source, options, io);
    io.stderr.write(lintRefusal());
    return end(NOTHING_DONE, EXIT.error, found);
  }
  const service = plan.changes.some(asksService)
    ? openKnown(project, journal, options, io)
    : idleService(serviceName(config));
  if (file === undefined) await approve(plan.changes.filter(renders).length, options, io);
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
      onEvent: (event) => view?.tell(event),
      onLeave: (left) => void end(left, EXIT.interrupted),
    },
    io,
  );
  if (options.json !== true) {
    const words = outcomeText(outcome, { color: wantsColor(io.stdout, io.env, options.color) });
    io.stdout.write(options.format === 'github' ? withoutCommands(words, randomUUID()) : words);
  }
  if (options.prune === true) await prune(repository.root, journal.state, commit, io);
  return end(outcome, exitCodeOf(outcome));
}

/** @throws ReelformError `checkout_stale` and others: see `openCommit` */
async function openCommitOf(
  repository: OpenDesired,
  options: ApplyOptions,
  io: Io,
  view: ApplyView | null,
): Promise<OpenCommit | null> {
  if (!isAboutCommits(options)) return null;
  const { openCommit } = await import('../commit/open-commit.ts');
  return openCommit(repository, options, io, (published) => view?.tell({ kind: 'lock-published', published }));
}

/** The service, with what earlier runs saw of it. */
function openKnown(project: Project, journal: OpenJournal, options: ApplyOptions, io: Io): OpenService {
  const facts = journal.state.services.get(serviceName(project.config));
  return openService(project, io, facts?.keyLifetimeMs ?? null, options.segmentCache);
}
