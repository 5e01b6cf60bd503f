import type { Refreshed } from '../../apply/refresh-videos.ts';
import { type Diagnostic, hasErrors, ReelformError } from '../../diagnostic.ts';
import type { Attempt, JournalState } from '../../lock/journal.ts';
import type { Fingerprint, Lock } from '../../lock/lock.ts';
import type { DesiredVideo } from '../../plan/desired-video.ts';
import { type FormerEntry, type Observations, type Plan, rendersNew } from '../../plan/plan.ts';
import { planVideos } from '../../plan/plan-videos.ts';
import type { SavedDemands } from '../../plan/saved-plan.ts';
import { type Globs, idMatcher, isSelected, unmatchedHint } from '../../plan/select-changes.ts';
import type { CacheProbe } from '../../plan-cache/probe.ts';
import { createOutputCheck, findSwappedOutputs } from '../../project/local-outputs.ts';
import type { Io } from '../io.ts';
import { readJournal } from '../journal/open-journal.ts';
import { type OpenDesired, openDesired } from './open-desired.ts';
import type { PlanFlags } from './plan-flags.ts';
import { readGlobs } from './read-globs.ts';
import { selectVideos } from './select-videos.ts';

/** Everything that a plan is made of. */
export interface OpenPlan {
  readonly lock: Lock;
  readonly journal: JournalState;
  /** Null unless somebody asked for a refresh. */
  readonly refreshed: Refreshed | null;
  /** What is asked for of it. */
  readonly plan: Plan;
}

export interface OpenedPlan {
  readonly repository: OpenDesired;
  readonly diagnostics: readonly Diagnostic[];
  /** Null when mistakes leave nothing to plan. */
  readonly opened: OpenPlan | null;
}

/** What an apply knows before it plans. */
export interface PlanContext {
  /** The repository, read already. */
  readonly repository?: OpenDesired;
  /** The plan cache, when it was opened already. */
  readonly probe?: CacheProbe | undefined;
  /** Whether the lock may lack what a plan has nothing to do for. */
  readonly mayBePartial?: boolean;
  /** What the journal that is open already says. */
  readonly journal?: JournalState;
  /** Entries that wait in a pull request to be merged. */
  readonly waiting?: ReadonlyMap<Fingerprint, FormerEntry>;
  /** What a saved plan asks for beyond what the definitions do. */
  readonly demands?: (lock: Lock) => SavedDemands;
}

/**
 * Reads the repository, the lock, the journal and the outputs, and plans. Writes nothing. With errors in what was read there
 * is no plan; what stands against the plan is among the diagnostics too.
 *
 * @throws ReelformError for flags that cannot be followed
 */
export async function openPlan(
  directory: string,
  flags: PlanFlags,
  io: Io,
  context: PlanContext = {},
): Promise<OpenedPlan> {
  const globs = await readGlobs(flags, directory, io);
  const asksForMore = flags.refresh === true || flags.replace !== undefined || context.demands !== undefined;
  const mayBePartial = context.mayBePartial === true && !asksForMore && flags.changedSince === undefined;
  const { probe } = context;
  const repository =
    context.repository ?? (await openDesired(directory, { cache: flags.cache !== false, probe, isLazy: mayBePartial }));
  const { root, config } = repository;
  const restores = flags.ignoreMissingOutputs !== true;
  const compared = await repository.compare({ mayBePartial, restores });
  const read = [...repository.diagnostics, ...(compared.ok ? [] : compared.diagnostics)];
  if (!compared.ok || hasErrors(read)) return { repository, diagnostics: read, opened: null };

  const { desired, lock, outputs, complete } = compared.value;
  const inFlight = context.journal === undefined ? await readJournal(root, config, io) : null;
  const journal = inFlight?.state ?? context.journal!;
  const refreshed = flags.refresh === true ? await refresh(repository, lock, globs, io) : null;
  const swapped = flags.refresh === true && restores ? await findSwappedOutputs(root, lock, isSelected(globs)) : [];
  const found = new Map(refreshed?.refreshed.findings.map(({ id, reason }) => [id, reason]));
  const demands = context.demands?.(lock);
  const observations: Observations = {
    missingOutputs: outputs.missing,
    damagedOutputs: new Set([...outputs.damaged.keys(), ...(demands?.damaged ?? []), ...swapped]),
    refreshed: new Map([...(demands?.refreshed ?? []), ...found]),
    ...withOutputs(journal, root),
  };
  const inputs = {
    desired,
    lock,
    restores: demands?.restores ?? (() => restores),
    adoptsAbsent: demands?.adoptsAbsent ?? (() => !restores),
    allowEmpty: flags.allowEmpty === true,
    requested: demands?.requested ?? requestedBy(flags.replace ?? [], desired),
  };
  const remembered = { cache: flags.cache !== false, waiting: context.waiting };
  const { planned, unsearched } = await withHistory(
    planVideos({ ...inputs, observations }),
    root,
    remembered,
    (history) => planVideos({ ...inputs, observations: { ...observations, history } }),
  );
  const selected = await selectVideos(asksForMore ? planned : complete(planned), globs, flags, repository);
  // A target that matches nothing is a typing error, which is more than a plan that is refused.
  const unknown = selected.diagnostics.filter(({ code }) => code === 'unknown_video');
  if (hasErrors(unknown)) return { repository, diagnostics: [...read, ...unknown], opened: null };
  const tooMany = tooManyRenders(selected, flags.maxRenders ?? config.maxRenders ?? Number.POSITIVE_INFINITY);
  const plan: Plan = {
    ...selected,
    ...(config.cost === null ? {} : { prices: config.cost }),
    diagnostics: tooMany === null ? selected.diagnostics : [...selected.diagnostics, tooMany],
  };
  return {
    repository,
    diagnostics: [
      ...read,
      ...(inFlight?.diagnostics ?? []),
      ...(refreshed?.diagnostics ?? []),
      ...(plan.changes.some(rendersNew) ? unsearched : []),
      ...plan.diagnostics,
    ],
    opened: { lock, journal, refreshed: refreshed?.refreshed ?? null, plan },
  };
}

async function refresh(
  repository: OpenDesired,
  lock: Lock,
  globs: Globs,
  io: Io,
): Promise<{ refreshed: Refreshed; diagnostics: readonly Diagnostic[] }> {
  const { runRefresh } = await import('../drift/run-refresh.ts');
  const { refreshed, question, warnings } = await runRefresh(repository, lock, isSelected(globs), io);
  return { refreshed, diagnostics: [...question, ...warnings] };
}

/** @throws ReelformError `unknown_video` for a glob that asks for nothing: a render that does not come is worse than none */
function requestedBy(globs: readonly string[], desired: readonly DesiredVideo[]): (id: string) => boolean {
  for (const glob of globs) {
    const matches = idMatcher([glob]);
    if (desired.some(({ id }) => matches(id))) continue;
    const hint = unmatchedHint(
      glob,
      desired.map(({ id }) => id),
    );
    throw new ReelformError('unknown_video', `--replace ${JSON.stringify(glob)} asks for no video that there is`, {
      hint,
    });
  }
  return idMatcher(globs);
}

/** An attempt whose video was written into this repository and is gone can only be adopted from where it was delivered to. */
function withOutputs(journal: JournalState, root: string): Pick<Observations, 'journal' | 'gone'> {
  const hasOutputs = createOutputCheck(root);
  const isGone = ({ rendering }: Attempt): boolean => rendering !== null && !hasOutputs(rendering);
  const gone = [...journal.attempts.values()].filter(isGone);
  if (gone.length === 0) return { journal };
  const keys = new Set(gone.map(({ intent }) => intent.key));
  const attempts = new Map([...journal.attempts].filter(([key]) => !keys.has(key)));
  return { journal: { ...journal, attempts }, gone: gone.filter(({ state }) => state === 'rendered') };
}

/** A plan that knows the history of the lockfile, and why that could not be searched. */
interface PlannedWithHistory {
  readonly planned: Plan;
  readonly unsearched: readonly Diagnostic[];
}

/** Plans again with what git remembers of former renderings, where something would be rendered. */
async function withHistory(
  plan: Plan,
  root: string,
  { cache, waiting = new Map() }: { readonly cache: boolean; readonly waiting: PlanContext['waiting'] },
  again: (history: NonNullable<Observations['history']>) => Plan,
): Promise<PlannedWithHistory> {
  const pending = plan.changes.filter(rendersNew);
  // What was asked for anew is not what there was.
  const wanted = pending.filter(({ desired, before }) => desired?.fingerprint !== before?.fingerprint);
  if (wanted.length === 0) return { planned: plan, unsearched: [] };
  const { readHistory } = await import('./read-history.ts');
  const fingerprints = new Set(wanted.map(({ desired }) => desired!.fingerprint));
  const { entries, diagnostics } = await readHistory(root, fingerprints, { cache });
  const history = new Map([...waiting, ...entries]);
  return { planned: history.size === 0 ? plan : again(history), unsearched: diagnostics };
}

function tooManyRenders(plan: Plan, limit: number): Diagnostic | null {
  const count = plan.changes.filter(rendersNew).length;
  if (count <= limit) return null;
  return {
    code: 'too_many_renders',
    severity: 'error',
    message: `The plan renders ${count} videos, and ${limit} are allowed`,
    hint: `If they are meant, pass --max-renders ${count}; to render some of them, --target`,
  };
}
