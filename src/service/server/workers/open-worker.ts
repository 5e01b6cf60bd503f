import type { DiskSpace } from '../data-folder.ts';
import type { Deliveries } from '../deliveries/deliveries.ts';
import type { SessionRenders } from '../distributed-render/session-renders.ts';
import type { JobQueue } from '../queue/job-queue.ts';
import type { ServiceContext } from '../service-context.ts';
import type { Settings } from '../settings/settings-table.ts';
import type { StyleVersions } from '../templates/style-versions.ts';
import type { OpenedWebhooks } from '../webhooks/webhooks.ts';
import { openRenderLanes, renderJobs } from './render-jobs.ts';
import { createWorkerRegistry, type WorkerRegistry } from './worker-registry.ts';

interface WorkerOptions extends ServiceContext {
  readonly settings: Settings;
  readonly queue: JobQueue;
  readonly room: DiskSpace;
  /** See `renderBuild`. */
  readonly build: string;
  readonly runner: SessionRenders;
  readonly styleVersions: StyleVersions;
  readonly deliveries: Pick<Deliveries, 'handler'>;
  readonly webhooks: Pick<OpenedWebhooks, 'handler'>;
}

/** The jobs that this process runs. */
export interface Worker {
  readonly registry: WorkerRegistry;
  /** False if the settings leave all jobs to other processes. */
  readonly runsJobs: boolean;
  /** Claims jobs from now on and registers this process, if it runs jobs. */
  start(): Promise<void>;
  /** Claims no further jobs and lets running jobs continue for `graceMs` or until `hurry`. Repeated calls have no effect. */
  stop(graceMs: number): Promise<void>;
  hurry(): void;
}

/** Opens the worker of this process for jobs of all queues. */
export function openWorker(options: WorkerOptions): Worker {
  const { settings, queue, deliveries, webhooks } = options;
  const { concurrency } = settings;
  const lanes = openRenderLanes(settings);
  const registry = createWorkerRegistry({ ...options, places: concurrency, busy: () => lanes.render.busySlots });
  const runsJobs = concurrency > 0;
  return {
    registry,
    runsJobs,
    async start() {
      if (!runsJobs) return;
      await queue.work({
        ...renderJobs({ ...options, lanes }),
        delivery: deliveries.handler,
        webhook: webhooks.handler,
      });
      await registry.join();
    },
    async stop(graceMs) {
      await registry.leave();
      await queue.stop({ graceMs });
    },
    hurry: () => queue.hurry(),
  };
}
