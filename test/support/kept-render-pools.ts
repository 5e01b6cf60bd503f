import { RenderError } from '../../src/engine/render-error.ts';
import { openSandbox } from '../../src/service/sandbox/sandbox.ts';
import {
  createRenderPool,
  type RenderPool,
  type RenderPoolOptions,
} from '../../src/service/sessions/processes/render-pool.ts';

/** Closed pools with idle processes, by their options. */
const kept = new Map<string, RenderPool[]>();

/**
 * Opens a pool like `createRenderPool`, but keeps its processes on close for the next pool with the same options:
 * starting a render process takes ten times as long as rendering a small input. They end with the test process. All
 * owners share them, too; render-pool.test.ts proves that each process serves one owner. They outlive the folders of services.
 */
export function keptRenderPool({ sourcesIn: _, ...options }: RenderPoolOptions): RenderPool {
  const sandbox = options.sandbox ?? openSandbox('auto');
  const key = JSON.stringify([{ ...options, sandbox: sandbox.kind }, process.env.TMPDIR]);
  const idle = kept.get(key) ?? [];
  kept.set(key, idle);
  const pool = idle.pop() ?? createRenderPool({ ...options, sandbox });
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();
  return {
    run(kind, input, { signal, owner: _, ...rest } = {}) {
      const signals = signal === undefined ? [closing.signal] : [closing.signal, signal];
      const task = pool.run(kind, input, { ...rest, signal: AbortSignal.any(signals) });
      running.add(task);
      void task.catch(() => undefined).finally(() => running.delete(task));
      return task;
    },
    warm: (tasks, purpose) => pool.warm(tasks, purpose),
    async close() {
      if (closing.signal.aborted) return;
      closing.abort(new RenderError('render_crashed', 'The render pool was closed'));
      await Promise.allSettled(running);
      idle.push(pool);
    },
  };
}
