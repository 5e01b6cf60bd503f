import { randomBytes } from 'node:crypto';
import type { Database } from './database.ts';

/**
 * A secret of this database, made when it is first asked for: the same for every process, and gone with the database.
 *
 * @returns 32 random bytes, base64url
 */
export async function readSecret(database: Database, name: string): Promise<string> {
  await database.query('insert into reelform.secrets (name, value) values ($1, $2) on conflict do nothing', [
    name,
    randomBytes(32).toString('base64url'),
  ]);
  const [row] = await database.query<{ value: string }>('select value from reelform.secrets where name = $1', [name]);
  return row!.value;
}
