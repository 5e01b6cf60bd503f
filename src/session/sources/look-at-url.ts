import { once } from 'node:events';
import { got, type PlainResponse } from 'got';
import type { LookAtUrl, UrlLook } from '../../service/url-look.ts';
import { createGuardedAgents, type GuardPolicy, urlProblem } from './address-guard.ts';

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const MAX_REDIRECTS = 3;
/** Milliseconds for one request, its connection included. */
const TIMEOUT_MS = 10_000;

/** Connects to what the policy allows alone, on every redirect anew. Sends no token, and reads no body. EDGE. */
export function createUrlLook(policy: GuardPolicy): LookAtUrl {
  const agent = createGuardedAgents(policy);

  const ask = async (url: URL, method: 'HEAD' | 'GET', signal: AbortSignal): Promise<PlainResponse> => {
    const stream = got.stream(url, {
      method,
      agent,
      signal,
      headers: {
        'user-agent': 'reelform',
        'accept-encoding': 'identity',
        ...(method === 'GET' && { range: 'bytes=0-0' }),
      },
      followRedirect: false,
      throwHttpErrors: false,
      retry: { limit: 0 },
      timeout: { request: TIMEOUT_MS },
      enableUnixSockets: false,
    });
    // One that comes after we have turned away.
    stream.on('error', () => {});
    try {
      const [response] = (await once(stream, 'response')) as [PlainResponse];
      return response;
    } finally {
      stream.destroy();
    }
  };

  const look = async (given: string, signal: AbortSignal): Promise<UrlLook> => {
    let text = given;
    for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
      if (!URL.canParse(text)) return unclear('it leads to what is no URL');
      const url = new URL(text);
      const problem = urlProblem(url, policy);
      if (problem !== null) return unclear(`it ${problem}`);
      let response = await ask(url, 'HEAD', signal);
      // A server that has no HEAD, and a URL that is signed for GET alone, say so in many ways.
      if (response.statusCode >= 400 && !isGone(response.statusCode)) response = await ask(url, 'GET', signal);
      const { statusCode, headers } = response;
      if (isGone(statusCode)) return { kind: 'gone', status: statusCode };
      if (REDIRECTS.has(statusCode) && headers.location !== undefined) {
        text = URL.canParse(headers.location, url.href) ? new URL(headers.location, url.href).href : headers.location;
        continue;
      }
      if (statusCode < 200 || statusCode > 299) return unclear(`the server answered ${statusCode}`);
      let bytes = sizeIn(response);
      // Some servers answer HEAD with 0 for every file.
      if (bytes === 0) bytes = sizeIn(await ask(url, 'GET', signal));
      const validator = headers.etag ?? headers['last-modified'] ?? null;
      return { kind: 'there', validator, ...(bytes !== undefined && { bytes }) };
    }
    return unclear(`it redirects more than ${MAX_REDIRECTS} times`);
  };

  return async (url, signal) => {
    signal.throwIfAborted();
    try {
      return await look(url, signal);
    } catch (error) {
      signal.throwIfAborted();
      return unclear(reasonOf(error as NodeJS.ErrnoException));
    }
  };
}

/** The size of the whole file, in bytes, as far as an answer tells it. @see RFC 9110, 8.6 and 14.4 */
function sizeIn({ statusCode, headers }: PlainResponse): number | undefined {
  const isRange = statusCode === 206 || statusCode === 416;
  const text = isRange ? /^bytes .*\/(\d+)$/.exec(headers['content-range'] ?? '')?.[1] : headers['content-length'];
  const isEncoded = ![undefined, 'identity'].includes(headers['content-encoding']);
  return text === undefined || isEncoded || !/^\d{1,15}$/.test(text) ? undefined : Number(text);
}

function isGone(status: number): boolean {
  return status === 404 || status === 410;
}

function unclear(why: string): UrlLook {
  return { kind: 'unclear', why };
}

function reasonOf({ code, cause }: NodeJS.ErrnoException): string {
  const inner = (cause as NodeJS.ErrnoException | undefined)?.code ?? code;
  return inner === 'EFORBIDDENADDRESS' ? 'its address is not a public one' : `the server did not answer (${inner})`;
}
