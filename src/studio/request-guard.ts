import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { present } from '../kernel/defined.ts';
import { sha256 } from '../kernel/digest.ts';
import { RequestError } from './request-error.ts';

/** Decides which requests come from the page of this server, and not from another website in the same browser. */
export interface RequestGuard {
  /** Part of the URL that the user opens. It is exchanged for a cookie. */
  readonly token: string;
  /** Value of `Set-Cookie` for a request with the right token in its URL; null for any other token. */
  cookieFor(token: string): string | null;
  /**
   * Checks the Host header, which names another host after DNS rebinding, the origin and the cookie.
   *
   * @throws RequestError `forbidden`, `unauthorized`
   */
  check(request: IncomingMessage): void;
  /** @throws RequestError `forbidden` */
  checkHost(request: IncomingMessage): void;
}

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** @param host on which the server listens */
export function createRequestGuard(host: string, port: number): RequestGuard {
  const token = randomBytes(24).toString('base64url');
  // Cookies do not distinguish ports.
  const name = `reelform_preview_${port}`;
  const secret = randomBytes(24).toString('base64url');
  const allowed = new Set(present([...LOOPBACK, host, bracketed(host), !isLoopback(host) && hostname().toLowerCase()]));
  // An address cannot be rebound: only names are resolved.
  const acceptsAddresses = !isLoopback(host);

  const checkHost = (request: IncomingMessage): void => {
    const written = (request.headers.host ?? '').toLowerCase();
    const [, named = '', writtenPort = '80'] = /^(\[[0-9a-f:.]+\]|[^:]*)(?::(\d+))?$/.exec(written) ?? [];
    const isAddress = acceptsAddresses && isIP(named.replace(/^\[|\]$/g, '')) !== 0;
    if (Number(writtenPort) === port && (allowed.has(named) || isAddress)) return;
    throw new RequestError('forbidden', `This server is not ${JSON.stringify(written)}`, {
      hint: 'Open the URL that reelform preview printed',
    });
  };
  return {
    token,
    cookieFor: (given) => (isEqual(given, token) ? `${name}=${secret}; Path=/; HttpOnly; SameSite=Strict` : null),
    checkHost,
    check(request) {
      checkHost(request);
      const { origin, host: requestedHost, cookie = '', 'sec-fetch-site': site } = request.headers;
      const isSameOrigin = origin === `http://${requestedHost?.toLowerCase()}`;
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      if (origin === undefined ? !isRead : !isSameOrigin) throw foreign();
      if (site !== undefined && site !== 'same-origin' && site !== 'none') {
        // A link from elsewhere may open the page, and load nothing else.
        if (request.headers['sec-fetch-mode'] !== 'navigate' || !isRead) throw foreign();
      }
      const sessionCookie = cookie.split(/;\s*/).find((pair) => pair.startsWith(`${name}=`));
      if (sessionCookie !== undefined && isEqual(sessionCookie.slice(name.length + 1), secret)) return;
      throw new RequestError('unauthorized', 'The session of this page is not known', {
        hint: 'Open the URL that reelform preview printed',
      });
    },
  };
}

function foreign(): RequestError {
  return new RequestError('forbidden', 'The request comes from another page');
}

export function isLoopback(host: string): boolean {
  return LOOPBACK.has(host) || LOOPBACK.has(bracketed(host)) || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** Writes an IPv6 address as in URLs. */
export function bracketed(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}

function isEqual(given: string, expected: string): boolean {
  return timingSafeEqual(Buffer.from(sha256(given)), Buffer.from(sha256(expected)));
}
