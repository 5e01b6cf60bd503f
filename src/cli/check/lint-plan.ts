import type { VideoId } from '../../definition/video.ts';
import { type Diagnostic, hasErrors } from '../../diagnostic.ts';
import type { Fingerprint } from '../../lock/lock.ts';
import { type Plan, rendersNew } from '../../plan/plan.ts';
import type { Project } from '../../project/load-project.ts';
import { RepositoryFiles } from '../../project/repository-files.ts';
import { canFailLint, LINT_CODES } from '../../template/lint-severities.ts';
import type { Io } from '../io.ts';
import type { DesiredState } from '../plan/load-desired-state.ts';
import type { Linted, LintSource } from './lint-videos.ts';

/** Limits how long a user waits for a plan. The plan's document lists the videos that were not checked. */
const BUDGET_MS = 5_000;

/** Lint results of the videos that a plan creates or updates. */
export interface LintedPlan extends Linted {
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
  repository: DesiredState,
  { cache }: LintPlanOptions,
  io: Io,
): Promise<LintedPlan | null> {
  const { templates, lint } = repository.config;
  const isWanted = LINT_CODES.some((code) => lint[code] !== 'off');
  const hasPackage = [...templates.values()].some(({ kind }) => kind === 'package');
  const wanted = fingerprintsToRender(plan);
  if (!isWanted || wanted.size === 0) return null;
  if (!hasPackage && !canFailLint({ repository: lint, template: {} })) return null;
  // Loads the engine, which most plans do not need.
  const { lintVideos } = await import('./lint-videos.ts');
  const planned = await readPlanned(plan, repository);
  const from = { root: repository.root, lint, ...planned };
  return { ...(await lintVideos(from, wanted, { budgetMs: BUDGET_MS, cache }, io)), source: planned.source };
}

/** Reads the definitions of the videos that a plan creates or updates, and their templates on demand. */
export async function readPlanned(
  plan: Plan,
  { root, config }: Pick<DesiredState, 'root' | 'config'>,
): Promise<Pick<LintSource, 'videos' | 'packageOf' | 'source'>> {
  const { LazyTemplates, reloadDefinitions } = await import('../../project/load-definitions.ts');
  const files = new RepositoryFiles(root);
  const lazy = new LazyTemplates(config, files);
  const paths = new Set(plan.changes.filter(rendersNew).flatMap(({ desired }) => desired?.path ?? []));
  const { videos } = reloadDefinitions([...paths].sort(), config, lazy, files);
  return { videos, packageOf: (name) => lazy.load(name).template?.package ?? null, source: files.source };
}

/**
 * Lints the videos of a plan whose findings can be errors, before anything is rendered.
 *
 * @returns the diagnostics if one of them is an error, otherwise none
 */
export async function lintErrors(
  plan: Plan,
  { root, config, templates, videos, source }: Project,
  { cache }: LintPlanOptions,
  io: Io,
): Promise<readonly Diagnostic[]> {
  const packageOf = (name: string) => templates.get(name)?.package ?? null;
  const needed = new Set(
    [...templates.keys()].filter((name) => {
      const own = packageOf(name);
      return own !== null && canFailLint({ repository: config.lint, template: own.manifest.lint });
    }),
  );
  const wanted = fingerprintsToRender(plan, (template) => needed.has(template));
  if (wanted.size === 0) return [];
  const { lintVideos } = await import('./lint-videos.ts');
  const from = { root, lint: config.lint, videos, packageOf, source };
  const { diagnostics } = await lintVideos(from, wanted, { budgetMs: Number.POSITIVE_INFINITY, cache }, io);
  return hasErrors(diagnostics) ? diagnostics : [];
}

function fingerprintsToRender(plan: Plan, isNeeded = (_template: string) => true): Map<VideoId, Fingerprint> {
  const pending = plan.changes.filter(rendersNew).flatMap(({ desired }) => desired ?? []);
  return new Map(pending.filter(({ template }) => isNeeded(template)).map(({ id, fingerprint }) => [id, fingerprint]));
}
