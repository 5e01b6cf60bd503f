import { ReelformError } from '../diagnostic.ts';
import type { RenderPool } from '../session/processes/render-pool.ts';
import type { SplitRules } from '../session/segments/split-renders.ts';
import { composeService } from './compose-service.ts';
import { buildOperationApp } from './http/app.ts';
import { gracefulShutdown, reserveAddress } from './service-process.ts';
import type { Settings } from './settings/settings.ts';
import { createLogger } from './telemetry/log.ts';

export interface WorkerOptions {
  readonly settings: Settings;
  /** Whether it answers `/healthz`, `/readyz` and `/metrics` on the port of the settings. */
  readonly listens: boolean;
  /** Of reelform. */
  readonly version: string;
  /** Of tests and measurements: when videos are rendered in parts, unless as it pays. */
  readonly splitRules?: Partial<SplitRules>;
  /** Of measurements: what renders instead of render processes. */
  readonly pool?: RenderPool;
  /** Takes the log, one JSON line after the other. */
  readonly log: { write(line: string): void };
  /** Milliseconds since the epoch. */
  now(): number;
}

export interface RunningWorker {
  /** As it stands in `reelform.workers`. */
  readonly id: string;
  /** Where it listens; null where it does not. */
  readonly url: string | null;
  /** Where clients find the service whose renders it takes. */
  readonly publicUrl: string;
  /**
   * Takes no new render, and lets those at work finish within the time of the settings. What has not finished is taken
   * up by another worker.
   *
   * @param options.now finishes nothing; may be called while another close is waiting
   */
  close(options?: { readonly now?: boolean }): Promise<void>;
}

/**
 * Starts a process that renders what the services of a database have accepted, and answers nobody. EDGE. Resolves when it
 * renders.
 *
 * @throws ReelformError `settings_invalid`: it shares no database or no storage with a service, or has no place
 * @throws ReelformError `database_unavailable`, `database_newer`, `address_in_use`
 */
export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const { settings, listens, version, now } = options;
  refuse(settings);
  const logger = createLogger(settings.logLevel, options.log);
  const address = listens ? await reserveAddress(settings.host, settings.port) : null;
  const { splitRules, pool } = options;
  const components = await composeService({ settings, servedAt: null, version, splitRules, pool, logger, now });
  const closing: (() => Promise<void>)[] = [() => components.close()];
  const closeAll = async (): Promise<void> => {
    for (const close of closing.reverse()) await close();
  };
  try {
    if (address !== null) {
      const app = await buildOperationApp(components.app);
      await app.listen({ host: settings.host, port: address.port, listenTextResolver: (at) => `listening on ${at}` });
      closing.push(() => app.close());
    }
    await components.work();
    const { publicUrl, registry } = components;
    const { id, build } = registry;
    logger.info({ worker: id, build, public_url: publicUrl, places: settings.concurrency }, 'the worker is ready');
    const close = gracefulShutdown(components, closeAll, settings.drainSeconds * 1000);
    return { id, url: address?.url ?? null, publicUrl, close };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

function refuse({ databaseUrl, concurrency }: Settings): void {
  if (databaseUrl === null) {
    throw new ReelformError('settings_invalid', 'A worker needs the PostgreSQL of its service', {
      hint: 'Set DATABASE_URL as for `reelform serve`: a database in a data folder belongs to one process',
    });
  }
  if (concurrency === 0) {
    throw new ReelformError('settings_invalid', 'A worker with a concurrency of 0 would do nothing', {
      hint: 'Say how many videos it renders at once, for example with --concurrency 2',
    });
  }
}
