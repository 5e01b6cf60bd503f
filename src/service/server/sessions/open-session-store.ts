import type { SessionStore } from '../../sessions/ports.ts';
import type { Deliveries } from '../deliveries/deliveries.ts';
import type { OutputIndex } from '../ports.ts';
import { sessionEnqueuer } from '../queue/session-queue.ts';
import type { ServiceContext } from '../service-context.ts';
import type { Settings } from '../settings/settings-table.ts';
import { createSessionTable } from '../store/session-table.ts';
import type { Usage } from '../store/usage-table.ts';
import type { OpenedWebhooks } from '../webhooks/webhooks.ts';

interface SessionStoreOptions extends ServiceContext {
  readonly settings: Pick<Settings, 'maxQueued' | 'tenantMaxQueued' | 'maxQueuedTotal'>;
  readonly usage: Usage;
  readonly deliveries: Pick<Deliveries, 'onStatus' | 'onUploads'>;
  readonly webhooks: Pick<OpenedWebhooks, 'onSessionStatus'>;
}

/** Opens the table of sessions. The transaction that writes a status also queues its jobs, deliveries and events. */
export function openSessionStore(options: SessionStoreOptions): SessionStore & OutputIndex {
  const { database, queue, now, settings, usage, deliveries, webhooks } = options;
  const enqueueSession = sessionEnqueuer(queue, settings, usage);
  return createSessionTable({
    database,
    now,
    async onStatus(tx, stored) {
      const { status } = stored.session;
      await deliveries.onStatus(tx, stored);
      await webhooks.onSessionStatus(tx, stored);
      if (status === 'preview_rendering') await enqueueSession(tx, stored);
      if (status === 'preview_rendered') await usage.add(tx, stored);
    },
    onUploads: deliveries.onUploads,
  });
}
