import type { Readable } from 'node:stream';
import CachePolicy from 'http-cache-semantics';
import type { ProbeUrl, UrlProbe } from '../../../contract/urls.ts';
import { defined } from '../../../kernel/defined.ts';
import { type Sha256, sha256 } from '../../../kernel/digest.ts';
import { PROXY_UNCHECKED, proxyReason } from '../../../kernel/http/proxy.ts';
import {
  followRedirects,
  type Hop,
  openResponse,
  type RequestFailed,
  type ResponseHead,
  redirectTarget,
  retryAfterMs,
} from '../../../kernel/http/send-request.ts';
import { SessionFailure } from '../ports.ts';
import { createGuardedAgents, ForbiddenAddress, type GuardPolicy, urlProblem } from './address-guard.ts';
import { fetchFailure, TITLES } from './fetch-failure.ts';
import { ALL_HOSTS, type HeldTurns, type PoliteHosts, WaitRequested } from './polite-hosts.ts';
import { type BodyLimits, inMemory, type OpenSink, readBody, SinkFailure, tooLarge } from './read-body.ts';

/** Limits of a fetch. */
export interface FetchLimits extends BodyLimits {
  /** Milliseconds in total, including redirects. */
  readonly timeoutMs: number;
  readonly maxRedirects: number;
}

/** @see service-contract, "Default limits" */
export const DEFAULT_FETCH_LIMITS: FetchLimits = {
  timeoutMs: 30_000,
  maxBytes: 50_000_000,
  maxRedirects: 3,
  minBytesPerWindow: 5_000,
  windowMs: 5_000,
};

interface FetchPolicy extends GuardPolicy {
  readonly limits?: FetchLimits;
  /** Those of the process when absent. */
  readonly hosts?: PoliteHosts;
}

/** Deviations of one fetch from the usual limits. */
export interface FetchOverrides extends Partial<Pick<FetchLimits, 'maxBytes' | 'timeoutMs'>> {
  readonly accept?: string;
  /** None when absent. */
  readonly turns?: HeldTurns;
}

/** Validators of a fetched version, for conditional requests. */
export interface Validators {
  /** Digest of the final URL after redirects: an ETag is only valid for the server that sent it. */
  readonly answeredBy: Sha256;
  readonly etag: string | null;
  readonly lastModified: string | null;
}

export type FetchAnswer<Bytes = Buffer> =
  | {
      readonly status: 'fetched';
      readonly bytes: Bytes;
      readonly validators: Validators;
      readonly freshMs: number;
      /** As declared by the server, without parameters; null if it declared none that is valid. */
      readonly contentType: string | null;
    }
  /** The version of the validators is still current. */
  | { readonly status: 'unchanged'; readonly freshMs: number };

/**
 * Fetches an http(s) URL. `freshMs`: how long the server declared the answer fresh.
 *
 * @param options.known validators for a conditional request
 * @param options.into where the body goes; into memory by default
 * @throws SessionFailure `asset_forbidden_host`, `asset_unreachable`, `asset_too_large`, without the URL's query
 * @throws the signal's reason when it is aborted
 */
export type FetchSource = <Bytes = Buffer>(
  url: string,
  signal: AbortSignal,
  options?: FetchOptions<Bytes>,
) => Promise<FetchAnswer<Bytes>>;

interface FetchOptions<Bytes> extends FetchOverrides {
  readonly known?: Validators | null | undefined;
  readonly into?: OpenSink<Bytes> | undefined;
}

interface Wanted<Bytes> {
  readonly openSink: OpenSink<Bytes>;
  /** The URL of the client's request. */
  readonly given: string;
  readonly known: Validators | null;
  readonly accept: string;
  readonly limits: FetchLimits;
}

/** Creates a client that only contacts public hosts and those that its policy allows, and retries passing failures. */
export function createFetch(policy: FetchPolicy): FetchSource {
  const fetchOnce = createSingleFetch(policy);
  const hosts = policy.hosts ?? ALL_HOSTS;
  return (given, signal, options) => hosts.run('', signal, (turns) => fetchOnce(given, signal, { ...options, turns }));
}

/** Creates a client as `createFetch` does, without retries. It has to run in `PoliteHosts.run`. */
export function createSingleFetch(policy: FetchPolicy): FetchSource {
  const usual = policy.limits ?? DEFAULT_FETCH_LIMITS;
  const hosts = policy.hosts ?? ALL_HOSTS;
  const agents = createGuardedAgents(policy);

  /** Requests one URL and returns its redirect or its result. */
  const ask = async <Bytes>(url: URL, signal: AbortSignal, wanted: Wanted<Bytes>): Promise<Hop<FetchAnswer<Bytes>>> => {
    const { given, known, accept, limits, openSink } = wanted;
    const answeredBy = sha256(url.href);
    const conditions = known?.answeredBy === answeredBy ? conditionsOf(known) : {};
    const isConditional = Object.keys(conditions).length > 0;
    let body: Readable | null = null;
    try {
      const connectMs = limits.timeoutMs;
      const response = await openResponse({
        method: 'GET',
        url,
        agents,
        signal,
        connectMs,
        headers: { accept, ...conditions },
      });
      body = response.body;
      const { status, headers } = response;
      const redirectedTo = redirectTarget(response, url);
      if (redirectedTo !== null) return { redirectedTo };
      const freshMs = freshnessOf(url, response);
      if (status === 304 && isConditional) return { result: { status: 'unchanged', freshMs } };
      if (status !== 200 && status !== 203) {
        const failure = statusFailure(status, given);
        throw asksToWait(status) ? waitRequested(failure, url, headers) : failure;
      }
      if (lengthOf(response) > limits.maxBytes) throw tooLarge(given, limits);
      const bytes = await readBody(body, given, { ...limits, openSink });
      const validators = { answeredBy, etag: headers.etag ?? null, lastModified: headers['last-modified'] ?? null };
      const contentType = mediaTypeIn(headers['content-type']);
      return { result: { status: 'fetched', bytes, validators, freshMs, contentType } };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof SessionFailure) throw error;
      if (error instanceof SinkFailure) throw error.cause;
      const failed = error as Error & { readonly code?: unknown };
      throw typeof failed.code === 'string' ? requestFailure(failed as RequestFailed, given, url.host) : error;
    } finally {
      body?.destroy();
    }
  };

  const fetchOnce: FetchSource = async <Bytes>(
    given: string,
    signal: AbortSignal,
    options: FetchOptions<Bytes> = {},
  ) => {
    const { known = null, accept = 'image/*', turns = [], into, ...special } = options;
    signal.throwIfAborted();
    const limits = { ...usual, ...special };
    const openSink = into ?? ((() => inMemory()) as OpenSink<unknown> as OpenSink<Bytes>);
    const deadline = AbortSignal.timeout(limits.timeoutMs);
    const signalOrDeadline = AbortSignal.any([signal, deadline]);
    try {
      const found = await followRedirects(given, limits.maxRedirects, async (next, redirects) => {
        const url = checkedUrl(given, next, policy);
        hosts.admit(url.host, turns);
        const hop = await ask(url, signalOrDeadline, { given, known, accept, limits, openSink });
        hosts.noteAnswer(url.host);
        // Any redirect may change at any time.
        return redirects === 0 || !('result' in hop) ? hop : { result: { ...hop.result, freshMs: 0 } };
      });
      if (found !== null) return found;
      throw fetchFailure('asset_unreachable', given, `redirected more than ${limits.maxRedirects} times`);
    } catch (error) {
      signal.throwIfAborted();
      if (!deadline.aborted) throw error;
      const what = `took longer than ${limits.timeoutMs / 1000} s`;
      throw fetchFailure('asset_unreachable', given, what, { isRetryable: true });
    }
  };
  return fetchOnce;
}

function checkedUrl(given: string, text: string, policy: GuardPolicy): URL {
  if (!URL.canParse(text)) throw fetchFailure('asset_forbidden_host', given, 'redirected to an invalid URL');
  const url = new URL(text);
  const problem = urlProblem(url, policy);
  if (problem === null) return url;
  if (given === text) throw fetchFailure('asset_forbidden_host', given, problem);
  throw fetchFailure('asset_forbidden_host', given, `redirected to a URL that ${problem}`);
}

/** Returns the announced length, or 0 if the body is encoded. */
function lengthOf({ headers }: ResponseHead): number {
  return headers['content-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : 0;
}

/** @see RFC 9110, 8.3.1 */
function mediaTypeIn(header = ''): string | null {
  return /^\s*([\w!#$&^.+-]{1,60}\/[\w!#$&^.+-]{1,60})\s*(?:;|$)/.exec(header)?.[1]?.toLowerCase() ?? null;
}

function conditionsOf({ etag, lastModified }: Validators): Record<string, string> {
  return {
    ...(etag === null ? {} : { 'if-none-match': etag }),
    ...(lastModified === null ? {} : { 'if-modified-since': lastModified }),
  };
}

/** Computes freshness without heuristics; the headers of a 304 apply to the confirmed version. @see RFC 9111, 4.2 */
function freshnessOf(url: URL, { headers }: ResponseHead): number {
  const request = { url: url.href, method: 'GET', headers: {} };
  const policy = new CachePolicy(request, { status: 200, headers }, { shared: true, cacheHeuristic: 0 });
  return policy.storable() ? Math.max(0, policy.timeToLive()) : 0;
}

/** Converts a request error. @param host of the last request */
function requestFailure(error: Error & { readonly code: string }, url: string, host: string): SessionFailure {
  if (error.cause instanceof ForbiddenAddress) {
    return fetchFailure('asset_forbidden_host', url, `resolves to the host ${host}, which is not public`);
  }
  if (error.code === PROXY_UNCHECKED)
    return fetchFailure('asset_forbidden_host', url, `failed: ${proxyReason(error.code)}`);
  const isRetryable = !/^PROXY_(?:INVALID|4..)$/.test(error.code);
  return fetchFailure('asset_unreachable', url, `failed (${proxyReason(error.code) ?? error.code})`, { isRetryable });
}

function asksToWait(status: number): boolean {
  return status === 429 || status === 503;
}

function waitRequested(failure: SessionFailure, { host }: URL, headers: ResponseHead['headers']): WaitRequested {
  return new WaitRequested(failure, host, retryAfterMs(headers['retry-after'], Date.now()) ?? 0);
}

/** Converts an unexpected status. 429 and 5xx are retryable. */
function statusFailure(status: number, url: string): SessionFailure {
  return fetchFailure('asset_unreachable', url, `returned ${status}`, { isRetryable: status === 429 || status >= 500 });
}

const MAX_REDIRECTS = 3;
/** Milliseconds for one request, its connection included. */
const TIMEOUT_MS = 10_000;

/**
 * Creates a probe that checks each redirect against the policy, sends no token and reads no body. It waits as hosts ask, and
 * takes turns with the fetches of sources.
 */
export function createUrlProbe(policy: FetchPolicy): ProbeUrl {
  const agents = createGuardedAgents(policy);
  const hosts = policy.hosts ?? ALL_HOSTS;

  const ask = async (url: URL, method: 'HEAD' | 'GET', signal: AbortSignal): Promise<ResponseHead> => {
    const headers: Record<string, string> = method === 'GET' ? { range: 'bytes=0-0' } : {};
    const response = await openResponse({ method, url, headers, agents, signal, totalMs: TIMEOUT_MS });
    response.body.destroy();
    return response;
  };

  const probeHop = async (text: string, signal: AbortSignal, turns: HeldTurns): Promise<Hop<UrlProbe>> => {
    if (!URL.canParse(text)) return unclear('it redirected to an invalid URL');
    const url = new URL(text);
    const problem = urlProblem(url, policy);
    if (problem !== null) return unclear(`it ${problem}`);
    hosts.admit(url.host, turns);
    let response = await ask(url, 'HEAD', signal);
    // Servers without HEAD, and URLs signed only for GET, answer with various errors.
    const isRefused = response.status >= 400 && !isGone(response.status) && response.status !== 429;
    if (isRefused) response = await ask(url, 'GET', signal);
    const { status, headers } = response;
    if (asksToWait(status)) {
      const error = { code: 'asset_unreachable', title: TITLES.asset_unreachable, retryable: true } as const;
      const detail = `the server returned ${status}`;
      throw waitRequested(new SessionFailure({ ...error, detail }), url, headers);
    }
    hosts.noteAnswer(url.host);
    if (isGone(status)) return { result: { kind: 'gone', status } };
    const redirectedTo = redirectTarget(response, url);
    if (redirectedTo !== null) return { redirectedTo };
    if (status < 200 || status > 299) return unclear(`the server returned ${status}`);
    let bytes = sizeIn(response);
    // Some servers report length 0 in every HEAD.
    if (bytes === 0) bytes = sizeIn(await ask(url, 'GET', signal));
    const validator = headers.etag ?? headers['last-modified'] ?? null;
    return { result: { kind: 'there', validator, ...defined({ bytes }) } };
  };

  return async (url, signal) => {
    signal.throwIfAborted();
    try {
      const found = await hosts.run('', signal, (turns) =>
        followRedirects(url, MAX_REDIRECTS, (text) => probeHop(text, signal, turns)),
      );
      return found ?? unclear(`it redirected more than ${MAX_REDIRECTS} times`).result;
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof SessionFailure) return unclear(error.message).result;
      return unclear(reasonOf(error as RequestFailed)).result;
    }
  };
}

/** Returns the size of the file in bytes, if reported. @see RFC 9110, 8.6 and 14.4 */
function sizeIn({ status, headers }: ResponseHead): number | undefined {
  const isRange = status === 206 || status === 416;
  const text = isRange ? /^bytes .*\/(\d+)$/.exec(headers['content-range'] ?? '')?.[1] : headers['content-length'];
  const isEncoded = ![undefined, 'identity'].includes(headers['content-encoding']);
  return text === undefined || isEncoded || !/^\d{1,15}$/.test(text) ? undefined : Number(text);
}

function isGone(status: number): boolean {
  return status === 404 || status === 410;
}

function unclear(why: string): { readonly result: UrlProbe } {
  return { result: { kind: 'unclear', why } };
}

function reasonOf({ code }: RequestFailed): string {
  if (code === 'EFORBIDDENADDRESS') return 'its address is not public';
  return proxyReason(code) ?? `the server did not respond (${code})`;
}
