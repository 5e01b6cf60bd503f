import { createHmac, randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { openResponse, retryAfterMs } from '../../../kernel/http/send-request.ts';
import {
  createGuardedAgents,
  ForbiddenAddress,
  type GuardPolicy,
  isPublicAddress,
  urlProblem,
} from '../../sessions/sources/address-guard.ts';
import { type AllowList, allows, allowsName, plainHost } from '../../sessions/sources/allow-list.ts';

/** Total time limit of an attempt in milliseconds: DNS, connection, request and response. */
const WEBHOOK_TIMEOUT_MS = 15_000;
/** Maximum size of a response that is read; the content is discarded. */
const MAX_ANSWER_BYTES = 65_536;

interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type WebhookAnswer =
  | { readonly kind: 'answered'; readonly status: number; readonly retryAfterMs: number | null }
  /** `error` is `timeout`, `forbidden_address`, `forbidden_url` or Node's error code. */
  | { readonly kind: 'failed'; readonly error: string };

interface PostOptions extends GuardPolicy {
  readonly timeoutMs?: number;
  /** Milliseconds since the epoch. */
  now(): number;
}

/** @throws the signal's reason, when it is aborted */
export type PostWebhook = (request: WebhookRequest, signal: AbortSignal) => Promise<WebhookAnswer>;

/**
 * Creates a client that only connects to public hosts and hosts allowed by its policy. Sends one request, follows no
 * redirects and only evaluates the status.
 */
export function createPostWebhook({ timeoutMs = WEBHOOK_TIMEOUT_MS, now, ...policy }: PostOptions): PostWebhook {
  const agents = createGuardedAgents(policy);

  const ask = async ({ url, headers, body }: WebhookRequest, signal: AbortSignal): Promise<WebhookAnswer> => {
    const response = await openResponse({
      method: 'POST',
      url,
      body,
      agents,
      signal,
      connectMs: timeoutMs,
      headers: { 'content-type': 'application/json', ...headers },
    });
    await readToEnd(response.body).catch(() => undefined);
    const { status } = response;
    const isBusy = status === 429 || status === 503;
    return {
      kind: 'answered',
      status,
      retryAfterMs: isBusy ? retryAfterMs(response.headers['retry-after'], now()) : null,
    };
  };

  return async (request, signal) => {
    signal.throwIfAborted();
    if (webhookUrlProblem(request.url, policy.allow) !== null) return { kind: 'failed', error: 'forbidden_url' };
    const deadline = AbortSignal.timeout(timeoutMs);
    try {
      return await ask(request, AbortSignal.any([signal, deadline]));
    } catch (error) {
      signal.throwIfAborted();
      return { kind: 'failed', error: deadline.aborted ? 'timeout' : errorCode(error) };
    }
  };
}

/** Reads the response so that the receiver can finish it. Its status is already known and does not change. */
async function readToEnd(stream: AsyncIterable<Buffer>): Promise<void> {
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) return;
  }
}

/** Returns the code of an error, because its message may contain the URL. */
function errorCode(error: unknown): string {
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  if (cause instanceof ForbiddenAddress) return 'forbidden_address';
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,63}$/.test(code) ? code : 'failed';
}

/**
 * Returns why the URL of an endpoint is not acceptable, or null. Does not resolve host names: each connection checks
 * the address.
 *
 * Requires `https`, except for hosts and addresses that the operator allows.
 */
export function webhookUrlProblem(text: string, allow: AllowList): string | null {
  if (!URL.canParse(text)) return 'is not a valid URL';
  const url = new URL(text);
  const problem = urlProblem(url, { allow });
  if (problem !== null) return problem;
  const host = plainHost(url.hostname);
  const isAllowed = allowsHost(host, Number(url.port || (url.protocol === 'https:' ? 443 : 80)), allow);
  if (isAllowed) return null;
  if (isIP(host) !== 0 && !isPublicAddress(host)) return 'resolves to an address that is not public';
  if (host === 'localhost' || host.endsWith('.localhost')) return 'resolves to an address that is not public';
  return url.protocol === 'https:' ? null : 'is not https';
}

function allowsHost(host: string, port: number, allow: AllowList): boolean {
  if (isIP(host) !== 0) return allows(allow, { host, port, address: host });
  return allowsName(allow, host);
}

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** The signed facts, the same for each secret. */
interface SignedMessage {
  readonly id: string;
  /** Time of this attempt in milliseconds since the epoch. */
  readonly atMs: number;
  readonly body: string;
}

/** Creates a secret for an endpoint: `whsec_` and base64 of 256 random bits. */
export function createWebhookSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/**
 * Returns the three headers with which a receiver verifies origin and time of a message, with one signature per secret.
 *
 * @param secrets created by `createWebhookSecret`
 * @see Standard Webhooks 1.0, "Webhook headers"
 */
export function signWebhook({ id, atMs, body }: SignedMessage, secrets: readonly string[]): Record<string, string> {
  const seconds = String(Math.floor(atMs / 1000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': signatures.join(' ') };
}

/**
 * Returns the additional header of the signature `shakr`. It covers only the body and does not protect against replays.
 */
export function signBody(body: string, clientId: string): Record<string, string> {
  return { 'x-shakr-signature': `sha256=${createHmac('sha256', clientId).update(body).digest('hex')}` };
}
