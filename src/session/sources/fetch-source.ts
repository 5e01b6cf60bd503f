import type { Readable } from 'node:stream';
import CachePolicy from 'http-cache-semantics';
import { ByteCollector } from '../../byte-collector.ts';
import { type Sha256, sha256 } from '../../digest.ts';
import {
  followRedirects,
  type Hop,
  openResponse,
  type RequestFailed,
  type ResponseHead,
  redirectTarget,
} from '../../http/send-request.ts';
import { SessionFailure } from '../ports.ts';
import { createGuardedAgents, ForbiddenAddress, type GuardPolicy, urlProblem } from './address-guard.ts';

/** What a fetch may cost. */
export interface FetchLimits extends BodyLimits {
  /** In all, redirects too. */
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

export interface FetchPolicy extends GuardPolicy {
  readonly limits?: FetchLimits;
}

/** What one fetch asks for, where that is other than usual. */
export interface FetchOverrides extends Partial<Pick<FetchLimits, 'maxBytes' | 'timeoutMs'>> {
  /** Of the request. */
  readonly accept?: string;
}

/** What a server said of the version that it gave, to ask it later whether that is still the one. */
export interface Validators {
  /** Of the URL that answered, at the end of all redirects: another server's ETag says nothing. */
  readonly answeredBy: Sha256;
  readonly etag: string | null;
  readonly lastModified: string | null;
}

export type FetchAnswer =
  | { readonly status: 'fetched'; readonly bytes: Buffer; readonly validators: Validators; readonly freshMs: number }
  /** What the validators were of is still what is there. */
  | { readonly status: 'unchanged'; readonly freshMs: number };

/**
 * Fetches an http(s) URL into memory. `freshMs`: how long the server said that nobody has to ask again.
 *
 * @param options.known asks whether these still hold
 * @throws SessionFailure `asset_forbidden_host`, `asset_unreachable`, `asset_too_large`; its text never holds the URL's query
 * @throws the signal's reason, when it is aborted
 */
export type FetchSource = (
  url: string,
  signal: AbortSignal,
  options?: FetchOverrides & { readonly known?: Validators | null | undefined },
) => Promise<FetchAnswer>;

interface Wanted {
  /** The URL that the client gave. */
  readonly given: string;
  readonly known: Validators | null;
  readonly accept: string;
  readonly limits: FetchLimits;
}

/** A client that asks public hosts alone, unless its policy names others, within limits. */
export function createFetch(policy: FetchPolicy): FetchSource {
  const usual = policy.limits ?? DEFAULT_FETCH_LIMITS;
  const agents = createGuardedAgents(policy);

  /** Answers with where to go on, or with what there is. */
  const ask = async (url: URL, signal: AbortSignal, wanted: Wanted): Promise<Hop<FetchAnswer>> => {
    const { given, known, accept, limits } = wanted;
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
      if (status !== 200 && status !== 203) throw statusFailure(status, given);
      if (lengthOf(response) > limits.maxBytes) throw new BodyRefused('too_large');
      const bytes = await readBody(body, limits);
      const validators = { answeredBy, etag: headers.etag ?? null, lastModified: headers['last-modified'] ?? null };
      return { result: { status: 'fetched', bytes, validators, freshMs } };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof BodyRefused) throw bodyFailure(error, given, limits);
      const failed = error as Error & { readonly code?: unknown };
      throw typeof failed.code === 'string' ? requestFailure(failed as RequestFailed, given, url.host) : error;
    } finally {
      body?.destroy();
    }
  };

  return async (given, signal, { known = null, accept = 'image/*', ...special } = {}) => {
    signal.throwIfAborted();
    const limits = { ...usual, ...special };
    const deadline = startDeadline(signal, limits.timeoutMs);
    try {
      const found = await followRedirects(given, limits.maxRedirects, async (next, redirects) => {
        const url = checkedUrl(given, next, policy);
        const hop = await ask(url, deadline.signal, { given, known, accept, limits });
        // Anybody on the way may lead elsewhere at any time.
        return redirects === 0 || !('result' in hop) ? hop : { result: { ...hop.result, freshMs: 0 } };
      });
      if (found !== null) return found;
      throw fetchFailure('asset_unreachable', given, `redirects more than ${limits.maxRedirects} times`);
    } catch (error) {
      signal.throwIfAborted();
      if (!deadline.signal.aborted) throw error;
      const what = `took longer than ${limits.timeoutMs / 1000} s`;
      throw fetchFailure('asset_unreachable', given, what, { isRetryable: true });
    } finally {
      deadline.clear();
    }
  };
}

function checkedUrl(given: string, text: string, policy: GuardPolicy): URL {
  if (!URL.canParse(text)) throw fetchFailure('asset_forbidden_host', given, 'leads to what is no URL');
  const url = new URL(text);
  const problem = urlProblem(url, policy);
  if (problem === null) return url;
  if (given === text) throw fetchFailure('asset_forbidden_host', given, problem);
  throw fetchFailure('asset_forbidden_host', given, `redirects to a URL that ${problem}`);
}

/** What the server says that the body has; 0 where that says nothing of what will come out of it. */
function lengthOf({ headers }: ResponseHead): number {
  return headers['content-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : 0;
}

function conditionsOf({ etag, lastModified }: Validators): Record<string, string> {
  return {
    ...(etag === null ? {} : { 'if-none-match': etag }),
    ...(lastModified === null ? {} : { 'if-modified-since': lastModified }),
  };
}

/** A 304 says of what it confirms what the 200 would have said. No guesses from the age of a file. @see RFC 9111, 4.2 */
function freshnessOf(url: URL, { headers }: ResponseHead): number {
  const request = { url: url.href, method: 'GET', headers: {} };
  const policy = new CachePolicy(request, { status: 200, headers }, { shared: true, cacheHeuristic: 0 });
  return policy.storable() ? Math.max(0, policy.timeToLive()) : 0;
}

function bodyFailure({ reason }: BodyRefused, url: string, limits: FetchLimits): Error {
  if (reason === 'too_large') {
    return fetchFailure('asset_too_large', url, `is larger than ${limits.maxBytes / 1_000_000} MB`);
  }
  const what = `sends less than ${limits.minBytesPerWindow} bytes in ${limits.windowMs / 1000} s`;
  return fetchFailure('asset_unreachable', url, what, { isRetryable: true });
}

/** Ends with the signal, or with the time. */
function startDeadline(signal: AbortSignal, timeoutMs: number): { readonly signal: AbortSignal; clear(): void } {
  const controller = new AbortController();
  const end = (): void => controller.abort();
  const timer = setTimeout(end, timeoutMs);
  signal.addEventListener('abort', end, { once: true });
  return {
    signal: controller.signal,
    clear() {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
    },
  };
}

const TITLES = {
  asset_forbidden_host: 'Asset is on a host that may not be asked',
  asset_too_large: 'Asset is too large',
  asset_unreachable: 'Asset could not be fetched',
} as const;

const LONGEST_TOLD = 300;

/**
 * Why a URL could not be had, in words that its owner may read: never the URL's query, user or password, nor what a name
 * was resolved to.
 *
 * @param url as the client gave it
 */
export function fetchFailure(
  code: keyof typeof TITLES,
  url: string,
  what: string,
  { isRetryable = false, cause }: { readonly isRetryable?: boolean; readonly cause?: unknown } = {},
): SessionFailure {
  const detail = `GET ${tellable(url)} ${what}`;
  return new SessionFailure({ code, title: TITLES[code], detail, retryable: isRetryable }, cause);
}

/** What stands in the way of a URL, whose host is the one asked last. */
function requestFailure(error: Error & { readonly code: string }, url: string, host: string): SessionFailure {
  if (error.cause instanceof ForbiddenAddress) {
    return fetchFailure('asset_forbidden_host', url, `leads to the host ${host}, which is not a public one`);
  }
  return fetchFailure('asset_unreachable', url, `failed (${error.code})`, { isRetryable: true });
}

/** For a status that is neither a redirect nor an image. Too many requests and failures of the server may pass. */
function statusFailure(status: number, url: string): SessionFailure {
  return fetchFailure('asset_unreachable', url, `answered ${status}`, { isRetryable: status === 429 || status >= 500 });
}

/** Queries carry signatures; of anything but http and https only the protocol is told. */
function tellable(text: string): string {
  if (!URL.canParse(text)) return 'of a text that is no URL';
  const { protocol, host, pathname, search } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:') return `${protocol}…`;
  const told = `${protocol}//${host}${pathname}`;
  return `${told.length > LONGEST_TOLD ? `${told.slice(0, LONGEST_TOLD)}…` : told}${search === '' ? '' : '?…'}`;
}

/** What receiving a body may cost. */
interface BodyLimits {
  /** As it is after decompression. */
  readonly maxBytes: number;
  /** How much has to come in each window. */
  readonly minBytesPerWindow: number;
  readonly windowMs: number;
}

/** Why a body was given up. */
class BodyRefused extends Error {
  readonly reason: 'too_large' | 'too_slow';

  constructor(reason: 'too_large' | 'too_slow') {
    super(reason);
    this.reason = reason;
  }
}

/**
 * Receives a body whole. What is counted is what comes out of the stream, so that a small answer cannot unfold into a
 * large one, and a sender that drips is not waited for.
 *
 * @throws BodyRefused; the stream is destroyed then
 */
async function readBody(stream: Readable, limits: BodyLimits): Promise<Buffer> {
  const body = new ByteCollector();
  let windowBytes = 0;
  let isSlow = false;
  const timer = setInterval(() => {
    isSlow ||= windowBytes < limits.minBytesPerWindow;
    windowBytes = 0;
    if (isSlow) stream.destroy();
  }, limits.windowMs);
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      windowBytes += chunk.length;
      if (body.length + chunk.length > limits.maxBytes) throw new BodyRefused('too_large');
      body.add(chunk);
    }
  } catch (error) {
    throw isSlow ? new BodyRefused('too_slow') : error;
  } finally {
    clearInterval(timer);
    stream.destroy();
  }
  return body.bytes();
}
