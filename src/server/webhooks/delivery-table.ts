import type { TenantId } from '../../session/ports.ts';
import type { WebhookAttempt, WebhookDelivery, WebhookDeliveryStatus } from '../../wire/webhook.ts';
import type { Queryable } from '../store/database.ts';
import { readCursor, writeCursor } from '../store/page-cursor.ts';

/** A try that was begun: everything that sending takes. */
export interface StartedAttempt {
  readonly deliveryId: string;
  /** Which planned try it is. */
  readonly turn: number;
  readonly attempt: number;
  readonly step: number;
  readonly endpointId: string;
  readonly tenant: TenantId;
  readonly url: string;
  /** The one before too, while it still counts. */
  readonly secrets: readonly string[];
  /** Key of the signature `shakr`; null where the endpoint has `standard`. */
  readonly clientId: string | null;
  readonly messageId: string;
  readonly type: string;
  readonly body: string;
}

export interface DeliveryQuery {
  /** 1..100. */
  readonly limit: number;
  readonly cursor: string | null;
  readonly status: WebhookDeliveryStatus | null;
}

const SELECT = `select d.id, d.message_id, m.type, d.status, d.next_attempt_at, d.created_at, d.ended_at,
    coalesce((select json_agg(json_build_object('at', a.at, 'status_code', a.status_code, 'error', a.error,
        'duration_ms', a.duration_ms) order by a.attempt)
      from reelform.webhook_attempts a where a.delivery_id = d.id), '[]'::json) as attempts
  from reelform.webhook_deliveries d join reelform.webhook_messages m on m.id = d.message_id`;

/** The statements about deliveries. */
export const deliveryTable = {
  /**
   * Begins a try under a number of its own: of several that come to the same try, the last one may write.
   *
   * @param at now, ISO 8601
   */
  async begin(on: Queryable, id: string, turn: number, at: string): Promise<StartedAttempt | null> {
    const [row] = await on.query<Omit<StartedAttempt, 'secrets'> & { secret: string; previous: string | null }>(
      `update reelform.webhook_deliveries d set attempts = d.attempts + 1
        from reelform.webhook_endpoints e, reelform.webhook_messages m
        where d.id = $1 and d.turn = $2 and d.status = 'pending' and e.disabled_because is null
          and e.id = d.endpoint_id and m.id = d.message_id
        returning d.id as "deliveryId", d.turn, d.attempts as attempt, d.step, e.id as "endpointId", e.tenant, e.url, e.secret,
          case when e.previous_secret_until > $3::timestamptz then e.previous_secret end as previous,
          e.client_id as "clientId", m.id as "messageId", m.type, m.body`,
      [id, turn, at],
    );
    if (row === undefined) return null;
    const { secret, previous, ...begun } = row;
    return { ...begun, secrets: previous === null ? [secret] : [secret, previous] };
  },

  /** One that was written while its endpoint was being disabled. */
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
   * Writes what came of a try, and what follows: `nextAt` where it is to be tried again. What was canceled or planned anew
   * meanwhile stays so, unless it was delivered all the same.
   *
   * @returns null, and writes nothing, when another try has begun; else what there was, and the turn that comes next where
   * this try was still the planned one
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
  ): Promise<{ readonly before: WebhookDeliveryStatus; readonly nextTurn: number | null } | null> {
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

  /** From the beginning of the schedule, whatever became of it. @returns the turn; null when there is none */
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

  /** Newest first. @throws ServiceError 400 for a cursor that it did not give */
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

/** Times inside of JSON come as PostgreSQL writes them. */
function asDelivery({
  id,
  message_id,
  type,
  status,
  next_attempt_at,
  created_at,
  ended_at,
  attempts,
}: WebhookDelivery) {
  const dated = attempts.map((attempt) => ({ ...attempt, at: new Date(attempt.at).toISOString() }));
  return { id, message_id, type, status, attempts: dated, next_attempt_at, created_at, ended_at };
}

/** What a try means for its endpoint; to be called with the endpoint locked. */
export const endpointHealth = {
  /** Written once in a while: a row for each success would cost more than it tells. */
  async succeeded(tx: Queryable, endpointId: string, at: string): Promise<void> {
    await tx.query(
      `update reelform.webhook_endpoints set last_success_at = $2::timestamptz, failing_since = null
        where id = $1 and (failing_since is not null or last_success_at is null
          or last_success_at < $2::timestamptz - interval '1 hour')`,
      [endpointId, at],
    );
  },

  /** @returns whether nothing has succeeded for so long that it is to be disabled */
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
