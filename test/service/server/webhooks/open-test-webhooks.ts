import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { onTestFinished } from 'vitest';
import type { WebhookEndpointWithSecret } from '../../../../src/contract/wire/webhook.ts';
import type { JobOptions } from '../../../../src/service/server/queue/queues.ts';
import type { Database } from '../../../../src/service/server/store/database.ts';
import type { WebhookOutcome } from '../../../../src/service/server/telemetry/metrics.ts';
import { createWebhookOutbox, type WebhookOutbox } from '../../../../src/service/server/webhooks/webhook-outbox.ts';
import { createPostWebhook, type PostWebhook } from '../../../../src/service/server/webhooks/webhook-request.ts';
import { createWebhookSender, type WebhookSender } from '../../../../src/service/server/webhooks/webhook-sender.ts';
import { Webhooks } from '../../../../src/service/server/webhooks/webhooks.ts';
import { ALLOW_EVERYTHING } from '../../../../src/service/sessions/sources/allow-list.ts';
import { ACME } from '../store/sessions.ts';

export const START = Date.now();

/** A received request. */
export interface Arrived {
  readonly headers: Record<string, string>;
  readonly text: string;
}

export interface TestWebhooks {
  readonly clock: { nowMs: number };
  readonly outbox: WebhookOutbox;
  readonly api: Webhooks;
  readonly sender: WebhookSender;
  readonly outcomes: WebhookOutcome[];
  readonly logged: string[];
  /** Queued jobs with their due times. */
  readonly jobs: { readonly id: string; readonly dueMs: number; readonly group: string | undefined }[];
  /** Creates a sender as in another process. */
  sender2(post?: PostWebhook): WebhookSender;
  /** Advances the clock to the next job and runs it. @returns its waiting time */
  next(): Promise<number>;
  /** Runs all jobs that are due. */
  due(): Promise<void>;
  /** Writes an event for a tenant. */
  happen(tenant?: typeof ACME): Promise<void>;
  endpoint(url: string): Promise<WebhookEndpointWithSecret>;
}

/** Webhooks with a real database and real HTTP, with the test's clock and a visible queue. */
export function openTestWebhooks(database: Database, post?: PostWebhook): TestWebhooks {
  const clock = { nowMs: START };
  const now = (): number => clock.nowMs;
  const jobs: { id: string; dueMs: number; group: string | undefined }[] = [];
  const queue = {
    async enqueue(_tx: unknown, _queue: string, id: string, { delayMs = 0, group }: JobOptions = {}) {
      jobs.push({ id, dueMs: now() + delayMs, group });
    },
  };
  const outcomes: WebhookOutcome[] = [];
  const logged: string[] = [];
  const say = (fields: object, message: string): void => void logged.push(JSON.stringify({ ...fields, message }));
  const outbox = createWebhookOutbox({ queue, now });
  const sender2: TestWebhooks['sender2'] = (other) =>
    createWebhookSender({
      database,
      outbox,
      now,
      publicUrl: async () => 'https://videos.example.com',
      random: () => 0.5,
      post: other ?? post ?? createPostWebhook({ allow: ALLOW_EVERYTHING, now }),
      log: { debug: say, info: say, warn: say, error: say },
      onTried: (outcome) => outcomes.push(outcome),
    });
  const sender = sender2();
  const api = new Webhooks({ database, outbox, allow: ALLOW_EVERYTHING, now });
  const signal = new AbortController().signal;
  return {
    clock,
    outbox,
    api,
    sender,
    sender2,
    outcomes,
    logged,
    jobs,
    async next() {
      jobs.sort((a, b) => a.dueMs - b.dueMs);
      const job = jobs.shift();
      if (job === undefined) throw new Error('there is no job');
      const waitedMs = job.dueMs - clock.nowMs;
      clock.nowMs = Math.max(clock.nowMs, job.dueMs);
      await sender.run(job.id, signal);
      return waitedMs;
    },
    async due() {
      const due = jobs.splice(0).filter((job) => job.dueMs <= now() || void jobs.push(job));
      for (const { id } of due) await sender.run(id, signal);
    },
    happen: (tenant = ACME) =>
      database.transaction((tx) =>
        outbox.write(tx, {
          tenant,
          type: 'render_session.external_upload.complete',
          at: new Date(now()).toISOString(),
          data: { render_session_id: `rs_${randomUUID()}`, to: 's3://videos/grüße.mp4', remote_id: null },
          sessionUrl: null,
        }),
      ),
    endpoint: async (url) => (await api.create(ACME, { url })).endpoint,
  };
}

export interface Receiver {
  readonly url: string;
  readonly arrived: Arrived[];
  /** Answer to send. */
  answer: { status: number; headers?: Record<string, string> };
}

/** A receiver on the loopback interface. */
export async function openReceiver(): Promise<Receiver> {
  const arrived: Arrived[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    arrived.push({ headers: request.headers as Record<string, string>, text: Buffer.concat(chunks).toString() });
    response.writeHead(receiver.answer.status, receiver.answer.headers).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(
    () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook?key=canary-of-the-query`;
  const receiver: Receiver = { url, arrived, answer: { status: 204 } };
  return receiver;
}

/** Returns whether `standardwebhooks` accepts a request. */
export function believes(secret: string, { headers, text }: Arrived): boolean {
  try {
    new Webhook(secret).verify(text, headers);
    return true;
  } catch {
    return false;
  }
}
