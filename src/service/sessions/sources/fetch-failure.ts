import { SessionFailure } from '../ports.ts';

/** Titles of the errors of a fetch. */
export const TITLES = {
  asset_forbidden_host: 'The host of the asset is not allowed',
  asset_too_large: 'The asset is too large',
  asset_unreachable: 'The asset could not be fetched',
} as const;

const MAX_DETAIL_LENGTH = 300;

/**
 * Creates the error of a failed fetch without the URL's query, user or password, and without resolved addresses.
 *
 * @param url as sent by the client
 */
export function fetchFailure(
  code: keyof typeof TITLES,
  url: string,
  what: string,
  { isRetryable = false, cause }: { readonly isRetryable?: boolean; readonly cause?: unknown } = {},
): SessionFailure {
  const detail = `GET ${printableUrl(url)} ${what}`;
  return new SessionFailure({ code, title: TITLES[code], detail, retryable: isRetryable }, cause);
}

/** Describes a response for the error about its content. */
export function describeResponse(url: string, contentType: string | null): string {
  return `GET ${printableUrl(url)} returned ${contentType ?? 'no content type'}`;
}

/** Hides the query, which may contain signatures, and everything but the protocol of other URLs. */
function printableUrl(text: string): string {
  if (!URL.canParse(text)) return 'of an invalid URL';
  const { protocol, host, pathname, search } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:') return `${protocol}…`;
  const withoutQuery = `${protocol}//${host}${pathname}`;
  const isLong = withoutQuery.length > MAX_DETAIL_LENGTH;
  return `${isLong ? `${withoutQuery.slice(0, MAX_DETAIL_LENGTH)}…` : withoutQuery}${search === '' ? '' : '?…'}`;
}
