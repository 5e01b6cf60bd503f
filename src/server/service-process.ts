import { type AddressInfo, createServer } from 'node:net';
import { ReelformError } from '../diagnostic.ts';
import type { ServiceComponents } from './compose-service.ts';

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
      hint: 'Choose another with --host and --port, or --metrics-port',
      cause: error,
    });
  }
  const chosen = (server.address() as AddressInfo).port;
  await new Promise((resolve) => server.close(resolve));
  // A server on all interfaces is reachable locally at the loopback address.
  const shown = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  return { host: shown, port: chosen, url: `http://${shown}:${chosen}` };
}

/** Drains the jobs while HTTP still responds, then closes everything in reverse order. */
export function gracefulShutdown(
  components: Pick<ServiceComponents, 'drain' | 'hurry'>,
  closeAll: () => Promise<void>,
  drainMs: number,
): (options?: { readonly now?: boolean }) => Promise<void> {
  let closed: Promise<void> | null = null;
  return ({ now = false } = {}) => {
    if (now) components.hurry();
    closed ??= components.drain(now ? 0 : drainMs).then(closeAll);
    return closed;
  };
}
