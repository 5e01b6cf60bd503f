import { randomBytes } from 'node:crypto';
import { type ServiceError, serviceError } from '../../../contract/service-error.ts';
import type { ExternalUpload } from '../../../contract/wire/render-session.ts';
import type {
  ChangeWebhookEndpoint,
  CreateWebhookEndpoint,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookEndpointWithSecret,
} from '../../../contract/wire/webhook.ts';
import type { Claimed, IdempotencyClaim, StoredSession, TenantId } from '../../sessions/ports.ts';
import type { AllowList } from '../../sessions/sources/allow-list.ts';
import type { StyleVersionRow } from '../ports.ts';
import type { ServiceContext } from '../service-context.ts';
import type { Queryable } from '../store/database.ts';
import { runIdempotent } from '../store/idempotency-claims.ts';
import type { WebhookOutcome } from '../telemetry/metrics.ts';
import { type DeliveryQuery, deliveryTable } from './delivery-table.ts';
import { asEndpoint, type EndpointRow, endpointTable } from './endpoint-table.ts';
import { createWebhookOutbox, originOf, type WebhookOutbox } from './webhook-outbox.ts';
import { createPostWebhook, createWebhookSecret, webhookUrlProblem } from './webhook-request.ts';
import { createWebhookSender } from './webhook-sender.ts';

/** Maximum number per tenant. */
export const MAX_ENDPOINTS = 20;
const HOUR_MS = 3_600_000;

interface WebhooksOptions extends Pick<ServiceContext, 'database' | 'now'> {
  readonly outbox: Pick<WebhookOutbox, 'writeTest' | 'plan'>;
  /** Non-public hosts that webhooks may be sent to. */
  readonly allow: AllowList;
}

type NewWebhookEndpoint = Omit<CreateWebhookEndpoint, 'signature'> & {
  /** Key of the signature `shakr`; null for `standard`. */
  readonly clientId?: string | null;
};

/** An endpoint with its secret, and whether it is a replay of an earlier request with the same Idempotency-Key. */
interface SecretAnswer {
  readonly endpoint: WebhookEndpointWithSecret;
  readonly isReplay: boolean;
}

/** Manages the webhook endpoints of tenants. Endpoints of other tenants behave as not found. */
export class Webhooks {
  readonly #options: WebhooksOptions;

  constructor(options: WebhooksOptions) {
    this.#options = options;
  }

  /** Oldest first. */
  async list(tenant: TenantId): Promise<WebhookEndpoint[]> {
    return (await endpointTable.list(this.#options.database, tenant)).map(asEndpoint);
  }

  /**
   * Requires an enabled endpoint with the origin of a session's `webhook_url`.
   *
   * @throws ServiceError 422 `webhook_url_refused`
   */
  async requireEndpoint(tenant: TenantId, url: string): Promise<void> {
    const origin = originOf(url);
    const endpoints = await endpointTable.list(this.#options.database, tenant);
    const hasEndpoint = endpoints.some((row) => row.disabled_because === null && originOf(row.url) === origin);
    if (origin !== null && hasEndpoint) return;
    const detail =
      origin === null
        ? 'it is not a URL'
        : `the tenant has no enabled webhook endpoint at ${origin}; create an endpoint first`;
    throw serviceError('webhook_url_refused', `Events cannot be sent to webhook_url: ${detail}`, [
      { code: 'webhook_url_refused', pointer: '#/webhook_url', detail },
    ]);
  }

  /** @throws ServiceError 404 */
  async get(tenant: TenantId, id: string): Promise<WebhookEndpoint> {
    return asEndpoint(await this.#find(tenant, id));
  }

  /** @throws ServiceError 422 `webhook_url_refused`, 409 `too_many_endpoints` */
  async create(
    tenant: TenantId,
    { url, description = '', types = null, clientId = null }: NewWebhookEndpoint,
    claim: IdempotencyClaim | null = null,
  ): Promise<SecretAnswer> {
    this.#checkUrl(url);
    const made = await this.#claimed(tenant, claim, async (tx) => {
      if ((await endpointTable.count(tx, tenant)) >= MAX_ENDPOINTS) {
        throw serviceError('too_many_endpoints', `A tenant can have at most ${MAX_ENDPOINTS} webhook endpoints`);
      }
      const secret = createWebhookSecret();
      const id = `whe_${randomBytes(18).toString('base64url')}`;
      const row = await endpointTable.insert(tx, {
        id,
        tenant,
        url,
        description,
        types: plainTypes(types),
        secret,
        client_id: clientId,
        at: this.#iso(),
      });
      return { ...asEndpoint(row), secret };
    });
    return answerOf(made!);
  }

  /** @throws ServiceError 404, 422 `webhook_url_refused` */
  async change(tenant: TenantId, id: string, change: ChangeWebhookEndpoint): Promise<WebhookEndpoint> {
    if (change.url !== undefined) this.#checkUrl(change.url);
    return this.#options.database.transaction(async (tx) => {
      const row = await endpointTable.lock(tx, tenant, id);
      if (row === null) throw noEndpoint(id);
      const at = this.#iso();
      const { url = row.url, description = row.description, types = row.types } = change;
      await endpointTable.update(tx, { id, url, description, types: plainTypes(types) }, at);
      const isEnabled = row.disabled_because === null;
      if (change.enabled === true && !isEnabled) await endpointTable.enable(tx, id, at);
      if (change.enabled === false && isEnabled) await endpointTable.disable(tx, id, 'request', at);
      return asEndpoint((await endpointTable.find(tx, tenant, id))!);
    });
  }

  /** Removes an endpoint with its deliveries. @throws ServiceError 404 */
  async remove(tenant: TenantId, id: string): Promise<void> {
    if (!(await endpointTable.remove(this.#options.database, tenant, id))) throw noEndpoint(id);
  }

  /**
   * Replaces the secret; the previous secret stays valid for a while.
   *
   * @param keepHours 0 if the previous secret is compromised
   * @throws ServiceError 404
   */
  async rotate(
    tenant: TenantId,
    id: string,
    keepHours: number,
    claim: IdempotencyClaim | null = null,
  ): Promise<SecretAnswer> {
    const rotated = await this.#claimed(tenant, claim, async (tx) => {
      const row = await endpointTable.lock(tx, tenant, id);
      if (row === null) return null;
      const secret = createWebhookSecret();
      const previousUntil = new Date(this.#options.now() + keepHours * HOUR_MS).toISOString();
      const at = this.#iso();
      await endpointTable.rotate(tx, id, secret, previousUntil, at);
      return { ...asEndpoint({ ...row, updated_at: at }), secret };
    });
    if (rotated === null) throw noEndpoint(id);
    return answerOf(rotated);
  }

  /** Returns deliveries, newest first. @throws ServiceError 404, 400 for an unknown cursor */
  async deliveries(
    tenant: TenantId,
    id: string,
    query: DeliveryQuery,
  ): Promise<{ readonly deliveries: WebhookDelivery[]; readonly nextCursor: string | null }> {
    await this.#find(tenant, id);
    return deliveryTable.list(this.#options.database, id, query);
  }

  /** Sends a message again from the beginning of the schedule. @throws ServiceError 404, 409 `endpoint_disabled` */
  async redeliver(tenant: TenantId, id: string, deliveryId: string): Promise<WebhookDelivery> {
    return this.#whileEnabled(tenant, id, async (tx) => {
      const turn = await deliveryTable.restart(tx, id, deliveryId, this.#iso());
      if (turn === null)
        throw serviceError('not_found', `The endpoint has no webhook event ${deliveryId}; it may have expired`);
      await this.#options.outbox.plan(tx, { tenant, deliveryId, endpointId: id, turn, delayMs: 0 });
      return (await deliveryTable.find(tx, id, deliveryId))!;
    });
  }

  /** Sends a test message, once. @throws ServiceError 404, 409 `endpoint_disabled` */
  async test(tenant: TenantId, id: string): Promise<WebhookDelivery> {
    return this.#whileEnabled(tenant, id, async (tx) => {
      const deliveryId = await this.#options.outbox.writeTest(tx, tenant, id);
      return (await deliveryTable.find(tx, id, deliveryId))!;
    });
  }

  #whileEnabled<T>(tenant: TenantId, id: string, work: (tx: Queryable) => Promise<T>): Promise<T> {
    return this.#options.database.transaction(async (tx) => {
      const row = await endpointTable.lock(tx, tenant, id);
      if (row === null) throw noEndpoint(id);
      if (row.disabled_because !== null) {
        throw serviceError('endpoint_disabled', `The endpoint ${id} is disabled; enable it with {"enabled": true}`);
      }
      return work(tx);
    });
  }

  async #find(tenant: TenantId, id: string): Promise<EndpointRow> {
    const row = await endpointTable.find(this.#options.database, tenant, id);
    if (row === null) throw noEndpoint(id);
    return row;
  }

  #claimed(
    tenant: TenantId,
    claim: IdempotencyClaim | null,
    work: (tx: Queryable) => Promise<WebhookEndpointWithSecret | null>,
  ): Promise<Claimed<WebhookEndpointWithSecret> | null> {
    const { database, now } = this.#options;
    return runIdempotent(database, { tenant, claim, now: now() }, work);
  }

  #checkUrl(url: string): void {
    const problem = webhookUrlProblem(url, this.#options.allow);
    if (problem === null) return;
    throw serviceError('webhook_url_refused', `The URL ${problem}`, [
      { code: 'webhook_url_refused', pointer: '#/url', detail: `It ${problem}` },
    ]);
  }

  #iso(): string {
    return new Date(this.#options.now()).toISOString();
  }
}

/** Removes duplicates, which the schema allows. */
function plainTypes(types: EndpointRow['types']): EndpointRow['types'] {
  return types === null ? null : [...new Set(types)];
}

function answerOf({ value: endpoint, isReplay }: Claimed<WebhookEndpointWithSecret>): SecretAnswer {
  return { endpoint, isReplay };
}

function noEndpoint(id: string): ServiceError {
  return serviceError('not_found', `There is no webhook endpoint ${id}`);
}

interface OpenWebhooksOptions extends ServiceContext {
  /** Non-public hosts that webhooks may be sent to. */
  readonly allow: AllowList;
  /** Returns the present URL of the service, without a trailing slash. */
  publicUrl(): Promise<string>;
  onTried?(outcome: WebhookOutcome): void;
}

/** The webhook components of a service process. */
export type OpenedWebhooks = ReturnType<typeof openWebhooks>;

/** Opens the webhook components. The `on…` methods run in the transaction of their event. */
export function openWebhooks(options: OpenWebhooksOptions) {
  const { database, allow, now } = options;
  const outbox = createWebhookOutbox(options);
  const post = createPostWebhook({ allow, now });
  const handler = createWebhookSender({ ...options, outbox, post, random: Math.random });
  return {
    api: new Webhooks({ database, outbox, allow, now }),
    handler,
    /** Called for every status of a session; a draft is not announced. */
    async onSessionStatus(tx: Queryable, { tenant, session }: StoredSession): Promise<void> {
      if (session.status === 'draft') return;
      const type = 'render_session.status.changed';
      const sessionUrl = session.webhook_url ?? null;
      await outbox.write(tx, { tenant, type, at: session.updated_at, data: { render_session: session }, sessionUrl });
    },
    /** Called for every status of a style version; those for all tenants are not announced. */
    async onStyleVersionStatus(tx: Queryable, { tenant, details }: StyleVersionRow): Promise<void> {
      if (tenant === null) return;
      const type = 'template_style_version.status.changed';
      const at = new Date(now()).toISOString();
      await outbox.write(tx, { tenant, type, at, data: { style_version: details }, sessionUrl: null });
    },
    /** Called for every ended upload; a failed upload is not announced. */
    async onUpload(tx: Queryable, { tenant, session }: StoredSession, upload: ExternalUpload): Promise<void> {
      if (upload.status !== 'complete') return;
      const type = 'render_session.external_upload.complete';
      const data = { render_session_id: session.id, to: upload.to, remote_id: upload.remote_id };
      const sessionUrl = session.webhook_url ?? null;
      await outbox.write(tx, { tenant, type, at: session.updated_at, data, sessionUrl });
    },
  };
}

/** Counts the events that wait for their first or next attempt. */
export function pendingWebhooks(database: Queryable): Promise<number> {
  return deliveryTable.pending(database);
}
