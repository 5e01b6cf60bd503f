import { type AddressInfo, createServer } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { ReelformError } from '../diagnostic.ts';
import type { ServiceComponents } from './compose-service.ts';
import type { Settings } from './settings/settings-table.ts';

export interface Address {
  /** Host as written in a URL. */
  readonly host: string;
  readonly port: number;
  readonly url: string;
}

/**
 * Checks that an address is free before a database is opened in vain, and chooses a port if the given one is 0. Another
 * process may still take the address before it is used.
 *
 * @param port 0 for any free one
 * @throws ReelformError `address_in_use`
 */
export async function reserveAddress(host: string, port: number): Promise<Address> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port, exclusive: true }, resolve);
    });
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

/** Starts the servers of a process. They are closed in reverse order. */
interface ServerStarter {
  /** Serves an app on a reserved port. @param what what the log says about the address */
  listen(app: FastifyInstance, port: number, what: string): Promise<void>;
  onClose(close: Close): void;
}

/**
 * Starts the servers around the components, then rendering. Closes everything if that fails.
 *
 * @returns drains the jobs while HTTP still responds, then closes everything
 */
export async function startProcess(
  components: ServiceComponents,
  { host, drainSeconds }: Settings,
  startServers: (starter: ServerStarter) => Promise<void>,
): Promise<(options?: { readonly now?: boolean }) => Promise<void>> {
  const closing: Close[] = [() => components.close()];
  const closeAll = async (): Promise<void> => {
    for (const close of closing.reverse()) await close();
  };
  try {
    await startServers({
      async listen(app, port, what) {
        await app.listen({ host, port, listenTextResolver: (at) => `${what} on ${at}` });
        closing.push(() => app.close());
      },
      onClose: (close) => closing.push(close),
    });
    await components.work();
  } catch (error) {
    await closeAll();
    throw error;
  }
  let closed: Promise<void> | null = null;
  return ({ now = false } = {}) => {
    if (now) components.hurry();
    closed ??= components.drain(now ? 0 : drainSeconds * 1000).then(closeAll);
    return closed;
  };
}
