import { join } from 'node:path';
import { type Diagnostic, hasErrors, sortDiagnostics } from '../../kernel/diagnostic.ts';
import { byCodeUnit } from '../../kernel/digest.ts';
import { pointerError } from '../../kernel/file-kind.ts';
import { templatesOf, type VideoId } from '../../reconciler/definition/video.ts';
import { isOutputPath, type LockRendering } from '../../reconciler/lock/lock.ts';
import { contentKey, hasUnknownLength } from '../../reconciler/plan/desired-video.ts';
import { type Change, delivers, type Plan, renders, rendersNew } from '../../reconciler/plan/plan.ts';
import type { LintSummary } from '../../reconciler/plan/plan-document.ts';
import { createPointerSearch, isPointerFile } from '../../reconciler/project/find-pointers.ts';
import { canFailLint } from '../../template/lint-severities.ts';
import type { Io } from '../io.ts';
import type { Linted } from './lint-videos.ts';
import type { PlannedVideos } from './planned-videos.ts';
import { isLintWanted } from './warm-for-content.ts';

/**
 * Maximum number of videos that a plan checks although their findings can only be warnings. The plan's document lists the others.
 * A limit of time would let the load of the machine decide about findings.
 */
const MAX_CHECKED = 80;

/** @param cache false to ignore results of earlier runs */
type LintPlanOptions = { readonly cache: boolean };

/**
 * Lints the videos that a plan creates or updates: all videos whose findings can be errors, and the first 80 of the rest.
 *
 * @param pointers of `findPointers`: their videos are left out
 * @returns null if there is nothing to lint
 */
export async function lintPlan(
  plan: Plan,
  planned: PlannedVideos,
  pointers: PlanPointers,
  { cache }: LintPlanOptions,
  io: Io,
): Promise<Linted | null> {
  const { templates, lint } = planned.config;
  const hasPackage = [...templates.values()].some(({ kind }) => kind === 'package');
  const wanted = contentToRender(plan);
  const untimed = new Set<string>(plan.changes.filter(isUntimed).map(({ id }) => id));
  const leftOut = [...wanted.keys()].flatMap((id): LintSummary['left_out'] => {
    if (pointers.videos.has(id)) return [{ id, reason: 'lfs_pointer' }];
    return untimed.has(id) ? [{ id, reason: 'length_unknown' }] : [];
  });
  for (const { id } of leftOut) wanted.delete(id as VideoId);
  const isLinted = isLintWanted(lint) && (hasPackage || canFailLint({ repository: lint, template: {} }));
  if (!isLinted || wanted.size + leftOut.length === 0) return null;
  // Loads the engine, which most plans do not need.
  const { lintVideos } = await import('./lint-videos.ts');
  const options = { maxVideos: MAX_CHECKED, cache, withoutEngine: 'leave out' } as const;
  const linted = await lintVideos(planned, wanted, options, io);
  return { ...linted, leftOut: [...leftOut, ...linted.leftOut].sort((a, b) => byCodeUnit(a.id, b.id)) };
}

/**
 * Starts the process that `lintPlan` will need, and fills the template of its first video, while the history is searched.
 *
 * @param changes of a plan that may change
 */
export async function prepareLint(
  changes: Plan['changes'],
  planned: PlannedVideos,
  options: LintPlanOptions,
): Promise<void> {
  const { templates, lint } = planned.config;
  const wanted = contentToRender({ changes }, (name) => templates.get(name)?.kind === 'package');
  if (wanted.size === 0 || !isLintWanted(lint)) return;
  const { prepareVideos } = await import('./lint-videos.ts');
  await prepareVideos(planned, wanted, options);
}

/** The Git LFS pointers that a plan cannot be applied with. */
interface PlanPointers {
  /** Videos that cannot be rendered. */
  readonly videos: ReadonlySet<string>;
  /** Errors, sorted by file and position. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Finds the Git LFS pointers among the files that a plan renders from or delivers. */
export async function findPointers(plan: Plan, planned: PlannedVideos): Promise<PlanPointers> {
  const ids = plan.changes.filter(renders).map(({ id }) => id);
  const drawn = ids.length === 0 ? new Map<VideoId, Diagnostic[]>() : await pointersOf(planned, ids);
  const sent = new Set(plan.changes.filter((change) => delivers(change) && !renders(change)).flatMap(recordedFiles));
  const unfetched = [...sent].filter((path) => isPointerFile(join(planned.root, path)));
  const diagnostics = [...[...drawn.values()].flat(), ...unfetched.map((path) => pointerError(path, undefined))];
  return { videos: new Set(drawn.keys()), diagnostics: sortDiagnostics(diagnostics) };
}

/** Returns whether the length of a video is not known, so that it cannot be drawn yet. */
function isUntimed({ desired }: Change): boolean {
  return desired !== null && hasUnknownLength(desired);
}

/** Returns the local files of the finished video that a change delivers. */
function recordedFiles(change: Change): string[] {
  const adopted = change.action === 'adopt' && 'rendering' in change.source ? change.source.rendering : null;
  const rendering: LockRendering | null = adopted ?? change.before;
  if (rendering === null) return [];
  return [rendering, ...(rendering.outputs ?? [])].map(({ video_url }) => video_url).filter(isOutputPath);
}

/** Returns the Git LFS pointers of videos by id, without the videos that have none. */
export async function pointersOf(
  planned: PlannedVideos,
  ids: Iterable<string>,
): Promise<ReadonlyMap<VideoId, readonly Diagnostic[]>> {
  const { videos, filled, source, templateOf } = await planned.source();
  const templates = { get: (name: string) => templateOf(name) ?? undefined };
  const search = createPointerSearch({ root: planned.root, templates, filled, source });
  const selectedIds = new Set(ids);
  const found = videos.filter(({ id }) => selectedIds.has(id)).map((video) => [video.id, search(video)] as const);
  return new Map(found.filter(([, pointers]) => pointers.length > 0));
}

/**
 * Lints the videos of a plan whose findings can be errors, before anything is rendered.
 *
 * @returns the diagnostics if there is an error among them, otherwise none
 * @throws ReelformError `engine_missing`
 */
export async function lintErrors(
  plan: Plan,
  planned: PlannedVideos,
  { cache }: LintPlanOptions,
  io: Io,
): Promise<readonly Diagnostic[]> {
  const { templateOf } = await planned.source();
  const { lint } = planned.config;
  const { unrenderable = new Map() } = plan;
  const changes = plan.changes.filter((change) => !unrenderable.has(change.id));
  const wanted = contentToRender({ changes }, (name) => {
    const templatePackage = templateOf(name)?.package ?? null;
    return templatePackage !== null && canFailLint({ repository: lint, template: templatePackage.manifest.lint });
  });
  if (wanted.size === 0) return [];
  const { lintVideos } = await import('./lint-videos.ts');
  const options = { maxVideos: Number.POSITIVE_INFINITY, cache, withoutEngine: 'throw' } as const;
  const { diagnostics } = await lintVideos(planned, wanted, options, io);
  return hasErrors(diagnostics) ? diagnostics : [];
}

function contentToRender(plan: Pick<Plan, 'changes'>, isNeeded = (_template: string) => true): Map<VideoId, string> {
  const pending = plan.changes.filter(rendersNew).flatMap(({ desired }) => desired ?? []);
  return new Map(
    pending.filter((video) => templatesOf(video).some(isNeeded)).map((video) => [video.id, contentKey(video)]),
  );
}
