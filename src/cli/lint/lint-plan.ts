import { type Plan, renders } from '../../plan/plan.ts';
import { RepositoryFiles } from '../../project/repository-files.ts';
import { LINT_CODES } from '../../template/lint-severities.ts';
import type { Io } from '../io.ts';
import type { OpenDesired } from '../plan/open-desired.ts';
import type { Linted } from './lint-videos.ts';

/** A plan is read while somebody waits; what is left out is told. */
const BUDGET_MS = 5_000;

/** What a viewer would notice of the videos that a plan renders, and the texts that it was found in. */
export interface LintedPlan extends Linted {
  source(file: string): string | undefined;
}

/**
 * Looks at the videos that a plan renders, as far as their templates are here and as many as a few seconds allow.
 *
 * @returns null when there is nothing to look at
 */
export async function lintPlan(
  plan: Plan,
  repository: OpenDesired,
  { cache }: { readonly cache: boolean },
  io: Io,
): Promise<LintedPlan | null> {
  const { templates, lint } = repository.config;
  const isWanted = LINT_CODES.some((code) => lint[code] !== 'off');
  const canBe = [...templates.values()].some(({ kind }) => kind === 'package');
  const pending = isWanted && canBe ? plan.changes.filter(renders) : [];
  if (pending.length === 0) return null;
  // It brings the engine along, which most plans do without.
  const { lintVideos } = await import('./lint-videos.ts');
  const { LazyTemplates, reloadDefinitions } = await import('../../project/reload-definitions.ts');
  const files = new RepositoryFiles(repository.root);
  const lazy = new LazyTemplates(repository.config, files);
  const paths = new Set(pending.flatMap(({ desired }) => (desired === null ? [] : [desired.path])));
  const { videos } = reloadDefinitions([...paths].sort(), repository.config, lazy, files);
  const wanted = new Map(
    pending.flatMap(({ desired }) => (desired === null ? [] : [[desired.id, desired.fingerprint]])),
  );
  const packageOf = (name: string) => lazy.load(name).template?.package ?? null;
  const from = { root: repository.root, lint, videos, packageOf, source: files.source };
  return { ...(await lintVideos(from, wanted, { budgetMs: BUDGET_MS, cache }, io)), source: files.source };
}
