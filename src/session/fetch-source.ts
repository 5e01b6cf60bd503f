import { got, HTTPError, MaxRedirectsError, type OptionsInit, RequestError, TimeoutError } from 'got';
import { SessionFailure } from './ports.ts';

/** What a fetch may cost. */
export interface FetchLimits {
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly maxRedirects: number;
}

/** @see service-contract, "Default limits" */
export const DEFAULT_FETCH_LIMITS: FetchLimits = { timeoutMs: 30_000, maxBytes: 50_000_000, maxRedirects: 3 };

/**
 * Fetches an http(s) URL into memory. EDGE.
 *
 * @param agent where connections come from: the place for a guard that looks at addresses as they are connected to
 * @throws SessionFailure `asset_unreachable`, `asset_too_large`; its text never holds the URL's query
 */
export async function fetchSource(
  url: string,
  signal: AbortSignal,
  limits: FetchLimits = DEFAULT_FETCH_LIMITS,
  agent: NonNullable<OptionsInit['agent']> = {},
): Promise<Uint8Array> {
  const request = got.stream(url, {
    agent,
    signal,
    maxRedirects: limits.maxRedirects,
    timeout: { request: limits.timeoutMs },
    retry: { limit: 0 },
    headers: { 'user-agent': 'reelform', accept: 'image/*' },
  });
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      sizeBytes += chunk.length;
      if (sizeBytes > limits.maxBytes) {
        throw failure('asset_too_large', url, `is larger than ${limits.maxBytes / 1_000_000} MB`, false);
      }
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof SessionFailure) throw error;
    if (!(error instanceof RequestError)) throw error;
    throw failure('asset_unreachable', url, whatHappened(error, limits), isRetryable(error));
  } finally {
    request.destroy();
  }
  return Buffer.concat(chunks);
}

function whatHappened(error: RequestError, limits: FetchLimits): string {
  if (error instanceof HTTPError) return `answered ${error.response.statusCode}`;
  if (error instanceof TimeoutError) return `took longer than ${limits.timeoutMs / 1000} s`;
  if (error instanceof MaxRedirectsError) return `redirects more than ${limits.maxRedirects} times`;
  return `failed (${error.code})`;
}

function isRetryable(error: RequestError): boolean {
  if (error instanceof HTTPError) return error.response.statusCode === 429 || error.response.statusCode >= 500;
  return !(error instanceof MaxRedirectsError);
}

function failure(
  code: 'asset_unreachable' | 'asset_too_large',
  url: string,
  what: string,
  retryable: boolean,
): SessionFailure {
  const title = code === 'asset_too_large' ? 'Asset is too large' : 'Asset could not be fetched';
  return new SessionFailure({ code, title, detail: `GET ${withoutQuery(url)} ${what}`, retryable });
}

/** Queries carry signatures. */
function withoutQuery(url: string): string {
  const { protocol, host, pathname, search } = new URL(url);
  return `${protocol}//${host}${pathname}${search === '' ? '' : '?…'}`;
}
