import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { ReelformError } from '../kernel/diagnostic.ts';
import type { PreviewPorts } from './ports.ts';
import { createPreviewContext, type PreviewContext } from './preview-context.ts';
import { errorAnswer, RequestError } from './request-error.ts';
import { bracketed, createRequestGuard, type RequestGuard } from './request-guard.ts';
import { ROUTES, type Route, type RouteRequest } from './routes.ts';
import { sendFile } from './send-file.ts';
import { isOfRun, RUN_LOCK_FILE, watchRepository } from './watch-repository.ts';

interface PreviewServer {
  /** URL with the token of the session. */
  readonly url: string;
  /** Settles when the repository has been read for the first time. Rejects if it cannot be watched. */
  readonly ready: Promise<void>;
  /** Ends all connections and stops watching. Does not close the ports. */
  close(): Promise<void>;
}

interface PreviewAddress {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
}

/** @see https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/Content-Security-Policy */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' blob: data:",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Milliseconds without a request after which the repository is read. Reading keeps the thread for longer than a browser needs to
 * ask for the page, so the page is sent first.
 */
const FIRST_REQUEST_MS = 300;

/** Files of the page: in a single folder, not hidden. */
const PAGE_FILE = /^\/(?:assets\/)?[\w-][\w.-]*$/;

/**
 * Serves the preview page of a repository and keeps it up to date with its files. The page is served at once; its requests for
 * data wait until the repository has been read.
 *
 * @throws ReelformError `address_in_use`
 */
export async function startPreviewServer(ports: PreviewPorts, { host, port }: PreviewAddress): Promise<PreviewServer> {
  const context = createPreviewContext(ports);
  const { events, live, run } = context;
  let guard: RequestGuard | null = null;
  let isClosed = false;
  const requested = new AbortController();
  const server = createServer({ requestTimeout: 0 }, (request, response) => {
    const data = (): Promise<void> => {
      requested.abort();
      return ready;
    };
    answer(request, response, guard!, { context, data }).catch((error: unknown) => {
      // Pages close requests for pictures that are not seen any more.
      if (response.closed) return;
      if (response.headersSent) return void response.destroy();
      const { status, body } = errorAnswer(error);
      if (status === 500) ports.report(error);
      sendJson(response, body, status);
    });
  });
  await once(server.listen(port, host), 'listening').catch((error: NodeJS.ErrnoException) => {
    throw unusable(error, host, port);
  });
  const { port: actual } = server.address() as AddressInfo;
  guard = createRequestGuard(host, actual);
  const watching = watchRepository(
    ports.root,
    (paths) => {
      if (paths.has(RUN_LOCK_FILE)) live.refreshRunLock().catch(ports.report);
      const rest = [...paths].filter((path) => path !== RUN_LOCK_FILE);
      if (rest.length === 0) return;
      // A run changes its files after each video, and planning takes time from rendering.
      if (rest.every(isOfRun)) live.refreshLater();
      else live.take(rest).catch(ports.report);
    },
    ports.report,
  );
  const ready = watching.then(async () => {
    await setTimeout(FIRST_REQUEST_MS, undefined, { signal: requested.signal }).catch(() => undefined);
    if (!isClosed) await live.refresh();
  });
  // The command awaits it, too.
  ready.catch(() => undefined);
  return {
    url: `http://${bracketed(reachable(host))}:${actual}/?token=${guard.token}`,
    ready,
    async close() {
      isClosed = true;
      requested.abort();
      await (await watching).close();
      live.close();
      await run.close();
      events.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Returns an address of this machine in its network for a host that stands for all of them. */
function reachable(host: string): string {
  if (host !== '0.0.0.0' && host !== '::') return host;
  const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  return addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? host;
}

function unusable(error: NodeJS.ErrnoException, host: string, port: number): ReelformError {
  return new ReelformError('address_in_use', `The preview cannot listen on ${host}:${port}: ${error.code}`, {
    hint: 'Choose another one with --port, or --port 0 for any free one',
    cause: error,
  });
}

interface PageSource {
  readonly context: PreviewContext;
  /** Resolves when the repository has been read. */
  readonly data: () => Promise<void>;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  guard: RequestGuard,
  { context, data }: PageSource,
): Promise<void> {
  response.setHeader('content-security-policy', POLICY);
  response.setHeader('x-content-type-options', 'nosniff');
  response.setHeader('referrer-policy', 'no-referrer');
  response.setHeader('cross-origin-resource-policy', 'same-origin');
  const url = urlOf(request);
  const token = url.searchParams.get('token');
  if (url.pathname === '/' && token !== null) {
    guard.checkHost(request);
    const cookie = guard.cookieFor(token);
    if (cookie === null) throw new RequestError('unauthorized', 'The token of this URL is not that of this server');
    response.writeHead(303, { location: '/', 'set-cookie': cookie, 'cache-control': 'no-store' });
    return void response.end();
  }
  guard.check(request);
  const route = findRoute(request.method ?? '', url.pathname);
  if (route !== null) {
    await data();
    const sent = await route.handle({ context, request, response, url, parameters: route.parameters });
    if (sent !== undefined) sendJson(response, sent, 200);
    return;
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') throw new RequestError('not_found', 'No such request');
  const file = url.pathname === '/' ? '/index.html' : url.pathname;
  if (!PAGE_FILE.test(file)) throw new RequestError('not_found', 'There is no such page');
  await sendFile(request, response, join(context.ports.pageFolder, file));
}

/** @throws RequestError `invalid_request` */
function urlOf({ url = '/' }: IncomingMessage): URL {
  if (url.startsWith('/') && URL.canParse(url, 'http://page')) return new URL(url, 'http://page');
  throw new RequestError('invalid_request', 'The URL of the request is invalid');
}

function findRoute(method: string, path: string): (Pick<Route, 'handle'> & Pick<RouteRequest, 'parameters'>) | null {
  for (const route of ROUTES) {
    const isMethod = route.method === method || (route.method === 'GET' && method === 'HEAD');
    const match = isMethod ? route.path.exec(path) : null;
    if (match === null) continue;
    const parameters = Object.entries(match.groups ?? {}).map(([name, value]) => [name, decode(value)]);
    return { handle: route.handle, parameters: Object.fromEntries(parameters) };
  }
  return null;
}

/** @throws RequestError `invalid_request` */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new RequestError('invalid_request', 'The URL of the request is invalid');
  }
}

function sendJson(response: ServerResponse, value: unknown, status: number): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' });
  response.end(JSON.stringify(value));
}
