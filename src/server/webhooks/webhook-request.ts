import { retryAfterMs } from '../../http/retry.ts';
import { openResponse } from '../../http/send-request.ts';
import { createGuardedAgents, ForbiddenAddress, type GuardPolicy } from '../../session/sources/address-guard.ts';
import { webhookUrlProblem } from './webhook-url.ts';

/** Milliseconds for a try in all: name, connection, request and answer. */
export const WEBHOOK_TIMEOUT_MS = 15_000;
/** Of an answer; nothing of it is kept. */
const MAX_ANSWER_BYTES = 65_536;

export interface WebhookRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type WebhookAnswer =
  | { readonly kind: 'answered'; readonly status: number; readonly retryAfterMs: number | null }
  /** `error`: `timeout`, `forbidden_address`, `forbidden_url`, or Node's code for what happened. */
  | { readonly kind: 'failed'; readonly error: string };

export interface PostOptions extends GuardPolicy {
  readonly timeoutMs?: number;
  /** Milliseconds since the epoch. */
  now(): number;
}

/** @throws the signal's reason, when it is aborted */
export type PostWebhook = (request: WebhookRequest, signal: AbortSignal) => Promise<WebhookAnswer>;

/**
 * A client that asks public hosts alone, unless its policy names others: one request, no redirects, one answer whose status
 * is all that counts. EDGE.
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

/** So that a receiver can say what it has to say; the status is known by now, and nothing that follows changes it. */
async function readToEnd(stream: AsyncIterable<Buffer>): Promise<void> {
  let bytes = 0;
  for await (const chunk of stream) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) return;
  }
}

/** The message of an error may hold the URL; its code does not. */
function errorCode(error: unknown): string {
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  if (cause instanceof ForbiddenAddress) return 'forbidden_address';
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,63}$/.test(code) ? code : 'failed';
}
