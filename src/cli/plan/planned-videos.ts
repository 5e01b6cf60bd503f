import { isDeepStrictEqual } from 'node:util';
import { type Plan, renders } from '../../reconciler/plan/plan.ts';
import type { Project } from '../../reconciler/project/load-project.ts';
import type { RenderPool } from '../../service/sessions/processes/render-pool.ts';
import type { ProcessPurpose } from '../../service/sessions/processes/tasks.ts';
import type { Io } from '../io.ts';
import { CommandPool } from '../render/command-pool.ts';
import type { OpenInputs } from '../render/open-inputs.ts';
import type { DesiredState, VideoSource } from '../state/load-desired-state.ts';

/**
 * The videos that a plan renders, for lint, the count of segments, the preview and the run. Their definitions are read
 * on first use, their sources are fetched once, and their render processes are shared.
 */
export class PlannedVideos {
  /** Absolute. */
  readonly root: string;
  readonly config: Project['config'];
  /** Of their definitions, sorted; all of the repository when absent. */
  readonly paths: readonly string[] | undefined;
  readonly #read: () => Promise<VideoSource>;
  readonly #open: () => Promise<OpenInputs>;
  readonly #processes: CommandPool;
  #source: Promise<VideoSource> | null = null;
  #inputs: Promise<OpenInputs> | null = null;

  /**
   * @param folder name of the folder below `.reelform/` for fetched sources
   * @param processes closed with the videos
   * @param paths of their definitions
   */
  constructor(
    { root, config }: Pick<Project, 'root' | 'config'>,
    read: () => Promise<VideoSource>,
    folder: string,
    io: Io,
    processes = new CommandPool(io),
    paths?: readonly string[],
  ) {
    this.root = root;
    this.config = config;
    this.paths = paths;
    this.#read = read;
    // Loads the engine.
    this.#open = async () => (await import('../render/open-inputs.ts')).openInputs(root, io, folder);
    this.#processes = processes;
  }

  source(): Promise<VideoSource> {
    this.#source ??= this.#read();
    return this.#source;
  }

  inputs(): Promise<OpenInputs> {
    this.#inputs ??= this.#open();
    return this.#inputs;
  }

  /** Returns the render processes. @see CommandPool.open */
  pool(): Promise<RenderPool> {
    return this.#processes.open();
  }

  /** @see CommandPool.warm */
  warm(tasks: number, purpose: ProcessPurpose): Promise<void> {
    return this.#processes.warm(tasks, purpose);
  }

  /** Ends the processes and removes fetched sources. */
  async close(): Promise<void> {
    await this.#processes.close();
    await (await this.#inputs)?.close();
  }
}

/** Returns the videos of a repository that was read. */
export function projectVideos(project: Project, folder: string, io: Io, processes?: CommandPool): PlannedVideos {
  const { templates } = project;
  return new PlannedVideos(
    project,
    async () => ({ ...project, templateOf: (name) => templates.get(name) ?? null }),
    folder,
    io,
    processes,
  );
}

/**
 * Returns the videos that a plan renders; other videos of the same definitions may be among them.
 *
 * @param early of the plan before it was complete: taken if they are of the same definitions, with what is prepared of them
 */
export function changedVideos(
  plan: Pick<Plan, 'changes'>,
  repository: Pick<DesiredState, 'root' | 'config' | 'definitionsAt'>,
  io: Io,
  processes: CommandPool,
  early: PlannedVideos | null = null,
): PlannedVideos {
  const paths = [...new Set(plan.changes.filter(renders).flatMap(({ desired }) => desired?.path ?? []))].sort();
  if (early !== null && isDeepStrictEqual(early.paths, paths)) return early;
  return new PlannedVideos(repository, () => repository.definitionsAt(paths), 'plan', io, processes, paths);
}
