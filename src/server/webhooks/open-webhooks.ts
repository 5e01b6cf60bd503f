import type { StoredSession, TenantId } from '../../session/ports.ts';
import type { AllowList } from '../../session/sources/allow-list.ts';
import type { StyleVersionRow } from '../ports.ts';
import type { JobHandler } from '../queue/job-handlers.ts';
import type { JobQueue } from '../queue/job-queue.ts';
import type { Database, Queryable } from '../store/database.ts';
import type { Log } from '../telemetry/log.ts';
import { deliveryTable } from './delivery-table.ts';
import { createWebhookOutbox } from './webhook-outbox.ts';
import { createPostWebhook } from './webhook-request.ts';
import { createWebhookSender, type WebhookOutcome } from './webhook-sender.ts';
import { Webhooks } from './webhooks.ts';

export interface OpenWebhooksOptions {
  readonly database: Database;
  readonly queue: Pick<JobQueue, 'enqueue'>;
  /** Where webhooks may go although it is not public. */
  readonly allow: AllowList;
  readonly log: Log;
  /** Milliseconds since the epoch. */
  now(): number;
  onTried?(outcome: WebhookOutcome): void;
}

/** What a finished delivery to a storage is told by. */
export interface CompleteUpload {
  readonly tenant: TenantId;
  readonly sessionId: string;
  readonly to: string;
  readonly remoteId: string | null;
  /** When it was complete: ISO 8601. */
  readonly at: string;
}

/** Webhooks, put together: what is told, to whom, and who sends it. `on…` are for the transaction of what happened. */
export interface OpenWebhooks {
  readonly api: Webhooks;
  /** Does the jobs of the queue `webhook`. */
  readonly handler: JobHandler;
  /** Every status that a session comes into, but `draft`. */
  onSessionStatus(tx: Queryable, stored: StoredSession): Promise<void>;
  /** Every status that a tenant's own style version comes into; nobody is told of everybody's. */
  onStyleVersionStatus(tx: Queryable, row: StyleVersionRow): Promise<void>;
  onUploadComplete(tx: Queryable, upload: CompleteUpload): Promise<void>;
  /** Deliveries on their way. */
  pending(): Promise<number>;
}

export function openWebhooks({ database, queue, allow, log, now, onTried }: OpenWebhooksOptions): OpenWebhooks {
  const outbox = createWebhookOutbox({ queue, now });
  const handler = createWebhookSender({
    ...{ database, outbox, log, now },
    random: Math.random,
    post: createPostWebhook({ allow, now }),
    ...(onTried === undefined ? {} : { onTried }),
  });
  return {
    api: new Webhooks({ database, outbox, allow, now }),
    handler,
    async onSessionStatus(tx, { tenant, session }) {
      if (session.status === 'draft') return;
      const type = 'render_session.status.changed';
      await outbox.write(tx, { tenant, type, at: session.updated_at, data: { render_session: session } });
    },
    async onStyleVersionStatus(tx, { tenant, details }) {
      if (tenant === null) return;
      const type = 'template_style_version.status.changed';
      await outbox.write(tx, { tenant, type, at: new Date(now()).toISOString(), data: { style_version: details } });
    },
    async onUploadComplete(tx, { tenant, sessionId, to, remoteId, at }) {
      const type = 'render_session.external_upload.complete';
      const data = { render_session_id: sessionId, to, remote_id: remoteId };
      await outbox.write(tx, { tenant, type, at, data });
    },
    pending: () => deliveryTable.pending(database),
  };
}
