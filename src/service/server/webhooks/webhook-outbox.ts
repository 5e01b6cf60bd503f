import { randomBytes } from 'node:crypto';
import { sessionEnd } from '../../../contract/render-service.ts';
import type { VideoEvent, WebhookBody, WebhookData } from '../../../contract/wire/webhook.ts';
import { spreadMs } from '../../../kernel/backoff.ts';
import type { TenantId } from '../../sessions/ports.ts';
import { nextPriority } from '../queue/fair-priority.ts';
import type { ServiceContext } from '../service-context.ts';
import type { Queryable } from '../store/database.ts';

/** An event that endpoints of a tenant may subscribe to. */
interface WebhookEvent<T extends keyof WebhookData = keyof WebhookData> {
  readonly tenant: TenantId;
  readonly type: T;
  /** Time of the event: ISO 8601. */
  readonly at: string;
  readonly data: WebhookData[T];
  /** The `webhook_url` of the session that the event is about. */
  readonly sessionUrl: string | null;
}

/**
 * Returns the job id of a scheduled attempt. Each attempt has its own job, so that a running attempt can schedule the next.
 */
function webhookJob(deliveryId: string, turn: number): string {
  return `${deliveryId}/${turn}`;
}

export type WebhookOutbox = ReturnType<typeof createWebhookOutbox>;

interface PlannedAttempt {
  readonly deliveryId: string;
  readonly tenant: TenantId;
  readonly endpointId: string;
  readonly turn: number;
  readonly delayMs: number;
}

interface Addressee {
  readonly id: string;
  /** Replaces the URL of the endpoint. */
  readonly sessionUrl: string | null;
  /** Set for endpoints that receive video events. */
  readonly client_id: string | null;
}

interface Message {
  readonly tenant: TenantId;
  readonly type: keyof WebhookData;
  readonly body: WebhookBody | VideoEvent;
}

/** Writes messages, their deliveries and their jobs atomically. */
export function createWebhookOutbox({ queue, now }: Pick<ServiceContext, 'queue' | 'now'>) {
  const plan = async (
    tx: Queryable,
    { tenant, deliveryId, endpointId, turn, delayMs }: PlannedAttempt,
  ): Promise<void> => {
    const priority = await nextPriority(tx, 'webhook', tenant);
    const options = { priority, delayMs, group: endpointId, owner: tenant };
    await queue.enqueue(tx, 'webhook', webhookJob(deliveryId, turn), options);
  };

  const send = async (
    tx: Queryable,
    { tenant, type, body }: Message,
    addressees: readonly Addressee[],
    step: number,
  ) => {
    const at = new Date(now()).toISOString();
    const messageId = `msg_${randomBytes(18).toString('base64url')}`;
    await tx.query(
      'insert into reelform.webhook_messages (id, type, body, created_at) values ($1, $2, $3, $4::timestamptz)',
      [messageId, type, JSON.stringify(body), at],
    );
    const deliveries = addressees.map(({ id: endpointId }) => ({
      deliveryId: `whd_${randomBytes(18).toString('base64url')}`,
      endpointId,
    }));
    await tx.query(
      `insert into reelform.webhook_deliveries
          (id, endpoint_id, url, message_id, status, step, next_attempt_at, created_at)
        select id, endpoint_id, url, $4, 'pending', $5, $6::timestamptz, $6::timestamptz
          from unnest($1::text[], $2::text[], $3::text[]) as new (id, endpoint_id, url)`,
      [
        deliveries.map(({ deliveryId }) => deliveryId),
        addressees.map(({ id }) => id),
        addressees.map(({ sessionUrl }) => sessionUrl),
        messageId,
        step,
        at,
      ],
    );
    for (const delivery of deliveries) await plan(tx, { ...delivery, tenant, turn: 0, delayMs: 0 });
    return deliveries;
  };

  return {
    /** Queues a job for a scheduled attempt. */
    plan,
    /** Writes an event in the transaction that caused it, so that both are committed together. */
    async write<T extends keyof WebhookData>(tx: Queryable, event: WebhookEvent<T>): Promise<void> {
      // Locks the endpoints against removal until their deliveries refer to them. Changes to endpoints do not wait for
      // this lock.
      const endpoints = await tx.query<Endpoint>(
        `select id, client_id, url, created_at, types is null or $2 = any(types) as is_subscribed
          from reelform.webhook_endpoints
          where tenant = $1 and disabled_because is null and (types is null or $2 = any(types) or $3)
          order by id for key share`,
        [event.tenant, event.type, event.sessionUrl !== null],
      );
      const addressees = addresseesOf(endpoints, event.sessionUrl);
      for (const isVideo of [false, true]) {
        const recipients = addressees.filter(({ client_id }) => (client_id !== null) === isVideo);
        const body = recipients.length === 0 ? null : bodyOf(event, isVideo);
        if (body !== null) await send(tx, { tenant: event.tenant, type: event.type, body }, recipients, 0);
      }
    },
    /** Sends a test message to one endpoint, once. @returns the id of the delivery */
    async writeTest(tx: Queryable, tenant: TenantId, endpointId: string): Promise<string> {
      const at = new Date(now()).toISOString();
      const type = 'webhook_endpoint.test';
      const event = { tenant, type, at, data: { webhook_endpoint_id: endpointId }, sessionUrl: null } as const;
      const [endpoint] = await tx.query<Pick<Addressee, 'id' | 'client_id'>>(
        'select id, client_id from reelform.webhook_endpoints where id = $1',
        [endpointId],
      );
      const body = bodyOf(event, endpoint!.client_id !== null)!;
      // A test message has a single attempt.
      const addressees = [{ ...endpoint!, sessionUrl: null }];
      const [delivery] = await send(tx, { tenant, type, body }, addressees, RETRY_DELAYS_MS.length - 1);
      return delivery!.deliveryId;
    },
  };
}

interface Endpoint extends Pick<Addressee, 'id' | 'client_id'> {
  readonly url: string;
  readonly created_at: string;
  readonly is_subscribed: boolean;
}

/**
 * Returns the endpoints that receive an event. The oldest endpoint with the origin of the session's URL sends it there, even
 * if it is not subscribed to the type.
 */
function addresseesOf(endpoints: readonly Endpoint[], sessionUrl: string | null): Addressee[] {
  const origin = sessionUrl === null ? null : originOf(sessionUrl);
  const [ofSession] = endpoints
    .filter(({ url }) => origin !== null && originOf(url) === origin)
    .sort((a, b) => Date.parse(a.created_at) - Date.parse(b.created_at) || (a.id < b.id ? -1 : 1));
  return endpoints
    .filter((endpoint) => endpoint.is_subscribed || endpoint === ofSession)
    .map((endpoint) => ({
      id: endpoint.id,
      client_id: endpoint.client_id,
      sessionUrl: endpoint === ofSession ? sessionUrl : null,
    }));
}

/** Returns scheme, host and port of a URL; null for any other text. */
export function originOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).origin : null;
}

/** @returns null for an event without a video event */
function bodyOf(event: WebhookEvent, isVideo: boolean): Message['body'] | null {
  if (!isVideo) return { type: event.type, timestamp: event.at, data: event.data };
  if (event.type === 'webhook_endpoint.test') return { video_id: null, event: 'test', output_url: null };
  if (!('render_session' in event.data)) return null;
  const { id, status, video_url } = event.data.render_session;
  const end = sessionEnd(status);
  if (end === null) return null;
  return { video_id: id, event: end === 'failed' ? 'fail' : 'finish', output_url: video_url };
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/**
 * Milliseconds before each attempt, counted from the previous attempt; about three days in total.
 *
 * @see Standard Webhooks 1.0, "Deliverability and reliability"
 */
export const RETRY_DELAYS_MS: readonly number[] = [
  0,
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

/** Maximum random shift of a delay, as a share, so that simultaneous failures are not retried simultaneously. */
const JITTER = 0.1;
/** Limit of the delay that a receiver may request. */
const MAX_MS = 24 * HOUR;

interface FailedAttempt {
  /** Position of the failed attempt in the schedule, 0 for the first. */
  readonly step: number;
  /** Delay that the receiver requested with 429 or 503, in milliseconds from now. */
  readonly retryAfterMs: number | null;
}

/**
 * Computes the delay after a failed attempt. A receiver can request a longer delay, up to a day, but not a shorter delay.
 *
 * @param random 0..1
 * @returns whole milliseconds; null after the last attempt
 */
export function nextDelayMs({ step, retryAfterMs }: FailedAttempt, random: number): number | null {
  const planned = RETRY_DELAYS_MS[step + 1];
  if (planned === undefined) return null;
  const jittered = spreadMs(planned, JITTER, random);
  const asked = Math.min(retryAfterMs ?? 0, MAX_MS);
  return Math.round(Math.max(jittered, asked));
}
