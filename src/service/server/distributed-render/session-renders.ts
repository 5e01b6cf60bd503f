import { ChunkRunner } from '../../sessions/chunk-runner.ts';
import type { SessionProblem } from '../../sessions/ports.ts';
import type { RenderTaskKind, TaskRunner } from '../../sessions/processes/tasks.ts';
import {
  type ChunkEvent,
  createDistributedRenders,
  DISTRIBUTION_RULES,
  type DistributionRules,
  parseChunkJob,
  type RenderLoad,
} from '../../sessions/segments/distributed-renders.ts';
import type { SegmentCache } from '../../sessions/segments/segment-cache.ts';
import { createSegmentRenderer } from '../../sessions/segments/segment-renderer.ts';
import {
  type RenderJob,
  type RunnerEvent,
  SessionRunner,
  type SessionRunnerPorts,
} from '../../sessions/session-runner.ts';
import type { ObjectStorage } from '../ports.ts';
import type { JobQueue } from '../queue/job-queue.ts';
import type { Settings } from '../settings/settings-table.ts';
import type { Database } from '../store/database.ts';
import { createChunkFiles, createDistributedRenderTable } from './distributed-render-table.ts';

/** Higher than the priority of every session: sessions that have started finish first. */
const PART_PRIORITY = 1_000_000_000;
const WATCH_MS = 1_000;
const WAIT_MS = 2_000;

interface SessionRendersOptions extends Omit<SessionRunnerPorts, 'renders' | 'renderer'> {
  readonly database: Database;
  readonly storage: ObjectStorage;
  readonly queue: Pick<JobQueue, 'enqueue'>;
  readonly tasks: TaskRunner<RenderTaskKind>;
  readonly load: RenderLoad;
  /** See `renderBuild`. */
  readonly build: string;
  /** Cache of finished segments; null to render all of them. */
  readonly segments: SegmentCache | null;
  readonly settings: Pick<Settings, 'tenantConcurrency' | 'tenantConcurrencies' | 'renderSeconds'>;
  /** Overrides for tests and benchmarks; by default videos are distributed when it saves time. */
  readonly distributionRules?: Partial<DistributionRules> | undefined;
  onEvent(event: RunnerEvent | ChunkEvent): void;
}

/** Renders sessions, whole or distributed over several workers. Job ids select the session or chunk. */
export type SessionRenders = ReturnType<typeof openSessionRenders>;

/** Connects the runners of sessions and of their chunks. */
export function openSessionRenders(options: SessionRendersOptions) {
  const { database, storage, queue, store, load, pace, settings, distributionRules, onEvent } = options;
  const slotsOf = (tenant: string): number =>
    settings.tenantConcurrencies.get(tenant) ?? settings.tenantConcurrency ?? Number.POSITIVE_INFINITY;
  const renders = createDistributedRenderTable({
    database,
    store,
    watchMs: WATCH_MS,
    waitMs: WAIT_MS,
    enqueue: (tx, id, tenant, delayMs) =>
      queue.enqueue(tx, 'render', id, { priority: PART_PRIORITY, group: tenant, delayMs }),
  });
  const files = createChunkFiles(storage);
  const rules = { ...DISTRIBUTION_RULES, ...distributionRules };
  // Each render uses one process; idle slots of other workers take chunks of long videos.
  const limits = { parallel: 1, totalMs: settings.renderSeconds * 1000 };
  const renderer = createSegmentRenderer({ runner: options.tasks, cache: options.segments, ...limits });
  const whole = new SessionRunner({
    ...options,
    renderer,
    distributed: createDistributedRenders({ renders, files, load, pace, rules, slotsOf, onEvent }),
  });
  const chunks = new ChunkRunner({ ...options, renderer, renders, files, whole });
  return {
    run(id: string, signal: AbortSignal, running: RenderJob): Promise<void> {
      const job = parseChunkJob(id);
      return job === null ? whole.run(id, signal, running) : chunks.run(job, signal, running);
    },
    /** Ends a session whose job failed for good. */
    fail(id: string, problem: SessionProblem): Promise<void> {
      const job = parseChunkJob(id);
      return job === null ? whole.fail(id, problem) : chunks.fail(job, problem);
    },
    stop(session: string): void {
      whole.stop(session);
      chunks.stop(session);
    },
  };
}
