import type { Agent, AgentOptions, ClientRequest, IncomingMessage } from 'node:http';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket, type ConnectionOptions as TlsOptions } from 'node:tls';
import { HttpProxyAgent } from 'http-proxy-agent';
import { HttpsProxyAgent } from 'https-proxy-agent';
import { type HttpProxy, ProxyFailure } from './proxy.ts';

/** Milliseconds to connect to a proxy, for its answer, and to agree on keys with the host behind it. */
const CONNECT_MS = 10_000;

type ConnectOptions = Parameters<HttpsProxyAgent<string>['connect']>[1];

/** Where a tunnel leads, if not to the host of the request. */
export interface TunnelTarget {
  /** Checked address of the host. The proxy gets it in place of the name, so that it does not resolve the name itself. */
  readonly address: string;
}

/**
 * Opens an agent that reaches the host of a URL through a proxy: https through a tunnel (CONNECT), http by a request for the
 * whole URL.
 *
 * @param target if given, http goes through a tunnel, too
 */
export function openProxyAgent(url: URL, proxy: HttpProxy, options: AgentOptions, target?: TunnelTarget): Agent {
  const { authorization } = proxy;
  // The agents write the URL of the proxy to their debug log: it has no credentials.
  const headers = authorization === null ? {} : { 'Proxy-Authorization': authorization };
  const isTunnel = url.protocol === 'https:' || target !== undefined;
  return isTunnel
    ? new TunnelAgent(proxy.url, { ...options, headers }, target?.address)
    : new ForwardAgent(proxy.url, { ...options, headers });
}

/** Connects through a proxy by CONNECT. */
class TunnelAgent extends HttpsProxyAgent<string> {
  readonly #address: string | undefined;

  constructor(proxy: URL, options: AgentOptions & { headers: Record<string, string> }, address?: string) {
    super(proxy, options);
    this.#address = address;
  }

  /** Resolves when the connection to the host is ready for the request, so that no failure before it counts as sent. */
  override connect(request: ClientRequest, options: ConnectOptions): Promise<Socket> {
    return connected(request, async (signal) => {
      let status = 0;
      request.once('proxyConnect', ({ statusCode }: IncomingMessage) => {
        status = statusCode ?? 0;
      });
      // The library reads the options synchronously.
      this.connectOpts = { ...this.connectOpts, signal };
      const target = this.#address === undefined ? options : { ...options, host: this.#address };
      const socket = await super.connect(request, target);
      // The library would return the proxy's answer as if it came from the host, even for https.
      if (status !== 200) {
        socket.destroy();
        throw refusal(status);
      }
      if ((socket as TLSSocket).encrypted === true) await happened(socket, 'secureConnect', signal);
      return socket;
    });
  }
}

/** Sends requests for whole URLs to a proxy. */
class ForwardAgent extends HttpProxyAgent<string> {
  /** Connects to the proxy. The library would also write the head again, which sends it twice if a body follows later. */
  override connect(request: ClientRequest): Promise<Socket> {
    return connected(request, async (signal) => {
      const isSecure = this.proxy.protocol === 'https:';
      const socket = isSecure
        ? connectTls({ ...this.connectOpts, signal } as TlsOptions)
        : connectTcp({ ...this.connectOpts, signal });
      await happened(socket, isSecure ? 'secureConnect' : 'connect', signal);
      return socket;
    });
  }
}

/** Interval of the check for an aborted request. Node emits no event for that before the request has a socket. */
const ABORT_CHECK_MS = 100;

/** Connects within the time limit, and no longer than the request waits for it. */
async function connected(request: ClientRequest, connect: (signal: AbortSignal) => Promise<Socket>): Promise<Socket> {
  const controller = new AbortController();
  const stop = (): void => controller.abort(new ProxyFailure('ETIMEDOUT', 'The proxy did not connect in time'));
  const timer = setTimeout(stop, CONNECT_MS);
  const abortCheck = setInterval(() => {
    if (request.destroyed) stop();
  }, ABORT_CHECK_MS);
  try {
    return await connect(controller.signal);
  } catch (error) {
    throw controller.signal.aborted ? controller.signal.reason : error;
  } finally {
    clearTimeout(timer);
    clearInterval(abortCheck);
  }
}

function happened(socket: Socket, event: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => socket.destroy(signal.reason), { once: true });
    socket
      .once(event, resolve)
      .once('error', reject)
      .once('close', () => reject(new Error('closed')));
  });
}

/** The code of a refused tunnel, which says that nothing was sent to the host. */
function refusal(status: number): ProxyFailure {
  return new ProxyFailure(`PROXY_${status}`, `The proxy answered ${status} to CONNECT`);
}
