import { join } from 'node:path';
import type { Logger } from 'pino';
import type { createRenderPool, RenderPool } from '../sessions/processes/render-pool.ts';
import { type DiskSpace, openDataFolder, watchDiskSpace } from './data-folder.ts';
import { joinInstallation, readPublicUrl, registerInstallation } from './installation.ts';
import { migrate } from './migrate.ts';
import type { ObjectStorage } from './ports.ts';
import { JobQueue } from './queue/job-queue.ts';
import { type OpenedRenderPool, openRenderPools } from './render-pools.ts';
import type { Settings } from './settings/settings-table.ts';
import { openStorage } from './storage/object-storage.ts';
import { readSecret } from './storage/stored-outputs.ts';
import type { Database } from './store/database.ts';
import { openDatabase } from './store/open-database.ts';

/** Folders of the data folder, created at the start. */
const OBJECTS = 'objects';
const SOURCES = 'sources';

export interface FoundationOptions {
  readonly settings: Settings;
  /**
   * URL under which clients reach the service. Null for a worker, which reads it from the database or its settings.
   */
  readonly servedAt: string | null;
  /** Replaces the render processes in benchmarks. */
  readonly pool?: RenderPool | undefined;
  /** Opens the render processes. Set by tests that keep processes between services. */
  readonly createRenderPool?: typeof createRenderPool | undefined;
  readonly logger: Logger;
}

/** The processes and stores that all components of the service use. */
export interface Foundation {
  readonly renders: OpenedRenderPool;
  /** Draws videos and stills. */
  readonly pool: RenderPool;
  readonly database: Database;
  readonly room: DiskSpace;
  readonly storage: ObjectStorage;
  /** Folder of uploaded and fetched sources; absolute. */
  readonly sourceDirectory: string;
  readonly queue: JobQueue;
  /** URL of the service when this process started, without a trailing slash. */
  readonly publicUrl: string;
  /** Returns the present URL of the service: another process may have registered a new URL. */
  readPublicUrl(): Promise<string>;
  /** Key that signs download URLs. */
  readonly downloadKey: Uint8Array;
  close(): Promise<void>;
}

/**
 * Opens the render processes, the database, the storage and the queue. Closes what it has opened if a later step fails.
 *
 * @throws ReelformError `sandbox_missing`, `data_exposed`, `data_in_use`, `database_unavailable`, `database_newer`,
 * `storage_unavailable`, and `settings_invalid` for a worker that may not join
 */
export async function openFoundation(options: FoundationOptions): Promise<Foundation> {
  const { settings, servedAt, logger } = options;
  const { databaseUrl: url, dataDirectory: directory } = settings;
  const renders = openRenderPools(settings, logger, options.createRenderPool);
  let database: Database | null = null;
  let queue: JobQueue | null = null;
  const close = async (): Promise<void> => {
    await queue?.stop({ graceMs: 0 });
    await renders.close();
    await database?.close();
  };
  try {
    const opened = await openDatabase({ url, directory, log: logger });
    database = opened;
    const room = watchDiskSpace(directory);
    const storage = await openStorage(settings, logger, room);
    // A worker that may not join must not change the database or create folders.
    const joined = servedAt === null ? await joinInstallation({ database, storage }, settings.publicUrl) : null;
    await openDataFolder(directory, [OBJECTS, SOURCES], logger);
    await migrate(database, logger);
    if (servedAt !== null) await registerInstallation({ database, storage }, servedAt);
    const publicUrl = joined?.publicUrl ?? servedAt!;
    queue = await JobQueue.open({ database, jobSeconds: settings.renderSeconds, log: logger });
    return {
      renders,
      pool: options.pool ?? renders.pool,
      database,
      room,
      storage,
      sourceDirectory: join(directory, SOURCES),
      queue,
      publicUrl,
      readPublicUrl: async () => settings.publicUrl ?? (await readPublicUrl(opened)) ?? publicUrl,
      downloadKey: Buffer.from(await readSecret(database, 'download'), 'base64url'),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
