import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { ReelformError } from '../../kernel/diagnostic.ts';
import { writePackageZip } from '../../template/archive/write-zip.ts';
import { startAdminServer } from './admin-socket/admin-server.ts';
import { type ComposeOptions, composeService, type ServiceComponents } from './compose-service.ts';
import { buildApp, buildOperationApp } from './http/app.ts';
import { createLogger } from './log.ts';
import type { Settings } from './settings/settings-table.ts';
import type { TokenStore } from './store/token-table.ts';

/** Options of a process of the service. */
export interface ProcessOptions
  extends Pick<ComposeOptions, 'settings' | 'version' | 'distributionRules' | 'pool' | 'createRenderPool' | 'now'> {
  /** Receives the log, one JSON line at a time. */
  readonly log: { write(line: string): void };
}

interface ServerOptions extends ProcessOptions {
  /** Template packages for all tenants, as files by path. */
  readonly packages: readonly { readonly files: ReadonlyMap<string, Uint8Array> }[];
}

/** A running process of the service. */
export interface RunningProcess {
  /** URL of the service for clients. */
  readonly publicUrl: string;
  /**
   * Claims no further jobs, and lets running renders finish within the time limit of the settings. A server responds to
   * requests until then. Unfinished jobs are resumed by other workers, or at the next start.
   *
   * @param options.now stops running renders; may be called while another close is pending
   */
  close(options?: { readonly now?: boolean }): Promise<void>;
}

export interface RunningServer extends RunningProcess {
  /** URL of the listening socket. */
  readonly url: string;
  /** URL of a separate port for `/metrics`; null when there is none. */
  readonly metricsUrl: string | null;
  readonly database: 'postgres' | 'pglite';
  readonly tokens: TokenStore;
}

/**
 * Starts the service: database, queue, worker and HTTP server. Resolves once it responds and renders.
 *
 * @throws ReelformError `data_exposed`, `data_in_use`, `database_unavailable`, `database_newer`, `storage_unavailable`,
 * `address_in_use`
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { settings } = options;
  const logger = createLogger(settings.logLevel, options.log);
  const address = await reserveAddress(settings.host, settings.port);
  const metricsAddress = await reserveMetrics(settings);
  const publicUrl = settings.publicUrl ?? address.url;
  const components = await composeService({ ...options, servedAt: publicUrl, logger });
  const { url } = address;
  const close = await startProcess(components, settings, async (listen, onClose) => {
    await listen(await buildApp(components.app), address.port, 'listening');
    if (metricsAddress !== null) await listen(await buildOperationApp(components.app), metricsAddress.port, 'metrics');
    if (components.database.kind === 'pglite') {
      const control = { directory: settings.dataDirectory, tokens: components.tokens, status: () => ({ url }) };
      onClose((await startAdminServer(control)).close);
    }
    for (const { files } of options.packages) await components.styleVersions.register(writePackageZip(files));
  });
  logger.info({ url, public_url: publicUrl, concurrency: settings.concurrency }, 'the service is ready');
  const { database, tokens } = components;
  return { url, publicUrl, metricsUrl: metricsAddress?.url ?? null, database: database.kind, tokens, close };
}

async function reserveMetrics({ host, port, metrics, metricsPort }: Settings): Promise<Address | null> {
  if (!metrics || metricsPort === null) return null;
  if (metricsPort === port && port !== 0) {
    throw new ReelformError(
      'settings_invalid',
      `metrics_port is ${metricsPort}, which is also the port of the service`,
      {
        hint: 'Remove metrics_port to serve /metrics on the main port, or choose another port',
      },
    );
  }
  return reserveAddress(host, metricsPort);
}

interface Address {
  /** Host as written in a URL. */
  readonly host: string;
  readonly port: number;
  readonly url: string;
}

/**
 * Checks that an address is free before a database is opened in vain, and chooses a port if the given port is 0. Another
 * process may still take the address before it is used.
 *
 * @param port 0 for any free port
 * @throws ReelformError `address_in_use`
 */
export async function reserveAddress(host: string, port: number): Promise<Address> {
  const server = createServer();
  try {
    await once(server.listen({ host, port, exclusive: true }), 'listening');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new ReelformError('address_in_use', `The service cannot listen on ${host}:${port} (${code})`, {
      hint: 'Choose another address with --host and --port, or --metrics-port',
      cause: error,
    });
  }
  const chosen = (server.address() as AddressInfo).port;
  await new Promise((resolve) => server.close(resolve));
  // A server on all interfaces is reachable locally at the loopback address.
  const shown = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  return { host: shown, port: chosen, url: `http://${shown}:${chosen}` };
}

type Close = () => Promise<void>;

/** Serves an app on a reserved port. @param what what the log says about the address */
type Listen = (app: FastifyInstance, port: number, what: string) => Promise<void>;

/**
 * Starts the servers around the components, then rendering. They are closed in reverse order, also if that fails.
 *
 * @returns drains the jobs while HTTP still responds, then closes everything
 */
export async function startProcess(
  components: ServiceComponents,
  { host, drainSeconds }: Settings,
  startServers: (listen: Listen, onClose: (close: Close) => void) => Promise<void>,
): Promise<RunningProcess['close']> {
  const closing: Close[] = [() => components.close()];
  const closeAll = async (): Promise<void> => {
    for (const close of closing.reverse()) await close();
  };
  try {
    const listen: Listen = async (app, port, what) => {
      await app.listen({ host, port, listenTextResolver: (at) => `${what} on ${at}` });
      closing.push(() => app.close());
    };
    await startServers(listen, (close) => closing.push(close));
    await components.work();
  } catch (error) {
    await closeAll();
    throw error;
  }
  let closed: Promise<void> | null = null;
  return ({ now = false } = {}) => {
    if (now) components.hurry();
    closed ??= closeAfter(now ? 0 : drainSeconds);
    return closed;
  };

  async function closeAfter(seconds: number): Promise<void> {
    const { logger } = components.app;
    logger.info({ drain_seconds: seconds }, 'stopping');
    await components.drain(seconds * 1000);
    await closeAll();
    logger.info('stopped');
  }
}
