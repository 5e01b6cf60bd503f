import { serviceError } from '../../contract/service-error.ts';
import type { Repetition } from '../../kernel/repeat.ts';
import type { Foundation } from './foundation.ts';
import type { AppPorts } from './http/app-ports.ts';
import { checkReadiness } from './readiness.ts';
import type { StyleVersions } from './templates/style-versions.ts';
import type { FarmLoad } from './workers/farm-load.ts';
import type { Worker } from './workers/open-worker.ts';

interface LifecycleOptions {
  readonly foundation: Foundation;
  readonly farm: FarmLoad;
  readonly styleVersions: Pick<StyleVersions, 'resume'>;
  readonly worker: Worker;
  readonly sweeper: Repetition;
}

/** Starts and stops the components of a process, and reports whether it accepts requests. */
export interface ServiceLifecycle extends Pick<AppPorts, 'readiness' | 'requireWritable'> {
  /** Starts to process queued jobs, unless the settings leave rendering to workers. */
  work(): Promise<void>;
  /** Claims no further jobs and lets running ones continue for `graceMs` or until `hurry`. */
  drain(graceMs: number): Promise<void>;
  hurry(): void;
  close(): Promise<void>;
}

export function createLifecycle(options: LifecycleOptions): ServiceLifecycle {
  const { foundation, farm, styleVersions, worker, sweeper } = options;
  const { database, storage, room, renders } = foundation;
  let isWorking = false;
  let isDraining = false;
  const readiness = {
    database,
    storage,
    room,
    sandbox: renders.sandbox,
    isWorking: () => isWorking,
    ...(worker.runsJobs ? {} : { hasWorkers: async () => (await farm.figures()).workers > 0 }),
  };
  return {
    readiness: () => checkReadiness(readiness),
    async requireWritable() {
      if (isDraining) throw serviceError('unavailable', 'The service is stopping');
      await room.require();
    },
    async work() {
      await styleVersions.resume();
      await worker.start();
      isWorking = true;
    },
    async drain(graceMs) {
      isWorking = false;
      isDraining = true;
      await worker.stop(graceMs);
    },
    hurry: () => worker.hurry(),
    async close() {
      // Drains a service whose start failed. After a regular shutdown this call returns at once.
      await worker.stop(0);
      await sweeper.stop();
      await foundation.close();
    },
  };
}
