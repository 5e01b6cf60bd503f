import { Agent } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import { proxyFor } from './proxy.ts';

/** Chooses the connection of each request. */
export interface HttpAgents {
  /**
   * Returns the agent that connects to the host of a URL, directly or through the proxy that the environment names.
   *
   * @throws ProxyFailure if the environment names a proxy of an unknown kind
   */
  agentFor(url: URL): Promise<Agent>;
}

/** Maximum number of connections to a host. With more, the requests of a process only wait for each other. */
export const MAX_SOCKETS = 128;

/** Keep connections open for later requests. */
export const KEPT_AGENTS = openAgents({ keepAlive: true, maxSockets: MAX_SOCKETS });
/** Open a connection for each request: the host may close a kept connection just as a request is sent. */
export const FRESH_AGENTS = openAgents({ keepAlive: false, maxSockets: MAX_SOCKETS });

/** Opens separate agents for a client, which ends them. */
export function openAgents(options: { readonly keepAlive: boolean; readonly maxSockets: number }): HttpAgents {
  const direct = { 'http:': new Agent(options), 'https:': new SecureAgent(options) };
  const proxied = new Map<string, Promise<Agent>>();
  return {
    async agentFor(url) {
      const proxy = proxyFor(url);
      if (proxy === null) return url.protocol === 'https:' ? direct['https:'] : direct['http:'];
      const key = JSON.stringify([url.protocol, proxy.url.href, proxy.authorization]);
      const known = proxied.get(key);
      if (known !== undefined) return known;
      const opened = import('./proxy-agents.ts').then(({ openProxyAgent }) => openProxyAgent(url, proxy, options));
      proxied.set(key, opened);
      return opened;
    },
  };
}
