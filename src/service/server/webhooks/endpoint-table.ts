import type { DisabledReason, WebhookEndpoint, WebhookType } from '../../../contract/wire/webhook.ts';
import type { TenantId } from '../../sessions/ports.ts';
import type { Queryable } from '../store/database.ts';

/** A stored endpoint. Times are ISO 8601. */
export interface EndpointRow {
  readonly id: string;
  readonly url: string;
  readonly description: string;
  readonly types: WebhookType[] | null;
  /** Null for the signature `standard`. */
  readonly client_id: string | null;
  readonly disabled_because: DisabledReason | null;
  readonly failing_since: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

type NewEndpoint = Pick<EndpointRow, 'id' | 'url' | 'description' | 'types' | 'client_id'> & {
  readonly tenant: TenantId;
  readonly secret: string;
  readonly at: string;
};

/** Excludes the secrets, so that they cannot reach a response. */
const COLUMNS = 'id, url, description, types, client_id, disabled_because, failing_since, created_at, updated_at';

/** Statements about endpoints. All except `list` and `find` require a transaction and must come first in it. */
export const endpointTable = {
  /** Oldest first. */
  list: (on: Queryable, tenant: TenantId): Promise<EndpointRow[]> =>
    on.query(`select ${COLUMNS} from reelform.webhook_endpoints where tenant = $1 order by created_at, id`, [tenant]),

  async find(on: Queryable, tenant: TenantId, id: string): Promise<EndpointRow | null> {
    const [row] = await on.query<EndpointRow>(
      `select ${COLUMNS} from reelform.webhook_endpoints where tenant = $1 and id = $2`,
      [tenant, id],
    );
    return row ?? null;
  },

  /** Locks the endpoint and its deliveries against changes until the end of the transaction. */
  async lock(tx: Queryable, tenant: TenantId, id: string): Promise<EndpointRow | null> {
    const [row] = await tx.query<EndpointRow>(
      `select ${COLUMNS} from reelform.webhook_endpoints where tenant = $1 and id = $2 for no key update`,
      [tenant, id],
    );
    return row ?? null;
  },

  /** Counts the tenant's endpoints and blocks additions until the end of the transaction. */
  async count(tx: Queryable, tenant: TenantId): Promise<number> {
    await tx.query(`select pg_advisory_xact_lock(hashtextextended('webhook_endpoints ' || $1::text, 0))`, [tenant]);
    const [row] = await tx.query<{ count: number }>(
      'select count(*) as count from reelform.webhook_endpoints where tenant = $1',
      [tenant],
    );
    return row!.count;
  },

  async insert(
    tx: Queryable,
    { id, tenant, url, description, types, client_id, secret, at }: NewEndpoint,
  ): Promise<EndpointRow> {
    const [row] = await tx.query<EndpointRow>(
      `insert into reelform.webhook_endpoints
          (id, tenant, url, description, types, secret, enabled_at, created_at, updated_at, client_id)
        values ($1, $2, $3, $4, $5::text[], $6, $7::timestamptz, $7::timestamptz, $7::timestamptz, $8) returning ${COLUMNS}`,
      [id, tenant, url, description, types, secret, at, client_id],
    );
    return row!;
  },

  async update(
    tx: Queryable,
    { id, url, description, types }: Pick<EndpointRow, 'id' | 'url' | 'description' | 'types'>,
    at: string,
  ): Promise<void> {
    await tx.query(
      `update reelform.webhook_endpoints
        set url = $2, description = $3, types = $4::text[], updated_at = $5::timestamptz where id = $1`,
      [id, url, description, types, at],
    );
  },

  /** Enables an endpoint and resets its failures. */
  async enable(tx: Queryable, id: string, at: string): Promise<void> {
    await tx.query(
      `update reelform.webhook_endpoints
        set disabled_because = null, enabled_at = $2::timestamptz, failing_since = null, updated_at = $2::timestamptz
        where id = $1`,
      [id, at],
    );
  },

  /** Disables an endpoint and cancels its pending deliveries. */
  async disable(tx: Queryable, id: string, because: DisabledReason, at: string): Promise<void> {
    await tx.query(
      `update reelform.webhook_endpoints set disabled_because = $2, updated_at = $3::timestamptz where id = $1`,
      [id, because, at],
    );
    await tx.query(
      `update reelform.webhook_deliveries
        set status = 'canceled', next_attempt_at = null, ended_at = $2::timestamptz
        where endpoint_id = $1 and status = 'pending'`,
      [id, at],
    );
  },

  /** Sets a new secret. The current secret stays valid until `previousUntil`; the secret before it does not. */
  async rotate(tx: Queryable, id: string, secret: string, previousUntil: string, at: string): Promise<void> {
    await tx.query(
      `update reelform.webhook_endpoints
        set previous_secret = secret, previous_secret_until = $3::timestamptz, secret = $2, updated_at = $4::timestamptz
        where id = $1`,
      [id, secret, previousUntil, at],
    );
  },

  async remove(tx: Queryable, tenant: TenantId, id: string): Promise<boolean> {
    const gone = await tx.query('delete from reelform.webhook_endpoints where tenant = $1 and id = $2 returning id', [
      tenant,
      id,
    ]);
    return gone.length > 0;
  },
};

/** Formats an endpoint for its owner. */
export function asEndpoint({ disabled_because, failing_since, ...row }: EndpointRow): WebhookEndpoint {
  const { id, url, description, types, client_id, created_at, updated_at } = row;
  const signature = client_id === null ? 'standard' : 'shakr';
  const enabled = disabled_because === null;
  const state = { enabled, disabled_because, failing_since };
  return { id, url, description, types, signature, client_id, ...state, created_at, updated_at };
}
