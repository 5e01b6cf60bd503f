import type { WebhookAttempt, WebhookDelivery, WebhookDeliveryStatus } from '../../../contract/wire/webhook.ts';
import type { TenantId } from '../../sessions/ports.ts';
import type { Queryable } from '../store/database.ts';
import { readCursor, writeCursor } from '../store/page-cursor.ts';

/** A started attempt with all the data that sending requires. */
export interface StartedAttempt {
  readonly deliveryId: string;
  /** Number of the scheduled attempt. */
  readonly turn: number;
  readonly attempt: number;
  readonly step: number;
  readonly endpointId: string;
  readonly tenant: TenantId;
  readonly url: string;
  /** Whether `url` is the `webhook_url` of a session, whose failures do not concern the endpoint. */
  readonly hasSessionUrl: boolean;
  /** Includes the previous secret while it is valid. */
  readonly secrets: readonly string[];
  /** Key of the signature `shakr`; null for an endpoint with `standard`. */
  readonly clientId: string | null;
  readonly messageId: string;
  readonly type: string;
  readonly body: string;
}

/** A delivery after the result of an attempt was recorded. */
export interface RecordedAttempt {
  /** Status before. */
  readonly before: WebhookDeliveryStatus;
  /** Null if this attempt was no longer scheduled. */
  readonly nextTurn: number | null;
}

export interface DeliveryQuery {
  /** 1..100. */
  readonly limit: number;
  readonly cursor: string | null;
  readonly status: WebhookDeliveryStatus | null;
}

const SELECT = `select d.id, d.message_id, m.type, d.url, d.status, d.next_attempt_at, d.created_at, d.ended_at,
    coalesce((select json_agg(json_build_object('at', a.at, 'status_code', a.status_code, 'error', a.error,
        'duration_ms', a.duration_ms) order by a.attempt)
      from reelform.webhook_attempts a where a.delivery_id = d.id), '[]'::json) as attempts
  from reelform.webhook_deliveries d join reelform.webhook_messages m on m.id = d.message_id`;

/** Statements about deliveries. */
export const deliveryTable = {
  /**
   * Starts an attempt with a new number. When several processes start the same attempt, only the last may
   * record its result.
   *
   * @param at current time, ISO 8601
   */
  async begin(on: Queryable, id: string, turn: number, at: string): Promise<StartedAttempt | null> {
    const [row] = await on.query<Omit<StartedAttempt, 'secrets'> & { secret: string; previous: string | null }>(
      `update reelform.webhook_deliveries d set attempts = d.attempts + 1
        from reelform.webhook_endpoints e, reelform.webhook_messages m
        where d.id = $1 and d.turn = $2 and d.status = 'pending' and e.disabled_because is null
          and e.id = d.endpoint_id and m.id = d.message_id
        returning d.id as "deliveryId", d.turn, d.attempts as attempt, d.step, e.id as "endpointId", e.tenant,
          coalesce(d.url, e.url) as url, d.url is not null as "hasSessionUrl", e.secret,
          case when e.previous_secret_until > $3::timestamptz then e.previous_secret end as previous,
          e.client_id as "clientId", m.id as "messageId", m.type, m.body`,
      [id, turn, at],
    );
    if (row === undefined) return null;
    const { secret, previous, ...begun } = row;
    return { ...begun, secrets: previous === null ? [secret] : [secret, previous] };
  },

  /** Cancels a delivery that was created while its endpoint was being disabled. */
  async cancel(on: Queryable, id: string, at: string): Promise<void> {
    await on.query(
      `update reelform.webhook_deliveries d
        set status = 'canceled', next_attempt_at = null, ended_at = $2::timestamptz
        from reelform.webhook_endpoints e
        where d.id = $1 and d.status = 'pending' and e.id = d.endpoint_id and e.disabled_because is not null`,
      [id, at],
    );
  },

  /**
   * Records the result of an attempt and schedules the next at `nextAt`. A delivery that was canceled or
   * rescheduled meanwhile keeps its state, unless this attempt succeeded.
   *
   * @returns null, without a write, when another attempt has started
   */
  async record(
    tx: Queryable,
    { deliveryId, turn, attempt }: Pick<StartedAttempt, 'deliveryId' | 'turn' | 'attempt'>,
    { at, status_code, error, duration_ms }: WebhookAttempt,
    next: {
      readonly status: 'pending' | 'delivered' | 'failed';
      readonly nextAt: string | null;
      readonly endedAt: string;
    },
  ): Promise<RecordedAttempt | null> {
    const [row] = await tx.query<{ status: WebhookDeliveryStatus; turn: number }>(
      `select status, turn from reelform.webhook_deliveries
        where id = $1 and attempts = $2 and status in ('pending', 'canceled') for update`,
      [deliveryId, attempt],
    );
    if (row === undefined) return null;
    const isPlanned = row.status === 'pending' && row.turn === turn;
    if (isPlanned || next.status === 'delivered') {
      await tx.query(
        `update reelform.webhook_deliveries
          set turn = turn + 1, step = step + 1, status = $2, next_attempt_at = $3::timestamptz, ended_at = $4::timestamptz
          where id = $1`,
        [deliveryId, next.status, next.nextAt, next.status === 'pending' ? null : next.endedAt],
      );
    }
    await tx.query(
      `insert into reelform.webhook_attempts (delivery_id, attempt, at, status_code, error, duration_ms)
        values ($1, $2, $3::timestamptz, $4, $5, $6)`,
      [deliveryId, attempt, at, status_code, error, duration_ms],
    );
    return { before: row.status, nextTurn: isPlanned ? turn + 1 : null };
  },

  /**
   * Restarts a delivery from the beginning of the schedule, regardless of its status. @returns the turn, or null for an
   * unknown delivery
   */
  async restart(tx: Queryable, endpointId: string, id: string, at: string): Promise<number | null> {
    const [row] = await tx.query<{ turn: number }>(
      `update reelform.webhook_deliveries
        set turn = turn + 1, step = 0, status = 'pending', next_attempt_at = $3::timestamptz, ended_at = null
        where endpoint_id = $1 and id = $2 returning turn`,
      [endpointId, id, at],
    );
    return row?.turn ?? null;
  },

  async find(on: Queryable, endpointId: string, id: string): Promise<WebhookDelivery | null> {
    const [row] = await on.query<WebhookDelivery>(`${SELECT} where d.endpoint_id = $1 and d.id = $2`, [endpointId, id]);
    return row === undefined ? null : asDelivery(row);
  },

  /** Returns deliveries, newest first. @throws ServiceError 400 for an unknown cursor */
  async list(
    on: Queryable,
    endpointId: string,
    { limit, cursor, status }: DeliveryQuery,
  ): Promise<{ deliveries: WebhookDelivery[]; nextCursor: string | null }> {
    const after = cursor === null ? null : readCursor(cursor);
    const rows = await on.query<WebhookDelivery>(
      `${SELECT}
        where d.endpoint_id = $1
          and ($2::text is null or d.status = $2)
          and ($3::timestamptz is null or (d.created_at, d.id) < ($3, $4::text))
        order by d.created_at desc, d.id desc limit $5`,
      [endpointId, status, after?.createdAt ?? null, after?.id ?? null, limit + 1],
    );
    const deliveries = rows.slice(0, limit).map(asDelivery);
    const last = deliveries.at(-1);
    const hasMore = rows.length > limit && last !== undefined;
    return { deliveries, nextCursor: hasMore ? writeCursor({ createdAt: last.created_at, id: last.id }) : null };
  },

  async pending(on: Queryable): Promise<number> {
    const [row] = await on.query<{ count: number }>(
      `select count(*) as count from reelform.webhook_deliveries where status = 'pending'`,
    );
    return row!.count;
  },
};

/** Times inside JSON have PostgreSQL's format. */
function asDelivery(row: WebhookDelivery): WebhookDelivery {
  return { ...row, attempts: row.attempts.map((attempt) => ({ ...attempt, at: new Date(attempt.at).toISOString() })) };
}

/** Records the results of attempts in the state of their endpoint, which must be locked. */
export const endpointHealth = {
  /** Written at most hourly while the endpoint succeeds, because a write per success would be too expensive. */
  async succeeded(tx: Queryable, endpointId: string, at: string): Promise<void> {
    await tx.query(
      `update reelform.webhook_endpoints set last_success_at = $2::timestamptz, failing_since = null
        where id = $1 and (failing_since is not null or last_success_at is null
          or last_success_at < $2::timestamptz - interval '1 hour')`,
      [endpointId, at],
    );
  },

  /** @returns whether the endpoint has failed for so long that it must be disabled */
  async failed(tx: Queryable, endpointId: string, at: string, sinceAtMost: string): Promise<boolean> {
    const [row] = await tx.query<{ is_over: boolean }>(
      `update reelform.webhook_endpoints set failing_since = coalesce(failing_since, $2::timestamptz)
        where id = $1 and disabled_because is null
        returning greatest(last_success_at, enabled_at) <= $3::timestamptz as is_over`,
      [endpointId, at, sinceAtMost],
    );
    return row?.is_over ?? false;
  },
};
