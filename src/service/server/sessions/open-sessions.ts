import { randomBytes } from 'node:crypto';
import type { SessionStore, SourceReader, TemplateRegistry, TenantId } from '../../sessions/ports.ts';
import { bindIn } from '../../sessions/processes/bind-in.ts';
import type { RenderPool } from '../../sessions/processes/render-pool.ts';
import type { RenderTaskKind, TaskRunner } from '../../sessions/processes/tasks.ts';
import { RenderTimeEstimate } from '../../sessions/render-time.ts';
import type { DistributionRules, RenderLoad } from '../../sessions/segments/distributed-renders.ts';
import { SegmentCache } from '../../sessions/segments/segment-cache.ts';
import type { Destinations } from '../../sessions/session-deliveries.ts';
import type { SessionRunnerPorts } from '../../sessions/session-runner.ts';
import { Sessions } from '../../sessions/sessions.ts';
import type { DiskSpace } from '../data-folder.ts';
import type { Deliveries } from '../deliveries/deliveries.ts';
import { openSessionRenders, type SessionRenders } from '../distributed-render/session-renders.ts';
import { sessionReporter, tracedTasks } from '../event-reporters.ts';
import { errorMessage } from '../log.ts';
import type { ObjectStorage } from '../ports.ts';
import type { ServiceContext } from '../service-context.ts';
import { retentionOf } from '../settings/retention.ts';
import type { Settings } from '../settings/settings-table.ts';
import { createStoredSegments } from '../storage/stored-segments.ts';
import type { ServiceMetrics } from '../telemetry/metrics.ts';

/** More frequent updates would write more rows than any client polls for. */
const PROGRESS_EVERY_MS = 500;

interface SessionsOptions extends ServiceContext, Pick<SessionRunnerPorts, 'outputs'> {
  readonly settings: Settings;
  /** Overrides for tests and benchmarks, @see DistributionRules. */
  readonly distributionRules?: Partial<DistributionRules> | undefined;
  /** See `renderBuild`. */
  readonly build: string;
  readonly storage: ObjectStorage;
  readonly store: SessionStore;
  readonly templates: TemplateRegistry;
  readonly sources: SourceReader;
  readonly destinations: Destinations;
  readonly deliveries: Pick<Deliveries, 'stop'>;
  readonly pool: RenderPool;
  readonly inspections: RenderPool;
  readonly room: DiskSpace;
  readonly load: RenderLoad;
  readonly metrics: ServiceMetrics;
  /** Tenants with the same scope share renderings and segments. */
  scopeOf(tenant: TenantId): string;
}

/** The render sessions of a service process. */
export interface OpenedSessions {
  /** The operations that clients can call. */
  readonly api: Sessions;
  /** Renders queued sessions. */
  readonly runner: SessionRenders;
}

/** Opens the operations on sessions and the runner that renders them. Both share the store and the estimates. */
export function openSessions(options: SessionsOptions): OpenedSessions {
  const { settings, templates, store, destinations, deliveries, pool, room, metrics, log, now } = options;
  const shared = {
    templates,
    store,
    environment: {
      now,
      monotonicNow: () => performance.now(),
      randomId: () => randomBytes(18).toString('base64url'),
    },
    pace: new RenderTimeEstimate(),
    retentionMs: retentionOf(settings).sessionMs,
  };
  const tasks = tracedTasks(pool, room);
  const runner = openSessionRenders({
    ...options,
    ...shared,
    bindTemplate: bindIn(options.inspections),
    tasks,
    segments: settings.segmentDays === 0 ? null : openSegmentCache(options, tasks),
    progressIntervalMs: PROGRESS_EVERY_MS,
    onEvent: sessionReporter(log, metrics),
  });
  const api = new Sessions({
    ...shared,
    destinations,
    stop(id) {
      runner.stop(id);
      deliveries.stop(id);
    },
  });
  return { api, runner };
}

function openSegmentCache(options: SessionsOptions, tasks: TaskRunner<RenderTaskKind>): SegmentCache {
  const { database, storage, log, now, build, scopeOf, metrics } = options;
  return new SegmentCache({
    store: createStoredSegments({ database, storage, log, now }),
    build,
    scopeOf: (owner) => scopeOf(owner as TenantId),
    // Animations are read in sandboxed processes only.
    keysOf: (question, owner) => tasks.run('keys', question, { owner }),
    onFailure: (error) => log.warn({ error: errorMessage(error) }, 'segments are no longer kept'),
    onSegment: metrics.segmentFinished,
  });
}
