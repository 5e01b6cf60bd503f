import { getProxyForUrl } from 'proxy-from-env';

/** An HTTP proxy. */
export interface HttpProxy {
  /** `http:` or `https:`, without user and password. */
  readonly url: URL;
  /** Value of Proxy-Authorization; null without a user. */
  readonly authorization: string | null;
}

/** A proxy that cannot be used, or that refused a connection: nothing has reached the host. Contains no credentials. */
export class ProxyFailure extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.name = 'ProxyFailure';
    this.code = code;
  }
}

/** Codes of ProxyFailure in words; null for the codes of other errors. */
export function proxyReason(code: string): string | null {
  if (code === PROXY_INVALID) return 'HTTP_PROXY or HTTPS_PROXY is not an http or https URL';
  if (code === PROXY_UNCHECKED) return 'its host cannot be resolved here, and a proxy could reach an internal one';
  const status = /^PROXY_(\d{3})$/.exec(code)?.[1];
  return status === undefined ? null : `the proxy answered ${status}`;
}

const PROXY_INVALID = 'PROXY_INVALID';
/** Of hosts that only the proxy could resolve, where addresses have to be checked. */
export const PROXY_UNCHECKED = 'PROXY_UNCHECKED';

const LOOPBACK = /^(?:(?:.+\.)?localhost\.?|127(?:\.\d+){3}|\[::1\])$/;

/**
 * Returns the proxy of a URL, or null for a direct connection: HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY, or the same
 * in lower case, which take precedence. The loopback interface is always reached directly, because a proxy would
 * reach its loopback interface instead.
 *
 * The library reads the environment of the process.
 *
 * @throws ProxyFailure
 */
export function proxyFor(url: URL): HttpProxy | null {
  if (LOOPBACK.test(url.hostname)) return null;
  const text = getProxyForUrl(url.href);
  if (text === '') return null;
  const isUrl = URL.canParse(text);
  const proxy = isUrl ? new URL(text) : null;
  if (proxy === null || (proxy.protocol !== 'http:' && proxy.protocol !== 'https:')) {
    throw new ProxyFailure(PROXY_INVALID, `The proxy for ${url.protocol}// URLs is not an http or https URL`);
  }
  const { username, password } = proxy;
  proxy.username = '';
  proxy.password = '';
  const hasUser = username !== '' || password !== '';
  const login = hasUser ? `${decoded(username)}:${decoded(password)}` : '';
  return { url: proxy, authorization: hasUser ? `Basic ${Buffer.from(login).toString('base64')}` : null };
}

/** Returns text that is not encoded as it is, as in a password with a percent sign. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
