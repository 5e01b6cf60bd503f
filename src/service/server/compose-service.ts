import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { env } from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { isOutage, serviceError } from '../../contract/service-error.ts';
import { renderBuild } from '../../engine/codec/video-encoder.ts';
import { type Backoff, backoffMs } from '../../kernel/backoff.ts';
import { ReelformError } from '../../kernel/diagnostic.ts';
import type { TenantId } from '../sessions/ports.ts';
import { bindIn } from '../sessions/processes/bind-in.ts';
import { inspectIn } from '../sessions/processes/inspect-in.ts';
import type { createRenderPool, RenderPool } from '../sessions/processes/render-pool.ts';
import { RenderTimeEstimate } from '../sessions/render-time.ts';
import type { DistributionRules } from '../sessions/segments/distributed-renders.ts';
import { SegmentCache } from '../sessions/segments/segment-cache.ts';
import { createDestinations } from '../sessions/session-deliveries.ts';
import { Sessions } from '../sessions/sessions.ts';
import { type AllowList, parseAllowList } from '../sessions/sources/allow-list.ts';
import { createSources } from '../sessions/sources/sources.ts';
import { type DiskSpace, openDataFolder, watchDiskSpace } from './data-folder.ts';
import { openDeliveries } from './deliveries/deliveries.ts';
import { openSessionRenders } from './distributed-render/session-renders.ts';
import { countedSources, sessionReporter, tracedTasks } from './event-reporters.ts';
import type { AppPorts } from './http/app-ports.ts';
import { errorMessage, type Log } from './log.ts';
import { migrate } from './migrate.ts';
import type { ObjectStorage } from './ports.ts';
import { nextPriority } from './queue/fair-priority.ts';
import { JobQueue } from './queue/job-queue.ts';
import { sessionEnqueuer } from './queue/session-queue.ts';
import { checkReadiness } from './readiness.ts';
import { type OpenedRenderPool, openRenderPools } from './render-pools.ts';
import type { Settings } from './settings/settings-table.ts';
import { openStorage } from './storage/object-storage.ts';
import { createOutputFiles, createStoredOutputs, readSecret } from './storage/stored-outputs.ts';
import { createStoredSegments } from './storage/stored-segments.ts';
import type { Database } from './store/database.ts';
import { openDatabase } from './store/open-database.ts';
import { createSessionTable } from './store/session-table.ts';
import { createStyleVersionTable } from './store/style-version-table.ts';
import type { TokenStore } from './store/token-table.ts';
import { createTokenTable } from './store/token-table.ts';
import { createUsageTable } from './store/usage-table.ts';
import { createSweeper } from './sweeper.ts';
import { createMetrics } from './telemetry/metrics.ts';
import { createSourceUploads, createStoredSources, createUploadTable } from './templates/source-uploads.ts';
import { StyleVersions } from './templates/style-versions.ts';
import { openWebhooks } from './webhooks/webhooks.ts';
import { openRenderLanes, renderJobs } from './workers/render-jobs.ts';
import {
  createFarmFigures,
  createWorkerRegistry,
  joinInstallation,
  readPublicUrl,
  registerInstallation,
  type WorkerRegistry,
} from './workers/worker-registry.ts';

const OBJECTS = 'objects';
const SOURCES = 'sources';
const DAY_MS = 86_400_000;
const SWEEP_EVERY_MS = 600_000;
/** More frequent updates would write more rows than any client polls for. */
const PROGRESS_EVERY_MS = 500;
/** Enough for four sessions that read at once; a single tenant gets half. */
const READS_AT_ONCE = 32;

export interface ComposeOptions {
  readonly settings: Settings;
  /**
   * URL under which clients reach the service. Null for a worker, which reads it from the database or its settings.
   */
  readonly servedAt: string | null;
  readonly version: string;
  /** Overrides for tests and benchmarks, @see DistributionRules. */
  readonly distributionRules?: Partial<DistributionRules> | undefined;
  /** Replaces the render processes in benchmarks. */
  readonly pool?: RenderPool | undefined;
  /** Opens the render processes. Set by tests that keep processes between services. */
  readonly createRenderPool?: typeof createRenderPool | undefined;
  readonly logger: Logger;
  /** Milliseconds since the epoch. */
  now(): number;
}

/** All components of the service except its HTTP servers. */
export interface ServiceComponents {
  readonly app: AppPorts;
  readonly database: Database;
  readonly tokens: TokenStore;
  readonly styleVersions: StyleVersions;
  readonly registry: WorkerRegistry;
  readonly publicUrl: string;
  /** Starts to process queued jobs, unless the settings leave rendering to workers. */
  work(): Promise<void>;
  /** Claims no further jobs and lets running ones continue for `graceMs` or until `hurry`. */
  drain(graceMs: number): Promise<void>;
  hurry(): void;
  close(): Promise<void>;
}

/**
 * Opens the components in dependency order and connects them. Waits for a database or storage that does not respond
 * yet, as long as the settings allow.
 *
 * @throws ReelformError as `startServer`
 */
export function composeService(options: ComposeOptions): Promise<ServiceComponents> {
  const { settings, logger: log } = options;
  return waitForDependencies(() => openOnce(options), { patienceMs: settings.startSeconds * 1000, log });
}

async function openOnce(options: ComposeOptions): Promise<ServiceComponents> {
  const { settings, servedAt, logger } = options;
  const { databaseUrl: url, dataDirectory: directory } = settings;
  const renders = openRenderPools(settings, logger, options.createRenderPool);
  const pool = options.pool ?? renders.pool;
  const database = await openDatabase({ url, directory, log: logger });
  let queue: JobQueue | null = null;
  try {
    const room = watchDiskSpace(directory);
    const storage = await openStorage(settings, logger, room);
    // A worker that may not join must not change the database or create folders.
    const joined = servedAt === null ? await joinInstallation({ database, storage }, settings.publicUrl) : null;
    await openDataFolder(directory, [OBJECTS, SOURCES], logger);
    await migrate(database, logger);
    if (servedAt !== null) await registerInstallation({ database, storage }, servedAt);
    const publicUrl = joined?.publicUrl ?? servedAt!;
    queue = await JobQueue.open({ database, jobSeconds: settings.renderSeconds, log: logger });
    const key = Buffer.from(await readSecret(database, 'download'), 'base64url');
    return assemble(options, { database, storage, room, publicUrl, queue, pool, renders, key });
  } catch (error) {
    await queue?.stop({ graceMs: 0 });
    await renders.close();
    await database.close();
    throw error;
  }
}

interface Opened {
  readonly database: Database;
  readonly storage: ObjectStorage;
  readonly room: DiskSpace;
  readonly publicUrl: string;
  readonly queue: JobQueue;
  readonly pool: RenderPool;
  readonly renders: OpenedRenderPool;
  /** Key that signs download URLs. */
  readonly key: Uint8Array;
}

function assemble(
  { settings, distributionRules, version, logger, now }: ComposeOptions,
  opened: Opened,
): ServiceComponents {
  const { database, storage, room, publicUrl, queue, pool, renders, key } = opened;
  const build = renderBuild(version, renders.encoder);
  const { inspections, sandbox } = renders;
  const { dataDirectory, concurrency } = settings;
  const context = { database, queue, log: logger, now };
  const metrics = createMetrics({
    ofProcess: true,
    farm: () => farm.figures().catch(() => null),
    webhooksPending: () => webhooks.pending(),
  });
  const webhooks = openWebhooks({
    ...context,
    allow: allowList(settings.allowWebhooks),
    publicUrl: async () => settings.publicUrl ?? (await readPublicUrl(database)) ?? publicUrl,
    onTried: metrics.webhookTried,
  });
  const farm = createFarmFigures(database);
  const lanes = openRenderLanes(settings);
  const registry = createWorkerRegistry({
    ...context,
    build,
    places: concurrency,
    busy: () => lanes.render.busySlots,
  });
  const uploadTable = createUploadTable(database);
  const scopeOf = (tenant: TenantId): string => (settings.shareBetweenTenants ? '' : tenant);
  const sources = createSources({
    directory: join(dataDirectory, SOURCES),
    allow: allowList(settings.allowSources),
    isOneRun: false,
    now,
    scopeOf,
    readsAtOnce: READS_AT_ONCE,
    inspect: inspectIn(inspections),
    mayRead: (tenant, digest) => uploadTable.has(tenant, digest),
    ...(settings.storage === null ? {} : { uploads: createStoredSources(storage) }),
  });
  const styleVersions = new StyleVersions({
    table: createStyleVersionTable(database, webhooks.onStyleVersionStatus),
    storage,
    renderer: pool,
    inspections,
    enqueue: (id, owner) =>
      database.transaction(async (tx) =>
        queue.enqueue(tx, 'stillcuts', id, { priority: await nextPriority(tx, 'stillcuts', owner) }),
      ),
    publicUrl,
    now,
    scopeOf,
  });
  const outputs = createStoredOutputs(storage);
  const destinations = createDestinations({
    credentials: settings.credentials,
    defaults: settings.defaultUploads,
    isServer: true,
    env,
    directory: dataDirectory,
  });
  const deliveries = openDeliveries({
    ...context,
    files: outputs,
    destinations,
    metrics,
    places: settings.deliveryConcurrency,
    onUpload: webhooks.onUpload,
  });
  const usage = createUsageTable({ ...context, limits: settings });
  const enqueueSession = sessionEnqueuer(queue, settings, usage);
  const store = createSessionTable({
    ...context,
    async onStatus(tx, stored) {
      const { session } = stored;
      await deliveries.onStatus(tx, stored);
      await webhooks.onSessionStatus(tx, stored);
      if (session.status === 'preview_rendering') await enqueueSession(tx, stored);
      if (session.status === 'preview_rendered') await usage.add(tx, stored);
    },
    onUploads: deliveries.onUploads,
  });
  const shared = {
    templates: styleVersions,
    store,
    environment: { now, monotonicNow: () => performance.now(), randomId: () => randomBytes(18).toString('base64url') },
    pace: new RenderTimeEstimate(),
    retentionMs: settings.retentionDays === null ? null : settings.retentionDays * DAY_MS,
    destinations,
  };
  const tasks = tracedTasks(pool, room);
  const segments = new SegmentCache({
    store: createStoredSegments({ ...context, storage }),
    build,
    scopeOf,
    // Animations are read in sandboxed processes only.
    keysOf: (question, owner) => tasks.run('keys', question, { owner }),
    onFailure: (error) => logger.warn({ error: errorMessage(error) }, 'segments are no longer kept'),
    onSegment: metrics.segmentFinished,
  });
  const runner = openSessionRenders({
    ...shared,
    database,
    storage,
    queue,
    load: farm,
    build,
    settings,
    distributionRules,
    sources: countedSources(sources.reader, metrics, room),
    bindTemplate: bindIn(inspections),
    tasks,
    segments: settings.segmentDays === 0 ? null : segments,
    outputs,
    scopeOf,
    progressIntervalMs: PROGRESS_EVERY_MS,
    onEvent: sessionReporter(logger, metrics),
  });
  const tokens = createTokenTable(context);
  const drafts = { store, afterMs: settings.draftDays * DAY_MS, retentionMs: shared.retentionMs };
  const kept = { afterMs: segmentDays(settings) * DAY_MS, maxBytes: settings.segmentGb * 1e9 };
  const sweeping = { storage, sources, drafts, segments: kept };
  const sweeper = createSweeper({ ...context, ...sweeping, everyMs: SWEEP_EVERY_MS });
  const answersOnly = concurrency === 0;
  let isWorking = false;
  let isDraining = false;
  const requireWritable = async (): Promise<void> => {
    if (isDraining) throw serviceError('unavailable', 'The service is stopping');
    await room.require();
  };
  const readiness = {
    database,
    storage,
    room,
    sandbox,
    isWorking: () => isWorking,
    ...(answersOnly ? { hasWorkers: async () => (await farm.figures()).workers > 0 } : {}),
  };
  return {
    app: {
      sessions: new Sessions({
        ...shared,
        stop(id) {
          runner.stop(id);
          deliveries.stop(id);
        },
      }),
      styleVersions,
      uploads: createSourceUploads({
        store: sources.uploads,
        table: uploadTable,
        inspect: inspectIn(inspections),
      }),
      outputs: createOutputFiles({ index: store, storage, key }),
      webhooks: webhooks.api,
      tokens,
      usage,
      requireWritable,
      readiness: () => checkReadiness(readiness),
      settings: { ...settings, publicUrl },
      logger,
      now,
      metrics,
    },
    database,
    tokens,
    styleVersions,
    registry,
    publicUrl,
    async work() {
      await styleVersions.resume();
      if (!answersOnly) {
        await queue.work({
          ...renderJobs({ ...context, runner, styleVersions, settings, lanes, room }),
          delivery: deliveries.handler,
          webhook: webhooks.handler,
        });
        await registry.join();
      }
      isWorking = true;
    },
    async drain(graceMs) {
      isWorking = false;
      isDraining = true;
      await registry.leave();
      await queue.stop({ graceMs });
    },
    hurry: () => queue.hurry(),
    async close() {
      // Drains a service whose start failed. After a regular shutdown these calls return at once.
      await registry.leave();
      await queue.stop({ graceMs: 0 });
      await sweeper.stop();
      await renders.close();
      await database.close();
    },
  };
}

/** Segments show the content of sessions, so they are not kept for longer. */
function segmentDays({ segmentDays: days, retentionDays }: Settings): number {
  return Math.min(days, retentionDays ?? days);
}

/** The settings reader has already validated the entries. */
function allowList(entries: readonly string[]): AllowList {
  const parsed = parseAllowList(entries);
  if (!parsed.ok) throw new Error(`Internal error: ${parsed.diagnostics.map(({ message }) => message).join('; ')}`);
  return parsed.value;
}

/** Pause between two attempts. The first pauses are short because a starting database responds soon. */
const BACKOFF: Backoff = { firstMs: 250, maxMs: 5000 };

interface WaitOptions {
  readonly patienceMs: number;
  readonly log: Log;
}

/**
 * Retries `open` until the remote dependencies respond. Logs each failed attempt.
 *
 * @throws the last error once the time is over, and any error that waiting cannot fix immediately
 */
export async function waitForDependencies<T>(open: () => Promise<T>, { patienceMs, log }: WaitOptions): Promise<T> {
  const begunAt = performance.now();
  for (let attempt = 0; ; attempt++) {
    try {
      return await open();
    } catch (error) {
      const pause = backoffMs(attempt, BACKOFF);
      if (!mayPass(error) || performance.now() - begunAt + pause > patienceMs) throw error;
      log.warn({ error: errorMessage(error) }, 'waiting for dependencies');
      await sleep(pause);
    }
  }
}

function mayPass(error: unknown): boolean {
  if (isOutage(error)) return true;
  return error instanceof ReelformError && /^(?:database|storage)_unavailable$/.test(error.code);
}
