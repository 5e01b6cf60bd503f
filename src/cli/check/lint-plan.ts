import type { VideoId } from '../../definition/video.ts';
import { type Diagnostic, hasErrors } from '../../diagnostic.ts';
import type { Fingerprint } from '../../lock/lock.ts';
import { type Plan, rendersNew } from '../../plan/plan.ts';
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
  if (!isWanted || wanted.size === 0) return null;
  if (!hasPackage && !canFailLint({ repository: lint, template: {} })) return null;
  // Loads the engine, which most plans do not need.
  const { lintVideos } = await import('./lint-videos.ts');
  const linted = await lintVideos(planned, wanted, { budgetMs: BUDGET_MS, cache }, io);
  return { ...linted, source: (await planned.source()).source };
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
