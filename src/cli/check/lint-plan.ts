import { join } from 'node:path';
import type { VideoId } from '../../definition/video.ts';
import { type Diagnostic, hasErrors, sortDiagnostics } from '../../diagnostic.ts';
import { byCodeUnit } from '../../digest.ts';
import { pointerError } from '../../file-kind.ts';
import { type Fingerprint, isOutputPath, type LockRendering } from '../../lock/lock.ts';
import { type Change, delivers, type Plan, renders, rendersNew } from '../../plan/plan.ts';
import { createPointerSearch, isPointerFile } from '../../project/find-pointers.ts';
import { canFailLint, LINT_CODES } from '../../template/lint-severities.ts';
import type { Io } from '../io.ts';
import type { PlannedVideos } from '../plan/planned-videos.ts';
import type { Linted } from './lint-videos.ts';

/** Limits how long a user waits for a plan. The plan's document lists the videos that were not checked. */
const BUDGET_MS = 5_000;

/** Lint results of the videos that a plan creates or updates. */
interface LintedPlan extends Linted {
  source(file: string): string | undefined;
}

/** @param cache false to ignore results of earlier runs */
type LintPlanOptions = { readonly cache: boolean };

/**
 * Lints the videos that a plan creates or updates: all videos whose findings can be errors, and as many others as fit
 * in a few seconds.
 *
 * @returns null if there is nothing to lint
 */
export async function lintPlan(
  plan: Plan,
  planned: PlannedVideos,
  { cache }: LintPlanOptions,
  io: Io,
): Promise<LintedPlan | null> {
  const { templates, lint } = planned.config;
  const isWanted = LINT_CODES.some((code) => lint[code] !== 'off');
  const hasPackage = [...templates.values()].some(({ kind }) => kind === 'package');
  const wanted = fingerprintsToRender(plan);
  if (wanted.size === 0) return null;
  const pointers = await pointersOf(planned, wanted.keys());
  // A plan needs no content of files: only apply does.
  const warnings = [...pointers.values()].flat().map((one): Diagnostic => ({ ...one, severity: 'warning' }));
  for (const id of pointers.keys()) wanted.delete(id);
  const isLinted = isWanted && wanted.size > 0 && (hasPackage || canFailLint({ repository: lint, template: {} }));
  if (!isLinted && warnings.length === 0) return null;
  // Loads the engine, which most plans do not need.
  const { lintVideos } = await import('./lint-videos.ts');
  const none = new Map<VideoId, Fingerprint>();
  const linted = await lintVideos(planned, isLinted ? wanted : none, { budgetMs: BUDGET_MS, cache }, io);
  const leftOut = [...pointers.keys()].map((id) => ({ id, reason: 'lfs_pointer' as const }));
  return {
    ...linted,
    diagnostics: [...sortDiagnostics(warnings), ...linted.diagnostics],
    leftOut: [...leftOut, ...linted.leftOut].sort((a, b) => byCodeUnit(a.id, b.id)),
    source: (await planned.source()).source,
  };
}

/** Finds the Git LFS pointers that a plan cannot be applied with, as errors. */
export async function findPointers(plan: Plan, planned: PlannedVideos): Promise<Diagnostic[]> {
  const ids = plan.changes.filter(renders).map(({ id }) => id);
  const drawn = ids.length === 0 ? [] : [...(await pointersOf(planned, ids)).values()].flat();
  const sent = new Set(plan.changes.filter((change) => delivers(change) && !renders(change)).flatMap(recordedFiles));
  const unfetched = [...sent].filter((path) => isPointerFile(join(planned.root, path)));
  return sortDiagnostics([...drawn, ...unfetched.map((path) => pointerError(path, undefined))]);
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
  const source = await planned.source();
  const search = createPointerSearch({ root: planned.root, ...source });
  const asked = new Set(ids);
  const found = source.videos.filter(({ id }) => asked.has(id)).map((video) => [video.id, search(video)] as const);
  return new Map(found.filter(([, pointers]) => pointers.length > 0));
}

/**
 * Lints the videos of a plan whose findings can be errors, before anything is rendered.
 *
 * @returns the diagnostics if one of them is an error, otherwise none
 */
export async function lintErrors(
  plan: Plan,
  planned: PlannedVideos,
  { cache }: LintPlanOptions,
  io: Io,
): Promise<readonly Diagnostic[]> {
  const { templateOf } = await planned.source();
  const { lint } = planned.config;
  const wanted = fingerprintsToRender(plan, (name) => {
    const own = templateOf(name)?.package ?? null;
    return own !== null && canFailLint({ repository: lint, template: own.manifest.lint });
  });
  if (wanted.size === 0) return [];
  const { lintVideos } = await import('./lint-videos.ts');
  const { diagnostics } = await lintVideos(planned, wanted, { budgetMs: Number.POSITIVE_INFINITY, cache }, io);
  return hasErrors(diagnostics) ? diagnostics : [];
}

function fingerprintsToRender(plan: Plan, isNeeded = (_template: string) => true): Map<VideoId, Fingerprint> {
  const pending = plan.changes.filter(rendersNew).flatMap(({ desired }) => desired ?? []);
  return new Map(pending.filter(({ template }) => isNeeded(template)).map(({ id, fingerprint }) => [id, fingerprint]));
}
