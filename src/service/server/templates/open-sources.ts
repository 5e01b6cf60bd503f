import type { SourceReader, TenantId } from '../../sessions/ports.ts';
import { inspectIn } from '../../sessions/processes/inspect-in.ts';
import type { RenderPool } from '../../sessions/processes/render-pool.ts';
import { validAllowList } from '../../sessions/sources/allow-list.ts';
import { createSources, type Sources } from '../../sessions/sources/sources.ts';
import type { DiskSpace } from '../data-folder.ts';
import { countedSources } from '../event-reporters.ts';
import type { ObjectStorage } from '../ports.ts';
import type { ServiceContext } from '../service-context.ts';
import type { Settings } from '../settings/settings-table.ts';
import type { ServiceMetrics } from '../telemetry/metrics.ts';
import { createSourceUploads, createStoredSources, createUploadTable, type SourceUploads } from './source-uploads.ts';

/** Enough for four sessions that read at once; a single tenant gets half. */
const READS_AT_ONCE = 32;

interface OpenSourcesOptions extends Pick<ServiceContext, 'database' | 'now'> {
  readonly settings: Pick<Settings, 'allowSources' | 'storage'>;
  /** Folder of uploads and fetched copies; absolute. */
  readonly directory: string;
  readonly storage: ObjectStorage;
  readonly room: DiskSpace;
  readonly inspections: RenderPool;
  readonly metrics: ServiceMetrics;
  /** Tenants with the same scope share fetched copies. */
  scopeOf(tenant: TenantId): string;
}

/** The sources of sessions. */
export interface OpenedSources extends Pick<Sources, 'prune'> {
  readonly reader: SourceReader;
  readonly uploads: SourceUploads;
}

/** Opens the reader of sources and the uploads of clients. */
export function openSources(options: OpenSourcesOptions): OpenedSources {
  const { database, now, settings, directory, storage, room, inspections, metrics, scopeOf } = options;
  const table = createUploadTable(database);
  const inspect = inspectIn(inspections);
  const sources = createSources({
    directory,
    allow: validAllowList(settings.allowSources),
    isOneRun: false,
    now,
    scopeOf,
    readsAtOnce: READS_AT_ONCE,
    inspect,
    mayRead: (tenant, digest) => table.has(tenant, digest),
    // Workers on other machines read uploads from the bucket.
    ...(settings.storage === null ? {} : { uploads: createStoredSources(storage) }),
  });
  return {
    reader: countedSources(sources.reader, metrics, room),
    uploads: createSourceUploads({ store: sources.uploads, table, inspect }),
    prune: sources.prune,
  };
}
