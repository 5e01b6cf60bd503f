import type { UploadTable } from '../ports.ts';
import type { Database } from './database.ts';

/** Which tenant has uploaded which bytes, in the database. */
export function createUploadTable(database: Database): UploadTable {
  return {
    async add(tenant, digest) {
      await database.query('insert into reelform.uploads (tenant, digest) values ($1, $2) on conflict do nothing', [
        tenant,
        digest,
      ]);
    },
    async has(tenant, digest) {
      const found = await database.query('select 1 from reelform.uploads where tenant = $1 and digest = $2', [
        tenant,
        digest,
      ]);
      return found.length > 0;
    },
  };
}
