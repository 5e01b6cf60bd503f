import { type Diagnostic, errorAt, hasErrors, ReelformError, warningAt } from '../../kernel/diagnostic.ts';
import { formatList } from '../../kernel/hints.ts';
import type { Refreshed } from '../../reconciler/apply/refresh-videos.ts';
import { globBase, isFragment } from '../../reconciler/definition/video.ts';
import { isSparse, leftOutFiles } from '../../reconciler/git/sparse-checkout.ts';
import type { Attempt, JournalState } from '../../reconciler/lock/journal.ts';
import type { Fingerprint, Lock } from '../../reconciler/lock/lock.ts';
import { type DesiredVideo, remoteContent } from '../../reconciler/plan/desired-video.ts';
import {
  type FormerEntry,
  type Observations,
  onlyRestores,
  type Plan,
  type PlanDiagnostic,
  rendersNew,
  rendersOtherContent,
} from '../../reconciler/plan/plan.ts';
import { planVideos } from '../../reconciler/plan/plan-videos.ts';
import type { SavedDemands } from '../../reconciler/plan/saved-plan.ts';
import { type IdGlobs, idMatcher, isSelected, unmatchedHint } from '../../reconciler/plan/select-changes.ts';
import type { CacheProbe } from '../../reconciler/plan-cache/probe.ts';
import { createOutputCheck, findSwappedOutputs } from '../../reconciler/project/local-outputs.ts';
import { leftOutHint } from '../../report/wording/left-out-words.ts';
import { countNoun } from '../../report/wording/quantities.ts';
import { type GlobalOptions, workingDirectory } from '../global-options.ts';
import type { Io } from '../io.ts';
import { printDiagnostics } from '../output.ts';
import { type CommandPool, withProcesses } from '../render/command-pool.ts';
import { type DesiredState, loadDesiredState, serviceName } from '../state/load-desired-state.ts';
import { readJournal } from '../state/open-journal.ts';
import { explainRemovedScenes } from './explain-removed-scenes.ts';
import type { PlanFlags } from './plan-options.ts';
import type { HistorySearch } from './read-history.ts';
import { readGlobs, selectVideos } from './select-videos.ts';

/** A plan and the state it was made from. */
export interface OpenPlan {
  readonly lock: Lock;
  readonly journal: JournalState;
  /** Null unless a refresh was requested. */
  readonly refreshed: Refreshed | null;
  /** The selected part of the plan. */
  readonly plan: Plan;
  /** Why earlier renderings of its videos may exist that were not found; empty if all were found. */
  readonly unsearched: readonly Diagnostic[];
}

export interface OpenedPlan {
  readonly repository: DesiredState;
  readonly diagnostics: readonly Diagnostic[];
  /** Null if errors prevented planning. */
  readonly opened: OpenPlan | null;
}

/** State that an apply has loaded before it plans. */
export interface PlanContext {
  /** The repository, read already. */
  readonly repository?: DesiredState;
  /** The plan cache, if it is open already. */
  readonly probe?: CacheProbe | undefined;
  /** The processes that measure sounds; only known lengths are used when absent. */
  readonly processes?: CommandPool;
  /** True for the plan of a run, for which sounds are measured. */
  readonly isApplied?: boolean;
  /** True if the plan may omit unchanged videos. */
  readonly mayBePartial?: boolean;
  readonly journal?: JournalState;
  /** Entries of a pull request that is not merged yet. */
  readonly waiting?: ReadonlyMap<Fingerprint, FormerEntry>;
  /** Called with the changes before the history is searched, which may turn renders into adoptions. */
  onChanges?(changes: Plan['changes'], repository: DesiredState): void;
  /** Returns requests of a saved plan besides the definitions. */
  readonly demands?: (lock: Lock) => SavedDemands;
}

/** Opens the plan of all videos, with any number of renders; null if errors prevented planning, which are printed. */
export async function openWholePlan(
  options: GlobalOptions,
  io: Io,
): Promise<(OpenPlan & Pick<OpenedPlan, 'repository'>) | null> {
  const flags = { allowEmpty: true, maxRenders: Number.POSITIVE_INFINITY };
  const { repository, diagnostics, opened } = await withProcesses(io, (processes) =>
    openPlan(workingDirectory(options, io), flags, io, { processes }),
  );
  if (opened !== null) return { ...opened, repository };
  printDiagnostics(diagnostics, repository.source, options, io);
  return null;
}

/**
 * Reads the repository, the lockfile, the journal and the outputs, and plans. Writes nothing. With errors in the input
 * there is no plan; diagnostics of the plan itself are included.
 *
 * @throws ReelformError for invalid flags
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
  const { probe, processes } = context;
  const repository =
    context.repository ??
    (await loadDesiredState(directory, {
      cache: flags.cache !== false,
      probe,
      isLazy: mayBePartial,
      ...(processes && { openPool: () => processes.open() }),
    }));
  const { root, config } = repository;
  const restores = flags.ignoreMissingOutputs !== true;
  const compared = await repository.compare({ mayBePartial, restores });
  const read = [...repository.diagnostics, ...(compared.ok ? [] : compared.diagnostics)];
  if (!compared.ok || hasErrors(read)) return { repository, diagnostics: read, opened: null };

  const { desired, lock, outputs, complete } = compared.value;
  const inFlight = context.journal === undefined ? await readJournal(root, config, io) : null;
  const journal = inFlight?.state ?? context.journal!;
  const refreshed = flags.refresh === true ? await refresh(repository, lock, globs, restores, io) : null;
  const demands = context.demands?.(lock);
  const observations: Observations = {
    missingOutputs: outputs.missing,
    missingCaptions: outputs.missingCaptions,
    damagedOutputs: new Set([...outputs.damaged.keys(), ...(demands?.damaged ?? []), ...(refreshed?.swapped ?? [])]),
    refreshed: new Map([...(demands?.refreshed ?? []), ...(refreshed?.reasons ?? [])]),
    ...withOutputs(journal, root),
  };
  const unseen = await leftOutDefinitions(repository, desired, lock);
  const inputs = {
    desired,
    leftOut: repository.leftOut,
    waiting: repository.waiting,
    texts: repository.texts,
    lock,
    restores: demands?.restores ?? (() => restores),
    adoptsAbsent: demands?.adoptsAbsent ?? (() => !restores),
    allowEmpty: flags.allowEmpty === true,
    forgets: unseen.length === 0,
    requested: demands?.requested ?? requestedBy(flags.replace ?? [], desired, repository),
  };
  const remembered = { service: serviceName(config), cache: flags.cache !== false, waiting: context.waiting };
  const planned = planVideos({ ...inputs, observations });
  const isWanted = isSelected(globs);
  context.onChanges?.(
    planned.changes.filter(({ id }) => isWanted(id)),
    repository,
  );
  const { planned: found, unsearched } = await withHistory(planned, root, remembered, (history) =>
    planVideos({ ...inputs, observations: { ...observations, history } }),
  );
  const noted = { ...found, diagnostics: [...unseen, ...found.diagnostics] };
  const selected = await selectVideos(asksForMore ? noted : complete(noted), globs, flags, repository);
  // An unmatched target is probably a typing error, so there is no plan at all.
  const unknown = selected.diagnostics.filter(({ code }) => code === 'unknown_video');
  if (hasErrors(unknown)) return { repository, diagnostics: [...read, ...unknown], opened: null };
  const isApplied = context.isApplied === true;
  const measures = flags.refresh === true || isApplied;
  const options = { repository, lock, measures, isApplied, processes, hasUnchanged: !mayBePartial };
  const timed = await explainRemovedScenes(await withLengths(selected, options, io), repository);
  const maxRenders = flags.maxRenders ?? config.maxRenders ?? Number.POSITIVE_INFINITY;
  const plan: Plan = {
    ...timed,
    ...(config.cost === null ? {} : { prices: config.cost }),
    ...(await hardwareEncoder(config, io)),
    diagnostics: [...timed.diagnostics, ...tooManyRenders(timed, maxRenders)],
  };
  return {
    repository,
    diagnostics: [
      ...read,
      ...(inFlight?.diagnostics ?? []),
      ...(refreshed?.diagnostics ?? []),
      ...(plan.changes.some(rendersOtherContent) ? unsearched : []),
      ...plan.diagnostics,
    ],
    opened: { lock, journal, refreshed: refreshed?.refreshed ?? null, plan, unsearched },
  };
}

interface LengthOptions {
  readonly processes: CommandPool | undefined;
  readonly repository: DesiredState;
  readonly lock: Lock;
  /** Whether unchanged videos are resolved too, for `explain`. */
  readonly hasUnchanged: boolean;
  /** Whether remote sounds are measured. */
  readonly measures: boolean;
  /** Whether a run follows, which refuses videos that cannot be rendered. */
  readonly isApplied: boolean;
}

/** Resolves the timelines of videos that are as long as remote sounds. */
async function withLengths(plan: Plan, options: LengthOptions, io: Io): Promise<Plan> {
  const { repository, lock, measures, isApplied, hasUnchanged, processes } = options;
  const timed = plan.changes.filter(({ action, desired }) => {
    return desired !== null && (hasUnchanged || action !== 'noop') && remoteContent(desired).length > 0;
  });
  if (timed.length === 0) return plan;
  // Loads yaml, which a plan from the cache does not need.
  const { measureChanges } = await import('./measure-changes.ts');
  const resolve = async (pool: CommandPool) => {
    const measure = measures ? await openMeasureFor(repository, isApplied, pool, io) : null;
    return measureChanges(timed, { repository, lock, measure });
  };
  const resolved = await (processes === undefined ? withProcesses(io, resolve) : resolve(processes));
  const { changes, diagnostics, unrenderable } = resolved;
  const byId = new Map(changes.map((change) => [change.id, change]));
  const isReported = ({ video }: PlanDiagnostic): boolean => !isApplied || !unrenderable.has(video!);
  return {
    ...plan,
    changes: plan.changes.map((change) => byId.get(change.id) ?? change),
    diagnostics: [...plan.diagnostics, ...diagnostics.filter(isReported)],
    ...(isApplied && unrenderable.size > 0 && { unrenderable }),
  };
}

/**
 * A pull request can write any URL into a definition, so a plan contacts only the hosts that a refresh may contact. A run renders the
 * videos, so their URLs were accepted.
 *
 * @throws ReelformError `settings_invalid`
 */
async function openMeasureFor({ root, config }: DesiredState, isApplied: boolean, pool: CommandPool, io: Io) {
  const [{ openMeasure }, { allowListOf }, { ALLOW_EVERYTHING }] = await Promise.all([
    import('../render/open-measure.ts'),
    import('../service/open-remote-service.ts'),
    import('../../service/sessions/sources/allow-list.ts'),
  ]);
  const allow = isApplied ? ALLOW_EVERYTHING : allowListOf(config, io.env);
  return openMeasure({ root, allow, openPool: () => pool.open() }, io);
}

/** @param restores whether outputs of another content are restored; they are not looked for otherwise */
async function refresh(repository: DesiredState, lock: Lock, globs: IdGlobs, restores: boolean, io: Io) {
  const { runRefresh } = await import('./drift/run-refresh.ts');
  const { refreshed, question, warnings } = await runRefresh(repository, lock, isSelected(globs), io);
  return {
    refreshed,
    diagnostics: [...question, ...warnings],
    /** Reasons by the id of the video. */
    reasons: refreshed.findings.flatMap(({ id, reason }) => (reason === null ? [] : [[id, reason] as const])),
    /** Videos whose output has another content. */
    swapped: restores ? (await findSwappedOutputs(repository.root, lock, isSelected(globs))).keys() : [],
  };
}

/** @throws ReelformError `unknown_video` for a glob that matches nothing: a missing render is worse than an error */
function requestedBy(
  globs: readonly string[],
  desired: readonly DesiredVideo[],
  { leftOut, waiting }: Pick<DesiredState, 'leftOut' | 'waiting'>,
): (id: string) => boolean {
  for (const glob of globs) {
    const matches = idMatcher([glob]);
    if (desired.some(({ id }) => matches(id))) continue;
    const ids = desired.map(({ id }) => id);
    const found = [...leftOut, ...waiting].find(({ id }) => matches(id));
    const hint = leftOutHint(found) ?? unmatchedHint(glob, ids);
    throw new ReelformError('unknown_video', `--replace ${JSON.stringify(glob)} matches no video`, { hint });
  }
  return idMatcher(globs);
}

/**
 * Splits off attempts whose video was written to this repository and is missing now. They can only be adopted from a
 * destination.
 */
function withOutputs(journal: JournalState, root: string): Pick<Observations, 'journal' | 'gone'> {
  const hasOutputs = createOutputCheck(root);
  const isGone = ({ rendering }: Attempt): boolean => rendering !== null && !hasOutputs(rendering);
  const gone = [...journal.attempts.values()].filter(isGone);
  if (gone.length === 0) return { journal };
  const keys = new Set(gone.map(({ intent }) => intent.key));
  const attempts = new Map([...journal.attempts].filter(([key]) => !keys.has(key)));
  return { journal: { ...journal, attempts }, gone: gone.filter(({ state }) => state === 'rendered') };
}

/**
 * Plans again with earlier lockfile entries from Git, if something would be rendered.
 *
 * @returns the plan, and the reasons that the history was not searched
 */
async function withHistory(
  plan: Plan,
  root: string,
  { waiting = new Map(), ...search }: HistorySearch & { readonly waiting: PlanContext['waiting'] },
  again: (history: NonNullable<Observations['history']>) => Plan,
) {
  const wanted = plan.changes.filter(rendersOtherContent);
  if (wanted.length === 0) return { planned: plan, unsearched: [] };
  const { readHistory } = await import('./read-history.ts');
  const fingerprints = new Set(
    wanted.flatMap(({ desired }) => [desired!.fingerprint, desired!.formerFingerprint ?? desired!.fingerprint]),
  );
  const { entries, diagnostics } = await readHistory(root, fingerprints, search);
  const history = new Map([...entries, ...waiting]);
  return { planned: history.size === 0 ? plan : again(history), unsearched: diagnostics };
}

function tooManyRenders(plan: Plan, limit: number): Diagnostic[] {
  const count = plan.changes.filter(rendersNew).length;
  if (count <= limit) return [];
  const message = `The plan renders ${countNoun(count, 'video')}, but the limit is ${limit}`;
  const hint = `If this is intended, pass --max-renders ${count}; to render some of them, use --target`;
  return [errorAt('too_many_renders', undefined, message, hint)];
}

/**
 * Applies the policies of reelform.yaml, and the commands of the command line and of `REELFORM_POLICY_COMMAND`, to a plan. A
 * file can never name a command. A plan without changes is not checked.
 */
export async function applyPolicies<P extends OpenedPlan>(
  planned: P,
  flags: Pick<PlanFlags, 'policyCommand'>,
  io: Io,
): Promise<P> {
  const { opened, repository } = planned;
  if (opened === null) return planned;
  if (opened.plan.changes.every((change) => change.action === 'noop' || onlyRestores(change))) return planned;
  const commandLines = [...(flags.policyCommand ?? []), io.env.REELFORM_POLICY_COMMAND ?? ''];
  const commands = commandLines.filter((command) => command.trim() !== '');
  if (repository.config.policies.length + commands.length === 0) return planned;
  // Most repositories have no policies.
  const { evaluatePolicies } = await import('./evaluate-policies.ts');
  const { plan, diagnostics } = await evaluatePolicies(opened.plan, planned.diagnostics, commands, repository, io);
  return { ...planned, diagnostics: [...planned.diagnostics, ...diagnostics], opened: { ...opened, plan } };
}

/** The hardware encoder that renders here, if it is chosen. @throws ReelformError `settings_invalid` */
async function hardwareEncoder(
  { service, encoder }: DesiredState['config'],
  { env }: Io,
): Promise<Pick<Plan, 'hardwareEncoder'>> {
  if (service !== 'embedded' || (encoder.h264 === 'x264' && !env.REELFORM_ENCODER)) return {};
  // Loaded on demand: nearly all plans need no code of the engine.
  const { chooseEncoder } = await import('../../service/sessions/processes/render-pool.ts');
  const { h264 } = chooseEncoder(encoder, env);
  return h264 === 'x264' ? {} : { hardwareEncoder: h264 };
}

/**
 * Reports definitions that git has and leaves out of this checkout. An entry without a definition may belong
 * to one of these, so no entry is removed while there are any.
 */
async function leftOutDefinitions(
  { root, config }: Pick<DesiredState, 'root' | 'config'>,
  desired: readonly DesiredVideo[],
  lock: Lock,
): Promise<PlanDiagnostic[]> {
  const ids = new Set<string>(desired.map(({ id }) => id));
  const removes = [...lock.videos.keys()].some((id) => !ids.has(id));
  // Git is asked only if something depends on it.
  if (!removes && !isSparse(root)) return [];
  const files = await leftOutFiles(root, globBase(config.videos));
  const paths = files.filter((path) => /\.ya?ml$/i.test(path) && !isFragment(path));
  if (paths.length === 0) return [];
  const message = `Git leaves ${countNoun(paths.length, 'definition')} out of this checkout, so their videos are not compared and no video is removed from the lockfile: ${formatList(paths, 5)}`;
  const hint = `Add their folder: git sparse-checkout add ${globBase(config.videos) || '.'}; or check out everything: git sparse-checkout disable`;
  return [warningAt('definitions_left_out', undefined, message, hint)];
}
