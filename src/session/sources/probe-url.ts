import {
  followRedirects,
  type Hop,
  openResponse,
  type RequestFailed,
  type ResponseHead,
  redirectTarget,
} from '../../http/send-request.ts';
import type { ProbeUrl, UrlProbe } from '../../service/urls.ts';
import { createGuardedAgents, type GuardPolicy, urlProblem } from './address-guard.ts';

const MAX_REDIRECTS = 3;
/** Milliseconds for one request, its connection included. */
const TIMEOUT_MS = 10_000;

/** Creates a probe that checks each redirect against the policy, sends no token and reads no body. */
export function createUrlProbe(policy: GuardPolicy): ProbeUrl {
  const agents = createGuardedAgents(policy);

  const ask = async (url: URL, method: 'HEAD' | 'GET', signal: AbortSignal): Promise<ResponseHead> => {
    const headers: Record<string, string> = method === 'GET' ? { range: 'bytes=0-0' } : {};
    const response = await openResponse({ method, url, headers, agents, signal, totalMs: TIMEOUT_MS });
    response.body.destroy();
    return response;
  };

  const look = async (text: string, signal: AbortSignal): Promise<Hop<UrlProbe>> => {
    if (!URL.canParse(text)) return unclear('it redirected to an invalid URL');
    const url = new URL(text);
    const problem = urlProblem(url, policy);
    if (problem !== null) return unclear(`it ${problem}`);
    let response = await ask(url, 'HEAD', signal);
    // Servers without HEAD, and URLs signed only for GET, answer with various errors.
    if (response.status >= 400 && !isGone(response.status)) response = await ask(url, 'GET', signal);
    const { status, headers } = response;
    if (isGone(status)) return { result: { kind: 'gone', status } };
    const redirectedTo = redirectTarget(response, url);
    if (redirectedTo !== null) return { redirectedTo };
    if (status < 200 || status > 299) return unclear(`the server returned ${status}`);
    let bytes = sizeIn(response);
    // Some servers report length 0 in every HEAD.
    if (bytes === 0) bytes = sizeIn(await ask(url, 'GET', signal));
    const validator = headers.etag ?? headers['last-modified'] ?? null;
    return { result: { kind: 'there', validator, ...(bytes !== undefined && { bytes }) } };
  };

  return async (url, signal) => {
    signal.throwIfAborted();
    try {
      const found = await followRedirects(url, MAX_REDIRECTS, (text) => look(text, signal));
      return found ?? unclear(`it redirected more than ${MAX_REDIRECTS} times`).result;
    } catch (error) {
      signal.throwIfAborted();
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
  return code === 'EFORBIDDENADDRESS' ? 'its address is not public' : `the server did not respond (${code})`;
}
