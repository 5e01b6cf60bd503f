import { promises } from 'node:dns';
import type { LookupFunction } from 'node:net';

/** Milliseconds that a name server has, and how often it is asked. */
const TIMEOUT_MS = 3_000;
const TRIES = 2;

/**
 * Looks names up in DNS itself. EDGE.
 *
 * The system's resolver works in two threads of the process, for up to half a minute a name: whoever names hosts whose
 * servers never answer would keep everybody else waiting. This one waits for any number of names at once. It does not
 * know the machine's hosts file or search domains.
 *
 * @param servers `address:port`, in place of the machine's
 */
export function createDnsLookup(servers?: readonly string[]): LookupFunction {
  const resolver = new promises.Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  if (servers !== undefined) resolver.setServers(servers);

  const resolve = async (hostname: string, family: number) => {
    const answers = await Promise.allSettled([
      family === 6 ? [] : resolver.resolve4(hostname),
      family === 4 ? [] : resolver.resolve6(hostname),
    ]);
    const [four, six] = answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    const found = [
      ...four!.map((address) => ({ address, family: 4 })),
      ...six!.map((address) => ({ address, family: 6 })),
    ];
    if (found.length > 0) return found;
    const failure = answers.find((answer) => answer.status === 'rejected');
    throw failure?.reason ?? Object.assign(new Error('The name has no address'), { code: 'ENODATA' });
  };

  return (hostname, options, callback) => {
    const family = options.family === 'IPv4' ? 4 : options.family === 'IPv6' ? 6 : (options.family ?? 0);
    resolve(hostname, family).then(
      (found) => (options.all === true ? callback(null, found) : callback(null, found[0]!.address, found[0]!.family)),
      (error: NodeJS.ErrnoException) => callback(error, ''),
    );
  };
}
