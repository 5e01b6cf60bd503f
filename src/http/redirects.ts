import type { AnswerHead } from './send-request.ts';

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** What one request came to: a result, or the URL that it was redirected to. */
export type Hop<T> = { readonly result: T } | { readonly redirectedTo: string };

/**
 * Follows redirects. `ask` is called for each URL in turn, and decides by itself whether it may be requested at all.
 *
 * @param ask given the URL, which may be any text, and how many redirects led to it
 * @returns null when there were more than `maxRedirects`
 */
export async function followRedirects<T>(
  first: string,
  maxRedirects: number,
  ask: (url: string, redirects: number) => Promise<Hop<T>>,
): Promise<T | null> {
  let url = first;
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    const hop = await ask(url, redirects);
    if ('result' in hop) return hop.result;
    url = hop.redirectedTo;
  }
  return null;
}

/**
 * Returns where an answer redirects to: a URL, or the text of the Location where that is none; null when the answer is no
 * redirect.
 */
export function redirectTarget({ status, headers: { location } }: AnswerHead, base: string | URL): string | null {
  if (!REDIRECTS.has(status) || location === undefined) return null;
  // Header texts are bytes; those of a URL are UTF-8 where they are not ASCII.
  const text = Buffer.from(location, 'latin1').toString();
  return URL.canParse(text, String(base)) ? new URL(text, base).href : text;
}
