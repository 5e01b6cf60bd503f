import { join } from 'node:path';
import { hideOwnProcess, openSandbox, type Sandbox } from '../sandbox/sandbox.ts';
import { FairQueue } from '../sessions/fair-queue.ts';
import { createRenderPool, type RenderPool } from '../sessions/processes/render-pool.ts';
import type { Log } from './log.ts';
import type { Settings } from './settings/settings-table.ts';

/** Below the data folder, on the disk of the sources. */
const LINKED_SOURCES = join('sources', 'linked');
/** Stills and still cuts do not wait behind videos. */
const FURTHER_PROCESSES = 2;
/** Concurrent inspections. One tenant gets at most half of them, so that other tenants do not wait for it. */
const INSPECTIONS = 4;
/** Inspections load hardly any native code, so their processes are replaced less often than those of renders. */
const INSPECTIONS_PER_PROCESS = 1_000;
/** Reading structure is fast: an hour of MP3 takes a second, a package of 50 MB some seconds. */
const INSPECTION_MS = 30_000;
/** Larger than the maximum file of 200 MB plus its parsed structure. */
const INSPECTION_BYTES = 2 ** 30;

export type OpenedRenderPool = ReturnType<typeof openRenderPools>;

/**
 * Opens the pools of sandboxed processes; the settings limit those for renders.
 *
 * @param open opens each pool; given by tests that keep processes between services
 * @throws ReelformError `sandbox_missing`
 */
export function openRenderPools(settings: Settings, log: Log, open = createRenderPool) {
  // Must run before any untrusted code, because a process without a sandbox could read the memory of this process.
  hideOwnProcess();
  const sandbox = openSandbox(settings.sandbox);
  const { description, gap } = sandbox;
  if (gap === null) log.info({ sandbox: description }, 'renders run in a sandbox');
  else log.warn({ sandbox: description, gap }, 'the sandbox for renders is missing or incomplete');
  const encoder = { h264: settings.encoder };
  const sourcesIn = join(settings.dataDirectory, LINKED_SOURCES);
  const pool = open({
    size: settings.concurrency + FURTHER_PROCESSES,
    encoder,
    sandbox,
    sourcesIn,
    stallMs: settings.renderStallSeconds * 1000,
    totalMs: settings.renderSeconds * 1000,
    cpuMs: settings.renderCpuSeconds * 1000,
    memoryBytes: settings.renderMemoryMb * 2 ** 20,
  });
  const inspections = openInspections({ sandbox, sourcesIn }, open);
  return {
    pool,
    /** Reads untrusted files: uploads, sources and packages. Fair among tenants. */
    inspections,
    encoder,
    sandbox,
    async close(): Promise<void> {
      await pool.close();
      await inspections.close();
    },
  };
}

function openInspections(
  options: { readonly sandbox: Sandbox; readonly sourcesIn: string },
  open: typeof createRenderPool,
): RenderPool {
  const queue = new FairQueue({ places: INSPECTIONS });
  const pool = open({
    ...options,
    size: INSPECTIONS,
    tasksPerProcess: INSPECTIONS_PER_PROCESS,
    stallMs: INSPECTION_MS,
    totalMs: INSPECTION_MS,
    cpuMs: INSPECTION_MS,
    memoryBytes: INSPECTION_BYTES,
  });
  return {
    ...pool,
    run: (kind, input, options = {}) =>
      queue.run(options.owner ?? '', () => pool.run(kind, input, options), options.signal),
  };
}
