import { randomBytes } from 'node:crypto';
import { ReelformError } from '../../kernel/diagnostic.ts';
import type { ObjectStorage } from './ports.ts';
import type { Database } from './store/database.ts';

/** A database with its storage, shared by any number of processes. */
interface Installation {
  readonly database: Database;
  readonly storage: ObjectStorage;
}

/** Records the facts that workers need: the public URL, and a mark that identifies the storage. */
export async function registerInstallation({ database, storage }: Installation, publicUrl: string): Promise<void> {
  await database.query(
    `insert into reelform.facts (name, value) values ('public_url', $1)
      on conflict (name) do update set value = excluded.value`,
    [publicUrl],
  );
  await database.query(`insert into reelform.facts (name, value) values ('storage', $1) on conflict do nothing`, [
    randomBytes(16).toString('hex'),
  ]);
  const key = markOf((await readFact(database, 'storage'))!);
  if ((await storage.stat(key)) === null) await storage.put(key, new TextEncoder().encode('reelform\n'));
}

/**
 * Verifies that a worker shares the storage of its installation.
 *
 * @param publicUrl from the settings
 * @returns the public URL without a trailing slash
 * @throws ReelformError `settings_invalid`: there is no service on the database yet, or its storage differs
 */
export async function joinInstallation(
  { database, storage }: Installation,
  publicUrl: string | null,
): Promise<{ readonly publicUrl: string }> {
  const mark = await readFact(database, 'storage');
  const found = publicUrl ?? (await readPublicUrl(database));
  if (mark === null || found === null) {
    throw new ReelformError('settings_invalid', 'No service has been started on this database yet', {
      hint: 'Start `reelform serve` with the same settings first',
    });
  }
  if ((await storage.stat(markOf(mark))) === null) {
    throw new ReelformError('settings_invalid', 'The worker and the service use different storages', {
      hint: 'Configure the same storage for both: one bucket, or a data folder on a shared file system',
    });
  }
  return { publicUrl: found };
}

/** Returns the public URL of the service that was started last; null before the first start. */
export async function readPublicUrl(database: Database): Promise<string | null> {
  return readFact(database, 'public_url');
}

/** Returns null when the table does not exist yet: a worker reads before any migration. */
async function readFact(database: Database, name: string): Promise<string | null> {
  const [found] = await database.query<{ there: boolean }>(`select to_regclass('reelform.facts') is not null as there`);
  if (found?.there !== true) return null;
  const [row] = await database.query<{ value: string }>('select value from reelform.facts where name = $1', [name]);
  return row?.value ?? null;
}

function markOf(id: string): string {
  return `installation/${id}`;
}
