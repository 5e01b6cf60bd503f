import { ReelformError } from '../../kernel/diagnostic.ts';
import { composeService } from './compose-service.ts';
import { buildOperationApp } from './http/app.ts';
import { createLogger } from './log.ts';
import type { Settings } from './settings/settings-table.ts';
import { type ProcessOptions, type RunningProcess, reserveAddress, startProcess } from './start-server.ts';

interface WorkerOptions extends ProcessOptions {
  /** Whether to serve `/healthz`, `/readyz` and `/metrics` on the port of the settings. */
  readonly listens: boolean;
}

export interface RunningWorker extends RunningProcess {
  /** Id in `reelform.workers`. */
  readonly id: string;
  /** URL of the listening socket; null when it does not listen. */
  readonly url: string | null;
}

/**
 * Starts a process that renders the jobs of services on the same database, without clients of its own. Resolves once it
 * renders.
 *
 * @throws ReelformError `settings_invalid`: it shares no database or storage with a service, or has no slot
 * @throws ReelformError `database_unavailable`, `database_newer`, `address_in_use`
 */
export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const { settings, listens } = options;
  refuse(settings);
  const logger = createLogger(settings.logLevel, options.log);
  const address = listens ? await reserveAddress(settings.host, settings.port) : null;
  const components = await composeService({ ...options, servedAt: null, logger });
  const close = await startProcess(components, settings, async (listen) => {
    if (address !== null) await listen(await buildOperationApp(components.app), address.port, 'listening');
  });
  const { publicUrl, registry } = components;
  const { id, build } = registry;
  logger.info({ worker: id, build, public_url: publicUrl, places: settings.concurrency }, 'the worker is ready');
  return { id, url: address?.url ?? null, publicUrl, close };
}

function refuse({ databaseUrl, concurrency }: Settings): void {
  if (databaseUrl === null) {
    throw new ReelformError('settings_invalid', 'A worker needs the PostgreSQL database of its service', {
      hint: 'Set DATABASE_URL as for `reelform serve`. Only one process can use a database in a data folder',
    });
  }
  if (concurrency === 0) {
    throw new ReelformError('settings_invalid', 'A worker needs a concurrency of at least 1', {
      hint: 'Set the number of concurrent renders, for example --concurrency 2',
    });
  }
}
