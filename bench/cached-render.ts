import { availableParallelism } from 'node:os';
import { SOFTWARE } from '../src/engine/codec/video-encoder.ts';
import { createRenderPool } from '../src/service/sessions/processes/render-pool.ts';
import type { TaskRunner } from '../src/service/sessions/processes/tasks.ts';
import type { FolderSegmentStore } from '../src/service/sessions/segments/folder-segment-store.ts';
import { SegmentCache } from '../src/service/sessions/segments/segment-cache.ts';
import { createSegmentRenderer } from '../src/service/sessions/segments/segment-renderer.ts';
import type { VideoInput } from '../src/template/render-input.ts';
import { processorMs } from './render-stages.ts';

/** Processor time of renders, processes and their start included. */
export interface Measured {
  readonly cpuMs: number;
  readonly reused: number;
  readonly rendered: number;
  /** Number of tasks by kind. */
  readonly tasks: Readonly<Record<string, number>>;
}

/** Renders inputs one after the other, as one run of `reelform apply` does. */
export async function renderCached(inputs: readonly VideoInput[], store: FolderSegmentStore): Promise<Measured> {
  const before = processorMs();
  const parallel = availableParallelism();
  const pool = createRenderPool({ size: parallel, encoder: SOFTWARE });
  const tasks: Record<string, number> = {};
  const runner: TaskRunner = {
    run(kind, input, options) {
      tasks[kind] = (tasks[kind] ?? 0) + 1;
      return pool.run(kind, input, options);
    },
  };
  const cache = new SegmentCache({
    store,
    build: 'bench',
    onFailure(error) {
      throw error;
    },
  });
  const renderer = createSegmentRenderer({ runner, parallel, cache });
  for (const renderInput of inputs) await renderer.render(renderInput);
  await pool.close();
  return { cpuMs: processorMs() - before, ...cache.figures, tasks };
}
