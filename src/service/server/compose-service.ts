import { env } from 'node:process';
import { renderBuild } from '../../engine/codec/video-encoder.ts';
import type { TenantId } from '../sessions/ports.ts';
import type { DistributionRules } from '../sessions/segments/distributed-renders.ts';
import { createDestinations } from '../sessions/session-deliveries.ts';
import { validAllowList } from '../sessions/sources/allow-list.ts';
import { openDeliveries } from './deliveries/deliveries.ts';
import { type Foundation, type FoundationOptions, openFoundation } from './foundation.ts';
import type { AppPorts } from './http/app-ports.ts';
import { createLifecycle, type ServiceLifecycle } from './service-lifecycle.ts';
import { openSessionStore } from './sessions/open-session-store.ts';
import { openSessions } from './sessions/open-sessions.ts';
import { createOutputFiles, createStoredOutputs } from './storage/stored-outputs.ts';
import type { Database } from './store/database.ts';
import { createTokenTable, type TokenStore } from './store/token-table.ts';
import { createUsageTable } from './store/usage-table.ts';
import { startSweeper } from './sweeper.ts';
import { createMetrics } from './telemetry/metrics.ts';
import { openSources } from './templates/open-sources.ts';
import { openStyleVersions } from './templates/open-style-versions.ts';
import type { StyleVersions } from './templates/style-versions.ts';
import { waitForDependencies } from './wait-for-dependencies.ts';
import { openWebhooks, pendingWebhooks } from './webhooks/webhooks.ts';
import { createFarmLoad } from './workers/farm-load.ts';
import { openWorker } from './workers/open-worker.ts';
import type { WorkerRegistry } from './workers/worker-registry.ts';

export interface ComposeOptions extends FoundationOptions {
  readonly version: string;
  /** Overrides for tests and benchmarks, @see DistributionRules. */
  readonly distributionRules?: Partial<DistributionRules> | undefined;
  /** Milliseconds since the epoch. */
  now(): number;
}

/** All components of the service except its HTTP servers. */
export interface ServiceComponents extends Pick<ServiceLifecycle, 'work' | 'drain' | 'hurry' | 'close'> {
  readonly app: AppPorts;
  readonly database: Database;
  readonly tokens: TokenStore;
  readonly styleVersions: StyleVersions;
  readonly registry: WorkerRegistry;
  readonly publicUrl: string;
}

/**
 * Opens the components in dependency order and connects them. Waits for a database or storage that does not respond
 * yet, as long as the settings allow.
 *
 * @throws ReelformError as `startServer`
 */
export async function composeService(options: ComposeOptions): Promise<ServiceComponents> {
  const { settings, logger: log } = options;
  const patienceMs = settings.startSeconds * 1000;
  return waitForDependencies(
    async () => {
      const foundation = await openFoundation(options);
      try {
        return openComponents(options, foundation);
      } catch (error) {
        await foundation.close();
        throw error;
      }
    },
    { patienceMs, log },
  );
}

/** Opens the components over the foundation. Each receives only components that are opened before it. */
function openComponents(options: ComposeOptions, foundation: Foundation): ServiceComponents {
  const { settings, logger, now } = options;
  const { database, storage, room, queue, pool, publicUrl } = foundation;
  const { inspections, encoder } = foundation.renders;
  const context = { database, queue, log: logger, now };
  const build = renderBuild(options.version, encoder);
  const scopeOf = (tenant: TenantId): string => (settings.shareBetweenTenants ? '' : tenant);

  const tokens = createTokenTable(context);
  const usage = createUsageTable({ ...context, limits: settings });
  const outputs = createStoredOutputs(storage);
  const farm = createFarmLoad(database);
  const metrics = createMetrics({
    ofProcess: true,
    farm: () => farm.figures().catch(() => null),
    webhooksPending: () => pendingWebhooks(database),
  });
  const shared = { ...context, settings, storage, room, pool, inspections, metrics, scopeOf };

  const webhooks = openWebhooks({
    ...context,
    allow: validAllowList(settings.allowWebhooks),
    publicUrl: foundation.readPublicUrl,
    onTried: metrics.webhookTried,
  });
  const sources = openSources({ ...shared, directory: foundation.sourceDirectory });
  const styleVersions = openStyleVersions({ ...shared, webhooks, publicUrl });
  const destinations = createDestinations({
    credentials: settings.credentials,
    defaults: settings.defaultUploads,
    isServer: true,
    env,
    directory: settings.dataDirectory,
  });
  const deliveries = openDeliveries({
    ...context,
    outputs,
    destinations,
    metrics,
    places: settings.deliveryConcurrency,
    onUpload: webhooks.onUpload,
  });
  const store = openSessionStore({ ...context, settings, usage, deliveries, webhooks });
  const sessions = openSessions({
    ...shared,
    distributionRules: options.distributionRules,
    build,
    store,
    templates: styleVersions,
    sources: sources.reader,
    outputs,
    destinations,
    deliveries,
    load: farm,
  });
  const { runner } = sessions;
  const worker = openWorker({ ...shared, queue, build, runner, styleVersions, deliveries, webhooks });
  const sweeper = startSweeper({ ...shared, sources, store });
  const lifecycle = createLifecycle({ foundation, farm, styleVersions, worker, sweeper });
  const { registry } = worker;
  pool.warm(settings.concurrency, 'videos');
  const app: AppPorts = {
    sessions: sessions.api,
    styleVersions,
    uploads: sources.uploads,
    outputs: createOutputFiles({ index: store, storage, key: foundation.downloadKey }),
    webhooks: webhooks.api,
    tokens,
    usage,
    requireWritable: lifecycle.requireWritable,
    readiness: lifecycle.readiness,
    settings: { ...settings, publicUrl },
    logger,
    now,
    metrics,
  };
  return { ...lifecycle, app, database, tokens, styleVersions, registry, publicUrl };
}
