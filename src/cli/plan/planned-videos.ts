import type { VideoId } from '../../definition/video.ts';
import { type Diagnostic, hasErrors } from '../../diagnostic.ts';
import type { Fingerprint } from '../../lock/lock.ts';
import { type Plan, rendersNew } from '../../plan/plan.ts';
import type { SegmentCount } from '../../plan/plan-document.ts';
import type { Project } from '../../project/load-project.ts';
import type { ProjectTemplate } from '../../project/load-templates.ts';
import { RepositoryFiles } from '../../project/repository-files.ts';
import { canFailLint, LINT_CODES } from '../../template/lint-severities.ts';
import type { Linted } from '../check/lint-videos.ts';
import type { Io } from '../io.ts';
import type { OpenScenes } from '../render/open-scenes.ts';
import type { DesiredState } from './load-desired-state.ts';

/** Limits how long a user waits for a plan. The plan's document lists the videos that were not checked. */
const BUDGET_MS = 5_000;

/** Definitions and templates of videos. */
export interface VideoSource extends Pick<Project, 'videos' | 'assets' | 'source'> {
  /** Null for an unusable template. */
  templateOf(name: string): ProjectTemplate | null;
}

/**
 * The videos that a plan renders, for lint, the count of segments and the preview. Their definitions are read when one of them
 * needs them, and their sources are fetched once for all.
 */
export class PlannedVideos {
  /** Absolute. */
  readonly root: string;
  readonly config: Project['config'];
  readonly #read: () => Promise<VideoSource>;
  readonly #open: () => Promise<OpenScenes>;
  #source: Promise<VideoSource> | null = null;
  #scenes: Promise<OpenScenes> | null = null;

  /** @param folder name of the folder below `.reelform/` for fetched sources */
  constructor(
    { root, config }: Pick<Project, 'root' | 'config'>,
    read: () => Promise<VideoSource>,
    folder: string,
    io: Io,
  ) {
    this.root = root;
    this.config = config;
    this.#read = read;
    // Loads the engine.
    this.#open = async () => (await import('../render/open-scenes.ts')).openScenes(root, io, folder);
  }

  source(): Promise<VideoSource> {
    this.#source ??= this.#read();
    return this.#source;
  }

  scenes(): Promise<OpenScenes> {
    this.#scenes ??= this.#open();
    return this.#scenes;
  }

  /** Removes fetched sources. */
  async close(): Promise<void> {
    await (await this.#scenes)?.close();
  }
}

/** Returns the videos of a repository that was read. */
export function projectVideos(project: Project, folder: string, io: Io): PlannedVideos {
  const { templates } = project;
  return new PlannedVideos(
    project,
    async () => ({ ...project, templateOf: (name) => templates.get(name) ?? null }),
    folder,
    io,
  );
}

/** Returns the videos that a plan creates or updates; other videos of the same definitions may be among them. */
export function changedVideos(plan: Plan, repository: Pick<DesiredState, 'root' | 'config'>, io: Io): PlannedVideos {
  const { root, config } = repository;
  const read = async (): Promise<VideoSource> => {
    const { LazyTemplates, reloadDefinitions } = await import('../../project/load-definitions.ts');
    const files = new RepositoryFiles(root);
    const lazy = new LazyTemplates(config, files);
    const paths = new Set(plan.changes.filter(rendersNew).flatMap(({ desired }) => desired?.path ?? []));
    const { videos, assets } = reloadDefinitions([...paths].sort(), config, lazy, files);
    return { videos, assets, templateOf: (name) => lazy.load(name).template, source: files.source };
  };
  return new PlannedVideos(repository, read, 'plan', io);
}

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
  const { lintVideos } = await import('../check/lint-videos.ts');
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
  const { lintVideos } = await import('../check/lint-videos.ts');
  const { diagnostics } = await lintVideos(planned, wanted, { budgetMs: Number.POSITIVE_INFINITY, cache }, io);
  return hasErrors(diagnostics) ? diagnostics : [];
}

function fingerprintsToRender(plan: Plan, isNeeded = (_template: string) => true): Map<VideoId, Fingerprint> {
  const pending = plan.changes.filter(rendersNew).flatMap(({ desired }) => desired ?? []);
  return new Map(pending.filter(({ template }) => isNeeded(template)).map(({ id, fingerprint }) => [id, fingerprint]));
}

/** Counts the segments of a plan. The engine is loaded only if there are some to count. @param warns see `openSegmentCache` */
export async function segmentsToRender(
  plan: Plan,
  planned: PlannedVideos,
  io: Io,
  warns: boolean,
): Promise<ReadonlyMap<string, SegmentCount>> {
  if (planned.config.service !== 'embedded' || !plan.changes.some(rendersNew)) return new Map();
  const { countSegments } = await import('./count-segments.ts');
  return countSegments(plan, planned, io, warns);
}
