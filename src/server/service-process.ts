import { type AddressInfo, createServer } from 'node:net';
import { ReelformError } from '../diagnostic.ts';
import type { ServiceComponents } from './compose-service.ts';

export interface Address {
  /** As it stands in a URL. */
  readonly host: string;
  readonly port: number;
  readonly url: string;
}

/**
 * Sees whether the address is free, before a database is opened for nothing, and chooses a port where none is given. EDGE.
 * Somebody else may take it until it is listened on.
 *
 * @param port 0: any free one
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
  // What listens everywhere is reached, on this machine, here.
  const shown = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  return { host: shown, port: chosen, url: `http://${shown}:${chosen}` };
}

/** The work first, while HTTP goes on to answer; then everything, in the reverse of its order. */
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
