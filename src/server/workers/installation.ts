import { randomBytes } from 'node:crypto';
import { ReelformError } from '../../diagnostic.ts';
import type { ObjectStorage } from '../ports.ts';
import type { Database } from '../store/database.ts';

/** What is one service, however many processes it has: a database, and the storage that goes with it. */
export interface Installation {
  readonly database: Database;
  readonly storage: ObjectStorage;
}

/** Leaves word of what workers have to know: where clients find the service, and that this storage is its own. EDGE. */
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
 * What a worker joins. EDGE.
 *
 * @param publicUrl as the settings have it
 * @returns where clients find the service, without a slash at its end
 * @throws ReelformError `settings_invalid`: no service has left word yet, or its storage is another one
 */
export async function joinInstallation(
  { database, storage }: Installation,
  publicUrl: string | null,
): Promise<{ readonly publicUrl: string }> {
  const mark = await readFact(database, 'storage');
  const found = publicUrl ?? (await readFact(database, 'public_url'));
  if (mark === null || found === null) {
    throw new ReelformError('settings_invalid', 'No service has been started on this database yet', {
      hint: 'Start `reelform serve` with the same settings first: a worker renders what it accepts',
    });
  }
  if ((await storage.stat(markOf(mark))) === null) {
    throw new ReelformError('settings_invalid', 'The storage of the worker is not the storage of the service', {
      hint: 'Give both the same storage: one bucket, or a data folder on a file system that they share',
    });
  }
  return { publicUrl: found };
}

/** Null also where there are no facts yet: a worker asks before anything is made. */
async function readFact(database: Database, name: string): Promise<string | null> {
  const [found] = await database.query<{ there: boolean }>(`select to_regclass('reelform.facts') is not null as there`);
  if (found?.there !== true) return null;
  const [row] = await database.query<{ value: string }>('select value from reelform.facts where name = $1', [name]);
  return row?.value ?? null;
}

function markOf(id: string): string {
  return `installation/${id}`;
}
