import type { RenderPool } from '../../service/sessions/processes/render-pool.ts';
import type { ProcessPurpose } from '../../service/sessions/processes/tasks.ts';
import type { Io } from '../io.ts';

/** The render processes of a command. The code that starts processes is loaded on first use. */
export class CommandPool {
  readonly #io: Io;
  #pool: Promise<RenderPool> | null = null;
  #closed: Promise<void> | null = null;

  constructor(io: Io) {
    this.#io = io;
  }

  /**
   * Returns the processes, with the software encoder unless a task names another.
   *
   * @throws ReelformError `engine_missing`, `settings_invalid`, `sandbox_missing`
   */
  open(): Promise<RenderPool> {
    this.#pool ??= import('./open-pool.ts').then(({ openCommandPool }) => openCommandPool(this.#io));
    return this.#pool;
  }

  /** Starts processes for tasks that will follow. Best effort: the first task reports why no process can be started. */
  async warm(tasks: number, purpose: ProcessPurpose): Promise<void> {
    if (this.#closed !== null) return;
    try {
      (await this.open()).warm(tasks, purpose);
    } catch {
      return;
    }
  }

  /** Ends the processes; may be called again. */
  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  async #end(): Promise<void> {
    await (await this.#pool?.catch(() => null))?.close();
  }
}

/** Calls a function with render processes, which end after it. */
export async function withProcesses<T>(io: Io, use: (processes: CommandPool) => Promise<T>): Promise<T> {
  const processes = new CommandPool(io);
  try {
    return await use(processes);
  } finally {
    await processes.close();
  }
}
