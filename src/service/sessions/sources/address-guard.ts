import { type LookupAddress, promises, lookup as systemLookup } from 'node:dns';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { HttpAgents } from '../../../kernel/http/agents.ts';
import { PROXY_UNCHECKED, ProxyFailure, proxyFor } from '../../../kernel/http/proxy.ts';
import type { TunnelTarget } from '../../../kernel/http/proxy-agents.ts';
import {
  type AllowList,
  allows,
  allowsName,
  allowsPort,
  type ConnectionTarget,
  PUBLIC_PORTS,
  plainHost,
} from './allow-list.ts';

/** Cloud-internal addresses within public ranges: Azure's platform. */
const NOT_PUBLIC: ReadonlySet<string> = new Set(['168.63.129.16']);

const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/** Limits on the addresses that may be connected to. */
export interface GuardPolicy {
  readonly allow: AllowList;
  /** Allowed ports of public addresses; 80 and 443 by default. */
  readonly publicPorts?: readonly number[];
  /** Resolves names. By default, the system resolves names on the allow list, and DNS all other names. */
  readonly lookup?: LookupFunction;
}

/** A refused connection. Never contains the resolved address. */
export class ForbiddenAddress extends Error {
  readonly code = 'EFORBIDDENADDRESS';

  constructor() {
    super('The host resolves to an address that is not public');
    this.name = 'ForbiddenAddress';
  }
}

/**
 * Reports whether an address is globally routed unicast. Addresses that embed an IPv4 address (mapped, compatible,
 * NAT64, 6to4, Teredo) are excluded, because the network decides where they lead.
 *
 * Not covered: a network-specific NAT64 prefix (RFC 6052, 2.2) looks like any other address.
 *
 * @see https://www.iana.org/assignments/iana-ipv4-special-registry,
 * https://www.iana.org/assignments/iana-ipv6-special-registry
 */
export function isPublicAddress(text: string): boolean {
  if (isIP(text) === 0 || text.includes('%')) return false;
  const address = ipaddr.parse(text);
  if (address.range() !== 'unicast' || NOT_PUBLIC.has(address.toString())) return false;
  return address.kind() === 'ipv4' || address.match(GLOBAL_UNICAST);
}

/** Checks a URL before any request; null if it may be tried. Addresses are checked on connecting. */
export function urlProblem(url: URL, policy: GuardPolicy): string | null {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'is neither http nor https';
  if (url.username !== '' || url.password !== '') return 'contains a user or a password';
  // Some clients treat this host as a socket path.
  if (url.hostname === 'unix') return 'is a Unix socket';
  const port = portOf(url);
  const isUsual = (policy.publicPorts ?? PUBLIC_PORTS).includes(port);
  return isUsual || allowsPort(policy.allow, port) ? null : `uses port ${port}, which is not allowed`;
}

/** Reports whether an address may be connected to under a name. */
function mayConnect(target: ConnectionTarget, { allow, publicPorts = PUBLIC_PORTS }: GuardPolicy): boolean {
  if (isIP(target.address) === 0) return false;
  return (isPublicAddress(target.address) && publicPorts.includes(target.port)) || allows(allow, target);
}

/**
 * Creates agents that check each address at the moment of connecting, so that DNS rebinding is ineffective. A name with
 * any forbidden address is refused.
 *
 * Connections are not kept, so that none is reused for another name. Do not share the agents with other clients.
 */
export function createGuardedAgents(policy: GuardPolicy): HttpAgents {
  const complete = { ...policy, lookup: policy.lookup ?? lookupFor(policy.allow) };
  const direct = {
    http: guardAgent(new HttpAgent(OPTIONS), complete),
    https: guardAgent(new HttpsAgent(OPTIONS), complete),
  };
  return {
    async agentFor(url) {
      const proxy = proxyFor(url);
      if (proxy === null) return url.protocol === 'https:' ? direct.https : direct.http;
      const target = await checkedTarget(url, complete);
      const { openProxyAgent } = await import('../../../kernel/http/proxy-agents.ts');
      return openProxyAgent(url, proxy, OPTIONS, target);
    },
  };
}

const OPTIONS = { keepAlive: false };

/** Codes of the system and of DNS. */
const UNKNOWN_NAME: ReadonlySet<string | undefined> = new Set(['ENOTFOUND', 'ENODATA']);

/**
 * Checks the host of a request that goes through a proxy. The proxy gets a checked address in place of the name, because it
 * could resolve the name to another address. It gets the names of allowed hosts, which may lead anywhere.
 *
 * @returns undefined if the host is allowed by its name
 * @throws ForbiddenAddress; ProxyFailure for a host that cannot be resolved here, which may be an internal host
 */
async function checkedTarget(url: URL, policy: CompletePolicy): Promise<TunnelTarget | undefined> {
  const host = plainHost(url.hostname);
  const port = portOf(url);
  const may = (address: string): boolean => mayConnect({ host, port, address }, policy);
  if (isIP(host) !== 0) {
    if (may(host)) return undefined;
    throw new ForbiddenAddress();
  }
  if (allowsName(policy.allow, host, port)) return undefined;
  const lookup = guardLookup(policy.lookup, may);
  return new Promise((resolve, reject) => {
    lookup(host, {}, (error, address) => {
      if (error === null) resolve({ address: String(address) });
      else if (!UNKNOWN_NAME.has(error.code)) reject(error);
      else reject(new ProxyFailure(PROXY_UNCHECKED, 'The host cannot be resolved here'));
    });
  });
}

function lookupFor(allow: AllowList): LookupFunction {
  const dnsLookup = createDnsLookup();
  return (hostname, options, callback) => {
    const isOwn = isLocalhost(hostname) || allowsName(allow, hostname);
    const lookup = isOwn ? (systemLookup as LookupFunction) : dnsLookup;
    lookup(hostname, options, callback);
  };
}

type CompletePolicy = Required<Pick<GuardPolicy, 'lookup'>> & GuardPolicy;

/** Makes an agent check each address at the moment of connecting. A refusal is a connection error of the request. */
function guardAgent<Agent extends HttpAgent>(agent: Agent, policy: CompletePolicy): Agent {
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => {
    const guarded = guard(options, policy);
    if (guarded !== null) return connect(guarded, callback);
    callback?.(new ForbiddenAddress(), undefined as never);
    return null;
  };
  return agent;
}

interface ConnectionOptions {
  readonly host?: string | null | undefined;
  readonly port?: number | string | null | undefined;
  readonly path?: string | null | undefined;
  readonly socketPath?: string | undefined;
}

/** @returns options with a checking lookup; null if the connection is certainly forbidden */
function guard<T extends ConnectionOptions>(options: T, policy: CompletePolicy): T | null {
  const host = options.host ?? '';
  const port = Number(options.port);
  // A path means a local socket.
  if (host === '' || options.socketPath || options.path) return null;
  const may = (address: string): boolean => mayConnect({ host, port, address }, policy);
  // Addresses need no lookup.
  if (isIP(host) !== 0) return may(host) ? options : null;
  if (isLocalhost(host) && !may('127.0.0.1') && !may('::1')) return null;
  return { ...options, lookup: guardLookup(policy.lookup, may) };
}

/** @see RFC 6761, section 6.3 */
function isLocalhost(host: string): boolean {
  const plain = plainHost(host);
  return plain === 'localhost' || plain.endsWith('.localhost');
}

function guardLookup(lookup: LookupFunction, may: (address: string) => boolean): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, '');
      const addresses = found as LookupAddress[];
      const [first] = addresses;
      if (first === undefined || !addresses.every(({ address }) => may(address))) {
        return callback(new ForbiddenAddress(), '');
      }
      if (options.all === true) callback(null, addresses);
      else callback(null, first.address, first.family);
    });
  };
}

function portOf(url: URL): number {
  return url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
}

/** Milliseconds per query of a name server, and attempts. */
const TIMEOUT_MS = 3_000;
const TRIES = 2;

/**
 * Resolves names with DNS directly.
 *
 * The system resolver uses two threads for up to half a minute per name, so unresponsive name servers would block all
 * other requests. The DNS client handles any number of names concurrently but ignores the hosts file and search domains.
 *
 * @param servers `address:port`, in place of the system's
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
    throw failure?.reason ?? Object.assign(new Error('The host name has no address'), { code: 'ENODATA' });
  };

  return (hostname, options, callback) => {
    const family = options.family === 'IPv4' ? 4 : options.family === 'IPv6' ? 6 : (options.family ?? 0);
    resolve(hostname, family).then(
      (found) => (options.all === true ? callback(null, found) : callback(null, found[0]!.address, found[0]!.family)),
      (error: NodeJS.ErrnoException) => callback(error, ''),
    );
  };
}
