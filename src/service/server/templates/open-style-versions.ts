import type { TenantId } from '../../sessions/ports.ts';
import type { RenderPool } from '../../sessions/processes/render-pool.ts';
import type { ObjectStorage } from '../ports.ts';
import { nextPriority } from '../queue/fair-priority.ts';
import type { ServiceContext } from '../service-context.ts';
import { createStyleVersionTable } from '../store/style-version-table.ts';
import type { OpenedWebhooks } from '../webhooks/webhooks.ts';
import { StyleVersions } from './style-versions.ts';

interface OpenStyleVersionsOptions extends ServiceContext {
  readonly storage: ObjectStorage;
  /** Draws still cuts. */
  readonly pool: RenderPool;
  readonly inspections: RenderPool;
  readonly webhooks: Pick<OpenedWebhooks, 'onStyleVersionStatus'>;
  /** URL without a trailing slash. */
  readonly publicUrl: string;
  /** Tenants with the same scope share cached packages. */
  scopeOf(tenant: TenantId): string;
}

/** Opens the uploaded templates over the database, the storage and the queue `stillcuts`. */
export function openStyleVersions(options: OpenStyleVersionsOptions): StyleVersions {
  const { database, queue, now, storage, pool, inspections, webhooks, publicUrl, scopeOf } = options;
  return new StyleVersions({
    table: createStyleVersionTable(database, webhooks.onStyleVersionStatus),
    storage,
    renderer: pool,
    inspections,
    enqueue: (id, owner) =>
      database.transaction(async (tx) =>
        queue.enqueue(tx, 'stillcuts', id, { priority: await nextPriority(tx, 'stillcuts', owner) }),
      ),
    publicUrl,
    now,
    scopeOf,
  });
}
