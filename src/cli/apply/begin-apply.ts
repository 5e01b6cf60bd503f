import { type Diagnostic, EXIT } from '../../kernel/diagnostic.ts';
import { type ApplyOutcome, NOTHING_DONE } from '../../reconciler/apply/events.ts';
import { isUnresolvedRequest } from '../../reconciler/plan/adopt-renderings.ts';
import { type Plan, type PlanDiagnostic, rendersNew } from '../../reconciler/plan/plan.ts';
import { type PlanDocument, planDocument } from '../../reconciler/plan/plan-document.ts';
import type { Project } from '../../reconciler/project/load-project.ts';
import { diagnosticsJson } from '../../report/json/diagnostics-json.ts';
import { lintRefusal, pointerRefusal } from '../../report/terminal/repository-text.ts';
import { VERSION } from '../global-options.ts';
import type { Io } from '../io.ts';
import { printDiagnostics } from '../output.ts';
import { findPointers, lintErrors } from '../plan/lint-plan.ts';
import { segmentsToRender } from '../plan/make-plan.ts';
import type { OpenPlan, PlanContext } from '../plan/open-plan.ts';
import { type PlannedVideos, projectVideos } from '../plan/planned-videos.ts';
import { printPlanText } from '../plan/print-plan.ts';
import type { CommandPool } from '../render/command-pool.ts';
import type { DesiredState } from '../state/load-desired-state.ts';
import type { ApplyOptions } from './apply-options.ts';
import type { ApplyView } from './apply-outcome.ts';
import { planToApply } from './plan-to-apply.ts';
import { refuseUnsearched } from './unsearched-history.ts';

/** A call of `reelform apply`. */
export interface ApplyCall {
  /** The saved plan; undefined for a fresh plan. */
  readonly file: string | undefined;
  readonly options: ApplyOptions;
  readonly view: ApplyView | null;
  readonly io: Io;
}

/** A plan that was printed and may be applied. */
export interface BegunApply extends Pick<OpenPlan, 'plan' | 'lock' | 'refreshed' | 'unsearched'> {
  readonly document: PlanDocument;
  readonly project: Project;
  readonly videos: PlannedVideos;
  /** Reports the end of the run. @returns the exit status */
  end(exitCode: number, outcome?: ApplyOutcome, found?: readonly Diagnostic[]): number;
  /** Prints the warnings of unresolved requests, for a run that ends with an exception. */
  warnUnresolved(): void;
}

interface BeginOptions {
  /** Name of the folder below `.reelform/` for fetched sources. */
  readonly folder: string;
  readonly processes?: CommandPool;
  /** Risks that do not stop the run. */
  readonly warnings?: readonly Diagnostic[];
  /** Whether the plan shows how many segments are rendered. */
  readonly counts: boolean;
  /** Returns an error of the run's commits, which fails the run. */
  problem?(): Diagnostic | null;
}

/** Makes the plan of an apply and prints it. @returns the exit status if the plan may not be applied */
export async function beginApply(
  { file, options, view, io }: ApplyCall,
  context: PlanContext & { readonly repository: DesiredState },
  { folder, processes, warnings = [], counts, problem = () => null }: BeginOptions,
): Promise<BegunApply | number> {
  const { repository } = context;
  const planned = await planToApply(file, options, io, context);
  const { opened } = planned;
  const unsearched = opened === null ? null : refuseUnsearched(opened, repository.config, options, io);
  const refusal = planned.refusal ?? (unsearched === null ? null : EXIT.refused);
  const all: readonly PlanDiagnostic[] = [
    ...warnings,
    ...planned.diagnostics,
    ...(unsearched === null ? [] : [unsearched]),
  ];
  // The run checks these requests again and reports those that stay unknown.
  const unresolved = all.filter(isUnresolvedRequest);
  const diagnostics = all.filter((found) => !isUnresolvedRequest(found));
  printDiagnostics(diagnostics, repository.source, options, io);
  const warn = (open: readonly Diagnostic[]): void => printDiagnostics(open, repository.source, options, io);
  const end: BegunApply['end'] = (exitCode, outcome = NOTHING_DONE, found = []) => {
    const last = problem();
    const skipped: ReadonlySet<string> = new Set(outcome.skipped);
    const open = unresolved.filter(({ video }) => outcome === NOTHING_DONE || skipped.has(video!));
    warn(open);
    const left = [...diagnostics, ...open, ...found, ...(last === null ? [] : [last])];
    view?.take({ kind: 'outcome', outcome, diagnostics: diagnosticsJson(left, repository.source) });
    return last === null ? exitCode : EXIT.error;
  };
  if (opened === null || refusal !== null) return end(refusal ?? EXIT.error);
  const { plan, lock, refreshed, unsearched: gaps } = opened;
  const project = await repository.project();
  const videos = projectVideos(project, folder, io, processes);
  try {
    await warmProcesses(plan, videos);
    // Rendering reports a cache that cannot be used.
    const segments = counts ? await segmentsToRender(plan, videos, io, false) : undefined;
    const document = planDocument(plan, VERSION, [], repository.labels, segments);
    view?.take({ kind: 'planned', document });
    printPlanText(document, io.stderr, options, io);
    const warnUnresolved = (): void => warn(unresolved);
    return { plan, lock, refreshed, unsearched: gaps, document, project, videos, end, warnUnresolved };
  } catch (error) {
    await videos.close();
    throw error;
  }
}

/**
 * Starts the processes that will render while the rest of the plan is computed. A new video is drawn by all processors; an updated video
 * may have only one segment that changes.
 */
async function warmProcesses(plan: Plan, videos: PlannedVideos): Promise<void> {
  const rendered = plan.changes.filter(rendersNew);
  if (videos.config.service !== 'embedded' || rendered.length === 0) return;
  const isNew = rendered.some(({ action }) => action === 'create');
  await videos.warm(isNew ? Number.POSITIVE_INFINITY : rendered.length, 'videos');
}

/**
 * Checks the videos before anything is rendered: that no file is a Git LFS pointer, and lint unless `--no-lint` is set.
 *
 * @returns the exit status if they are refused
 */
export async function refuseVideos({ options, io }: ApplyCall, begun: BegunApply): Promise<number | null> {
  const { plan, videos, project, end } = begun;
  const refuse = (found: readonly Diagnostic[], words: string): number => {
    printDiagnostics(found, project.source, options, io);
    io.stderr.write(words);
    return end(EXIT.error, NOTHING_DONE, found);
  };
  const { diagnostics: pointers } = await findPointers(plan, videos);
  if (pointers.length > 0) return refuse(pointers, pointerRefusal());
  const found = options.lint === false ? [] : await lintErrors(plan, videos, { cache: options.cache !== false }, io);
  return found.length === 0 ? null : refuse(found, lintRefusal());
}
