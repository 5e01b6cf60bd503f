import type { Repeatability } from '../http/retry.ts';
import { followRedirects, redirectTarget } from '../http/send-request.ts';
import { isRecord } from '../json.ts';
import { ForgeError } from './forge-error.ts';
import {
  type ForgeAnswer,
  type ForgeRequest,
  isPassing,
  limitMs,
  retryWaitMs,
  type Sent,
  sendOnce,
} from './forge-request.ts';

/** Clock and randomness of a client. */
export interface ForgeClock {
  /** Milliseconds since the epoch. */
  now(): number;
  wait(milliseconds: number): Promise<void>;
  /** 0..1 */
  random(): number;
}

export interface ForgeClient {
  /**
   * Sends a request. Repeats it when that is safe, and waits for rate limits that end soon.
   *
   * @param url absolute, or a path below the base URL
   * @param body sent as JSON
   * @returns an answer with a status from 200 to 299
   * @throws ForgeError for any other answer
   */
  send(
    method: ForgeRequest['method'],
    url: string,
    options?: { readonly body?: unknown; readonly repeatability?: Repeatability },
  ): Promise<ForgeAnswer>;
  /** Returns the items of all pages of a list. */
  list(path: string): Promise<readonly Record<string, unknown>[]>;
}

const MAX_REDIRECTS = 3;
/** Lists with a hundred items per page are never longer for our requests. */
const MAX_PAGES = 300;

/**
 * Opens a client of one forge. The token is sent only to the forge's origin. It is not contained in anything that the
 * client throws or returns, and not visible when the client is inspected.
 *
 * @param name of the forge, for errors
 * @param baseUrl without a trailing slash
 * @throws ForgeError `forge_refused` for an unencrypted address, and for an invalid token
 */
export function openForgeClient(options: {
  readonly name: string;
  readonly baseUrl: string;
  readonly token: string;
  /** Returns the headers of every request, including the one with the token. */
  readonly headers: (token: string) => Readonly<Record<string, string>>;
  readonly clock: ForgeClock;
}): ForgeClient {
  const { name, baseUrl, token, clock } = options;
  if (!URL.canParse(baseUrl) || !isPrivate(baseUrl)) {
    throw new ForgeError(
      'forge_refused',
      `The URL of ${name} does not start with https://: the token would be sent unencrypted`,
      {
        hint: 'Check GITHUB_API_URL and GITHUB_GRAPHQL_URL, or CI_API_V4_URL',
      },
    );
  }
  const { origin } = new URL(baseUrl);
  if (!/^[!-~]+$/.test(token)) {
    throw new ForgeError('forge_refused', `The token for ${name} contains invalid characters`, {
      hint: 'Check that it was copied completely, without extra characters',
    });
  }
  const clean = (text: string): string => text.replaceAll(token, '…').replaceAll(encodeURIComponent(token), '…');

  async function exchange(request: ForgeRequest, repeatability: Repeatability): Promise<Sent> {
    for (let retries = 0; ; retries++) {
      const sent = await sendOnce(request);
      if (sent.kind === 'answer' && sent.answer.status < 300 && limitMs(sent.answer, clock.now()) === null) return sent;
      const wait = retryWaitMs(sent, repeatability, { retries, now: clock.now(), jitter: clock.random() });
      if (wait === null) return sent;
      await clock.wait(wait);
    }
  }

  async function send(
    method: ForgeRequest['method'],
    path: string,
    { body, repeatability = method === 'POST' ? 'once' : 'safe' }: Parameters<ForgeClient['send']>[2] = {},
  ): Promise<ForgeAnswer> {
    const first = path.startsWith('/') ? `${baseUrl}${path}` : path;
    const answer = await followRedirects<ForgeAnswer>(first, MAX_REDIRECTS, async (url) => {
      const what = `${method} ${pathOf(url)}`;
      if (new URL(url).origin !== origin) {
        throw new ForgeError(
          'forge_answer_invalid',
          `${what}: ${name} redirected to another host; the token was not sent there`,
        );
      }
      const headers = {
        ...options.headers(token),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      };
      const text = body === undefined ? undefined : JSON.stringify(body);
      const sent = await exchange({ method, url, headers, body: text }, repeatability);
      if (sent.kind !== 'answer') throw noAnswer(name, what, sent);
      const result = { ...sent.answer, text: clean(sent.answer.text) };
      const { status } = result;
      if (status < 300 && limitMs(result, clock.now()) === null) return { result };
      const redirectedTo = redirectTarget(result, url);
      // 301 and 302 may change another method to GET; 303 does.
      const isFollowed = status !== 303 && (method === 'GET' || status > 302);
      if (redirectedTo === null || !isFollowed || !URL.canParse(redirectedTo)) {
        throw refusal(name, what, result, clock.now());
      }
      return { redirectedTo };
    });
    if (answer !== null) return answer;
    throw new ForgeError('forge_answer_invalid', `${method} ${pathOf(first)}: ${name} returned too many redirects`);
  }

  return {
    send,
    async list(path) {
      const items: Record<string, unknown>[] = [];
      let next: string | null = path;
      for (let page = 0; next !== null; page++) {
        if (page === MAX_PAGES)
          throw new ForgeError('forge_answer_invalid', `GET ${pathOf(path)}: the list is too long`);
        const answer: ForgeAnswer = await send('GET', next);
        const value = readJson(answer, `GET ${pathOf(next)}`, name);
        // GitHub's searches and check runs wrap their items in an object.
        const found = isRecord(value) ? Object.values(value).find(Array.isArray) : value;
        if (!Array.isArray(found))
          throw new ForgeError('forge_answer_invalid', `GET ${pathOf(next)}: the response is not a list`);
        items.push(...found.filter(isRecord));
        next = nextPage(answer.headers.link);
      }
      return items;
    },
  };
}

/** Parses the JSON of an answer. */
export function readJson({ text }: ForgeAnswer, what: string, name: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ForgeError('forge_answer_invalid', `${what}: the response of ${name} is not JSON`);
  }
}

/** Returns the URL of the next page. @see RFC 8288 */
export function nextPage(header: string | string[] | undefined): string | null {
  const text = Array.isArray(header) ? header.join(', ') : (header ?? '');
  for (const [, url, parameters] of text.matchAll(/<([^>]*)>([^<]*)/g)) {
    if (/;\s*rel="?next"?\b/.test(parameters!)) return url!;
  }
  return null;
}

/** Accepts encrypted connections, and those that stay on this machine. */
function isPrivate(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || (protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(hostname));
}

/** Removes the query from messages: it may be long or secret. */
function pathOf(url: string): string {
  return url.startsWith('/') ? url.replace(/\?.*$/s, '') : new URL(url).pathname;
}

function noAnswer(name: string, what: string, sent: Exclude<Sent, { kind: 'answer' }>): ForgeError {
  if (sent.kind === 'too_large')
    return new ForgeError('forge_answer_invalid', `${what}: the response of ${name} is too large`);
  return new ForgeError('forge_unreachable', `${what}: ${name} did not respond: ${sent.code}`, {
    isUnclear: sent.kind === 'unanswered',
  });
}

function refusal(name: string, what: string, answer: ForgeAnswer, now: number): ForgeError {
  const { status } = answer;
  const limit = limitMs(answer, now);
  if (limit !== null) {
    const seconds = Math.ceil(limit / 1000);
    return new ForgeError('forge_limited', `${what}: rate limit of ${name}, for another ${seconds} s`, { status });
  }
  const hint = HINTS[status];
  return new ForgeError('forge_refused', `${what}: ${name} returned ${status}${reasonOf(answer.text)}`, {
    status,
    // After a gateway error the request may still be running.
    isUnclear: isPassing(status),
    ...(hint === undefined ? {} : { hint }),
  });
}

const HINTS: Readonly<Record<number, string>> = {
  401: 'Check that the token is right and has not expired',
  403: 'Check the permissions of the job; the token of a pull request from a fork is read-only',
  404: 'Check the name of the repository and the number; a token without read access also gets this response',
};

/** Returns a refusal's own message, shortened to one line. */
function reasonOf(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    if (!isRecord(value)) return '';
    const details = Array.isArray(value.errors) ? value.errors : [];
    const words = [value.message, ...details.map((detail) => (isRecord(detail) ? detail.message : detail))]
      .filter((message) => typeof message === 'string')
      .join('; ')
      .replaceAll(/[\s\p{C}]+/gu, ' ');
    return words === '' ? '' : `: ${words.slice(0, 300).toWellFormed()}`;
  } catch {
    return '';
  }
}
