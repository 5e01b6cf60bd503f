import { type Plan, renders } from '../../reconciler/plan/plan.ts';
import type { Project } from '../../reconciler/project/load-project.ts';
import type { ProjectTemplate } from '../../reconciler/project/load-templates.ts';
import { RepositoryFiles } from '../../reconciler/project/repository-files.ts';
import type { RenderPool } from '../../service/sessions/processes/render-pool.ts';
import type { Io } from '../io.ts';
import type { OpenInputs } from '../render/open-inputs.ts';
import type { DesiredState } from '../state/load-desired-state.ts';

/** Definitions and templates of videos. */
export interface VideoSource extends Pick<Project, 'videos' | 'assets' | 'cells' | 'source'> {
  /** Null for an unusable template. */
  templateOf(name: string): ProjectTemplate | null;
}

/**
 * The videos that a plan renders, for lint, the count of segments, the preview and the run. Their definitions are read
 * on first use, their sources are fetched once, and their render processes are shared.
 */
export class PlannedVideos {
  /** Absolute. */
  readonly root: string;
  readonly config: Project['config'];
  readonly #read: () => Promise<VideoSource>;
  readonly #open: () => Promise<OpenInputs>;
  readonly #openPool: () => Promise<RenderPool>;
  #source: Promise<VideoSource> | null = null;
  #inputs: Promise<OpenInputs> | null = null;
  #pool: Promise<RenderPool> | null = null;

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
    this.#open = async () => (await import('../render/open-inputs.ts')).openInputs(root, io, folder);
    this.#openPool = async () => (await import('../render/open-inputs.ts')).openCommandPool(io);
  }

  source(): Promise<VideoSource> {
    this.#source ??= this.#read();
    return this.#source;
  }

  inputs(): Promise<OpenInputs> {
    this.#inputs ??= this.#open();
    return this.#inputs;
  }

  /**
   * The render processes, with the software encoder unless a task names another.
   *
   * @throws ReelformError `engine_missing`, `settings_invalid`, `sandbox_missing`
   */
  pool(): Promise<RenderPool> {
    this.#pool ??= this.#openPool();
    return this.#pool;
  }

  /**
   * Starts processes for tasks that will follow. Best effort: the first task reports why no process can be started.
   */
  async warm(tasks: number): Promise<void> {
    try {
      (await this.pool()).warm(tasks);
    } catch {
      return;
    }
  }

  /** Ends the processes and removes fetched sources. */
  async close(): Promise<void> {
    await (await this.#pool?.catch(() => null))?.close();
    await (await this.#inputs)?.close();
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

/** Returns the videos that a plan renders; other videos of the same definitions may be among them. */
export function changedVideos(plan: Plan, repository: Pick<DesiredState, 'root' | 'config'>, io: Io): PlannedVideos {
  const { root, config } = repository;
  const read = async (): Promise<VideoSource> => {
    const { LazyTemplates, reloadDefinitions } = await import('../../reconciler/project/load-definitions.ts');
    const files = new RepositoryFiles(root);
    const lazy = new LazyTemplates(config, files);
    const paths = new Set(plan.changes.filter(renders).flatMap(({ desired }) => desired?.path ?? []));
    const { videos, assets, cells } = reloadDefinitions([...paths].sort(), config, lazy, files);
    return { videos, assets, cells, templateOf: (name) => lazy.load(name).template, source: files.source };
  };
  return new PlannedVideos(repository, read, 'plan', io);
}
