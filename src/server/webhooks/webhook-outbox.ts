import { randomBytes } from 'node:crypto';
import type { TenantId } from '../../session/ports.ts';
import type { WebhookBody, WebhookData } from '../../wire/webhook.ts';
import type { JobQueue } from '../queue/job-queue.ts';
import type { Queryable } from '../store/database.ts';
import { RETRY_DELAYS_MS } from './retry-schedule.ts';

/** Something that a tenant may want to be told. */
export interface WebhookEvent<T extends keyof WebhookData = keyof WebhookData> {
  readonly tenant: TenantId;
  readonly type: T;
  /** When it happened: ISO 8601. */
  readonly at: string;
  readonly data: WebhookData[T];
}

export interface OutboxOptions {
  readonly queue: Pick<JobQueue, 'enqueue'>;
  /** Milliseconds since the epoch. */
  now(): number;
}

/** One job for each planned try: while one is at work, the next one can be planned. */
export function webhookJob(deliveryId: string, turn: number): string {
  return `${deliveryId}/${turn}`;
}

export interface WebhookOutbox {
  /** In the transaction of what happened, so that it is told exactly when that is so. */
  write<T extends keyof WebhookData>(tx: Queryable, event: WebhookEvent<T>): Promise<void>;
  /** To one endpoint, once. @returns the id of the delivery */
  writeTest(tx: Queryable, tenant: TenantId, endpointId: string): Promise<string>;
  /** A job for a try that was planned. */
  plan(tx: Queryable, delivery: PlannedTry): Promise<void>;
}

export interface PlannedTry {
  readonly deliveryId: string;
  readonly endpointId: string;
  readonly turn: number;
  readonly delayMs: number;
}

/** Writes what is to be told: a message, its deliveries and their jobs, all of that or nothing. */
export function createWebhookOutbox({ queue, now }: OutboxOptions): WebhookOutbox {
  const plan: WebhookOutbox['plan'] = (tx, { deliveryId, endpointId, turn, delayMs }) =>
    queue.enqueue(tx, 'webhook', webhookJob(deliveryId, turn), { delayMs, group: endpointId });

  const send = async (tx: Queryable, event: WebhookEvent, endpointIds: readonly string[], step: number) => {
    const at = new Date(now()).toISOString();
    const messageId = `msg_${randomBytes(18).toString('base64url')}`;
    const body: WebhookBody = { type: event.type, timestamp: event.at, data: event.data };
    await tx.query(
      'insert into reelform.webhook_messages (id, type, body, created_at) values ($1, $2, $3, $4::timestamptz)',
      [messageId, event.type, JSON.stringify(body), at],
    );
    const deliveries = endpointIds.map((endpointId) => ({
      deliveryId: `whd_${randomBytes(18).toString('base64url')}`,
      endpointId,
    }));
    await tx.query(
      `insert into reelform.webhook_deliveries
          (id, endpoint_id, message_id, status, step, next_attempt_at, created_at)
        select id, endpoint_id, $3, 'pending', $4, $5::timestamptz, $5::timestamptz
          from unnest($1::text[], $2::text[]) as new (id, endpoint_id)`,
      [deliveries.map(({ deliveryId }) => deliveryId), [...endpointIds], messageId, step, at],
    );
    for (const delivery of deliveries) await plan(tx, { ...delivery, turn: 0, delayMs: 0 });
    return deliveries;
  };

  return {
    plan,
    async write(tx, event) {
      // Held, so that none is removed before its delivery refers to it; who changes one does not wait for this.
      const endpoints = await tx.query<{ id: string }>(
        `select id from reelform.webhook_endpoints
          where tenant = $1 and disabled_because is null and (types is null or $2 = any(types))
          order by id for key share`,
        [event.tenant, event.type],
      );
      if (endpoints.length === 0) return;
      await send(
        tx,
        event,
        endpoints.map(({ id }) => id),
        0,
      );
    },
    async writeTest(tx, tenant, endpointId) {
      const at = new Date(now()).toISOString();
      const event = { tenant, type: 'webhook_endpoint.test', at, data: { webhook_endpoint_id: endpointId } } as const;
      // Its first try is its last one.
      const [delivery] = await send(tx, event, [endpointId], RETRY_DELAYS_MS.length - 1);
      return delivery!.deliveryId;
    },
  };
}
