import { type Backoff, backoffMs } from '../../kernel/backoff.ts';
import { ReelformError } from '../../kernel/diagnostic.ts';
import { proxyReason } from '../../kernel/http/proxy.ts';
import {
  followRedirects,
  type HttpOutcome,
  type HttpRequest,
  type Repeatability,
  type ResponseHead,
  redirectTarget,
  retryAfterMs,
  sendRequest,
} from '../../kernel/http/send-request.ts';
import { isRecord, parseJson, parseRecord } from '../../kernel/json.ts';

type ForgeCode = 'forge_unreachable' | 'forge_refused' | 'forge_limited' | 'forge_answer_invalid';

/** Failure of a request to GitHub or GitLab. Neither the error nor its properties contain the token. */
export class ForgeError extends ReelformError {
  /** Status of the answer; null when there was none. */
  readonly status: number | null;
  /** Error types of GraphQL; empty for REST. */
  readonly types: readonly string[];
  /** True if the request may have succeeded: check before repeating it. */
  readonly isUnclear: boolean;

  constructor(
    code: ForgeCode,
    message: string,
    options: {
      readonly status?: number | null;
      readonly types?: readonly string[];
      readonly isUnclear?: boolean;
      readonly hint?: string | undefined;
    } = {},
  ) {
    super(code, message, { hint: options.hint });
    this.status = options.status ?? null;
    this.types = options.types ?? [];
    this.isUnclear = options.isUnclear ?? false;
  }
}

/**
 * Creates something once: if the result of a request is unclear, looks for the object before creating it again.
 *
 * @throws ForgeError
 */
export async function createOnce<T>(create: () => Promise<T>, find: () => Promise<T | undefined>): Promise<T> {
  try {
    return await create();
  } catch (error) {
    if (!(error instanceof ForgeError) || !error.isUnclear) throw error;
    return (await find()) ?? (await create());
  }
}

/** `headers` include the token. */
type ForgeRequest = Pick<HttpRequest, 'method' | 'url' | 'headers' | 'body' | 'idleMs'>;

interface ForgeAnswer extends ResponseHead {
  readonly text: string;
}

/** Maximum size of an unpacked answer: a hundred comments of 64 KiB take 7 MiB, or more with escapes. */
const MAX_ANSWER_BYTES = 48 << 20;

/** Sends one request without retries or redirects. */
export function sendOnce(request: ForgeRequest): Promise<HttpOutcome> {
  return sendRequest({ idleMs: 30_000, totalMs: 60_000, ...request }, MAX_ANSWER_BYTES);
}

/** Maximum number of repeated requests. */
const MAX_RETRIES = 4;
/** Longest rate limit that is awaited: the time of a CI job costs more than a missing comment. */
const MAX_WAIT_MS = 75_000;
/** GitHub's advice for secondary rate limits without a stated duration. */
const SECONDARY_MS = 60_000;
const BACKOFF: Backoff = { firstMs: 1000, maxMs: 8000 };

/**
 * Returns the time before the same request is repeated, in milliseconds; null to stop.
 *
 * @param retries number of earlier repetitions
 * @param now milliseconds since the epoch
 * @param jitter 0..1
 */
export function retryWaitMs(
  sent: HttpOutcome,
  repeatability: Repeatability,
  { retries, now, jitter }: { readonly retries: number; readonly now: number; readonly jitter: number },
): number | null {
  if (retries >= MAX_RETRIES || isTooLarge(sent)) return null;
  const backoff = backoffMs(retries, BACKOFF, jitter);
  // A silent server is asked only twice, because each request takes the whole timeout.
  if (isSilent(sent) && retries > 0) return null;
  if (sent.kind !== 'answered') return sent.kind === 'unsent' || repeatability === 'safe' ? backoff : null;
  const limit = limitMs(answerOf(sent), now);
  if (limit !== null) return limit > MAX_WAIT_MS ? null : Math.max(limit, backoff);
  return repeatability === 'safe' && isPassing(sent.status) ? backoff : null;
}

function isSilent(sent: HttpOutcome): boolean {
  return (sent.kind === 'unanswered' || sent.kind === 'broken') && sent.code === 'ETIMEDOUT';
}

function isTooLarge(sent: HttpOutcome): boolean {
  return sent.kind === 'broken' && sent.code === 'too_large';
}

function answerOf({ status, headers, bytes }: Extract<HttpOutcome, { kind: 'answered' }>): ForgeAnswer {
  return { status, headers, text: bytes.toString() };
}

/** Returns true for statuses that may be temporary. */
function isPassing(status: number): boolean {
  return status >= 500 && status !== 501;
}

/**
 * Returns the remaining time of a rate limit in milliseconds; null when there is none.
 *
 * @see https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api#exceeding-the-rate-limit
 */
function limitMs({ status, headers, text }: ForgeAnswer, now: number): number | null {
  const isSpent = headers['x-ratelimit-remaining'] === '0';
  const isSecondary = status === 403 && /secondary rate limit|abuse detection/i.test(text);
  const isLimited =
    status === 429 ||
    isSecondary ||
    (status === 403 && (isSpent || headers['retry-after'] !== undefined)) ||
    (status === 200 && isSpent && text.includes('"RATE_LIMITED"'));
  if (!isLimited) return null;
  const after = retryAfterMs(headers['retry-after'], now);
  if (after !== null) return after;
  // GitLab's name has no X.
  const reset = Number(headers['x-ratelimit-reset'] ?? headers['ratelimit-reset'] ?? Number.NaN);
  if ((isSpent || status === 429) && Number.isFinite(reset)) return Math.max(0, reset * 1000 - now);
  return SECONDARY_MS;
}

/** Clock and randomness of a client. */
export interface ForgeClock {
  /** Milliseconds since the epoch. */
  now(): number;
  wait(milliseconds: number): Promise<void>;
  /** 0..1 */
  random(): number;
}

export type ForgeClient = ReturnType<typeof openForgeClient>;

interface SendOptions {
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly repeatability?: Repeatability;
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
  /** Returns the headers of every request, including that with the token. */
  readonly headers: (token: string) => Readonly<Record<string, string>>;
  readonly clock: ForgeClock;
}) {
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

  async function exchange(request: ForgeRequest, repeatability: Repeatability): Promise<HttpOutcome> {
    for (let retries = 0; ; retries++) {
      const sent = await sendOnce(request);
      if (sent.kind === 'answered' && sent.status < 300 && limitMs(answerOf(sent), clock.now()) === null) return sent;
      const wait = retryWaitMs(sent, repeatability, { retries, now: clock.now(), jitter: clock.random() });
      if (wait === null) return sent;
      await clock.wait(wait);
    }
  }

  /**
   * Sends a request. Repeats it when that is safe, and waits for rate limits that end soon.
   *
   * @param path below the base URL, or an absolute URL
   * @returns an answer with a status from 200 to 299
   * @throws ForgeError for any other answer
   */
  async function send(
    method: ForgeRequest['method'],
    path: string,
    { body, repeatability = method === 'POST' ? 'once' : 'safe' }: SendOptions = {},
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
      if (sent.kind !== 'answered') throw noAnswer(name, what, sent);
      const answer = answerOf(sent);
      const result = { ...answer, text: clean(answer.text) };
      if (result.status < 300 && limitMs(result, clock.now()) === null) return { result };
      const redirectedTo = keepsMethod(method, result.status) ? redirectTarget(result, url) : null;
      if (redirectedTo === null || !URL.canParse(redirectedTo)) throw refusal(name, what, result, clock.now());
      return { redirectedTo };
    });
    if (answer !== null) return answer;
    throw new ForgeError('forge_answer_invalid', `${method} ${pathOf(first)}: ${name} returned too many redirects`);
  }

  return {
    send,
    /** Returns the items of all pages of a list. */
    async list(path: string): Promise<readonly Record<string, unknown>[]> {
      const items: Record<string, unknown>[] = [];
      let next: string | null = path;
      for (let page = 0; next !== null; page++) {
        if (page === MAX_PAGES)
          throw new ForgeError('forge_answer_invalid', `GET ${pathOf(path)}: the list is too long`);
        const answer: ForgeAnswer = await send('GET', next);
        const value = parseAnswer(answer, `GET ${pathOf(next)}`, name);
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

/** Returns whether a redirect repeats the request as it is: 301 and 302 may change another method to GET; 303 does. */
function keepsMethod(method: ForgeRequest['method'], status: number): boolean {
  return status !== 303 && (method === 'GET' || status > 302);
}

/** Parses the JSON of an answer. */
export function parseAnswer({ text }: ForgeAnswer, what: string, name: string): unknown {
  const value = parseJson(text);
  if (value !== undefined) return value;
  throw new ForgeError('forge_answer_invalid', `${what}: the response of ${name} is not JSON`);
}

/** Returns the URL of the next page. @see RFC 8288 */
function nextPage(header: string | string[] | undefined): string | null {
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

function noAnswer(name: string, what: string, sent: Exclude<HttpOutcome, { kind: 'answered' }>): ForgeError {
  if (isTooLarge(sent)) return new ForgeError('forge_answer_invalid', `${what}: the response of ${name} is too large`);
  return new ForgeError(
    'forge_unreachable',
    `${what}: ${name} did not respond: ${proxyReason(sent.code) ?? sent.code}`,
    {
      isUnclear: sent.kind !== 'unsent',
    },
  );
}

function refusal(name: string, what: string, answer: ForgeAnswer, now: number): ForgeError {
  const { status } = answer;
  const limit = limitMs(answer, now);
  if (limit !== null) {
    const seconds = Math.ceil(limit / 1000);
    return new ForgeError('forge_limited', `${what}: rate limit of ${name}, for another ${seconds} s`, { status });
  }
  return new ForgeError('forge_refused', `${what}: ${name} returned ${status}${reasonOf(answer.text)}`, {
    status,
    // After a gateway error the request may still be running.
    isUnclear: isPassing(status),
    hint: HINTS[status],
  });
}

const HINTS: Readonly<Record<number, string>> = {
  401: 'Check that the token is right and has not expired',
  403: 'Check the permissions of the job; the token of a pull request from a fork is read-only',
  404: 'Check the name of the repository and the number; a token without read access also gets this response',
};

/** Returns a refusal's own message, shortened to one line. */
function reasonOf(text: string): string {
  const value = parseRecord(text) ?? {};
  const details = Array.isArray(value.errors) ? value.errors : [];
  const words = [value.message, ...details.map((detail) => (isRecord(detail) ? detail.message : detail))]
    .filter((message) => typeof message === 'string')
    .join('; ')
    .replaceAll(/[\s\p{C}]+/gu, ' ');
  return words === '' ? '' : `: ${words.slice(0, 300).toWellFormed()}`;
}
