import { RenderError } from '../../../engine/render-error.ts';
import type { SourceReader, TenantId } from '../../sessions/ports.ts';
import type { RenderPool } from '../../sessions/processes/render-pool.ts';
import { KILLED_BY, TaskKilled, type TaskRunner } from '../../sessions/processes/tasks.ts';
import { validAllowList } from '../../sessions/sources/allow-list.ts';
import { createSources, type InspectSource, type Sources } from '../../sessions/sources/sources.ts';
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
interface OpenedSources extends Pick<Sources, 'prune'> {
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

/** Inspects sources in sandboxed processes. */
export function inspectIn(processes: TaskRunner<'source'>): InspectSource {
  return async (bytes, kind, { owner, signal }) => {
    try {
      return await processes.run('source', { kind }, { bytes, owner, ...(signal && { signal }) });
    } catch (error) {
      if (!(error instanceof TaskKilled)) throw error;
      throw new RenderError('asset_too_large', `The file ${KILLED_BY[error.reason]}; convert it`, { cause: error });
    }
  };
}
