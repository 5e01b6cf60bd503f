import type { IncomingMessage } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { startServer } from './http-server.ts';

/** A received webhook event and the status that it was answered with. */
export interface ReceivedWebhook {
  readonly id: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary JSON
  readonly body: any;
  readonly answered: number;
}

/** A receiver as a user would write it: it accepts the events that the package `standardwebhooks` verifies. */
export interface WebhookReceiver {
  readonly url: string;
  readonly received: readonly ReceivedWebhook[];
  /** Events that did not verify; none of them was answered with success. */
  readonly unverified: readonly string[];
  /** Events that verified with one byte changed. */
  readonly gullible: readonly string[];
  /** Sets the secret that was returned when the endpoint was created. Earlier events are answered with 503. */
  trust(secret: string): void;
  close(): Promise<void>;
}

export interface WebhookReceiverOptions {
  /** Chooses the status of an answer; default 204. */
  answer?(id: string, timesBefore: number): number;
}

export async function startWebhookReceiver({ answer }: WebhookReceiverOptions = {}): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = [];
  const unverified: string[] = [];
  const gullible: string[] = [];
  const times = new Map<string, number>();
  let webhook: Webhook | null = null;

  const take = (headers: Record<string, string>, text: string): number => {
    if (webhook === null) return 503;
    const id = headers['webhook-id'] ?? '';
    if (!verifies(webhook, text, headers)) {
      unverified.push(id);
      return 400;
    }
    if (tampered(headers, text).some(([changed, with_]) => verifies(webhook!, changed, with_))) gullible.push(id);
    const before = times.get(id) ?? 0;
    times.set(id, before + 1);
    const answered = answer?.(id, before) ?? 204;
    received.push({ id, body: JSON.parse(text), answered });
    return answered;
  };

  const server = await startServer(async (request, response) => {
    const text = await readText(request);
    response.writeHead(take(request.headers as Record<string, string>, text)).end();
  });
  return {
    url: `${server.url}/hook`,
    received,
    unverified,
    gullible,
    trust(secret) {
      webhook = new Webhook(secret);
    },
    close: server.close,
  };
}

/** Returns the event with one change each: in its body, its id, its time. */
function tampered(headers: Record<string, string>, text: string): [string, Record<string, string>][] {
  const at = Math.floor(text.length / 2);
  const changed = text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ 1) + text.slice(at + 1);
  const later = String(Number(headers['webhook-timestamp']) + 1);
  return [
    [changed, headers],
    [text, { ...headers, 'webhook-id': `${headers['webhook-id']}x` }],
    [text, { ...headers, 'webhook-timestamp': later }],
  ];
}

function verifies(webhook: Webhook, text: string, headers: Record<string, string>): boolean {
  try {
    webhook.verify(text, headers);
    return true;
  } catch {
    return false;
  }
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
