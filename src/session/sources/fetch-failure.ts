import { SessionFailure } from '../ports.ts';
import { ForbiddenAddress } from './address-guard.ts';

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
export function requestFailure(error: Error & { readonly code: string }, url: string, host: string): SessionFailure {
  if (error.cause instanceof ForbiddenAddress) {
    return fetchFailure('asset_forbidden_host', url, `leads to the host ${host}, which is not a public one`);
  }
  return fetchFailure('asset_unreachable', url, `failed (${error.code})`, { isRetryable: true });
}

/** For a status that is neither a redirect nor an image. Too many requests and failures of the server may pass. */
export function statusFailure(status: number, url: string): SessionFailure {
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
