import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkReadiness } from '../../../src/service/server/readiness.ts';
import { createDiskStorage } from '../../../src/service/server/storage/object-storage.ts';
import { openDatabase } from '../../../src/service/server/store/open-database.ts';
import { pgliteDatabases, SILENT } from '../../support/databases.ts';

describe('checkReadiness()', () => {
  it('is ready while database, storage and worker respond, and names those that do not', async () => {
    const database = await openDatabase({ ...(await pgliteDatabases.address()), log: SILENT });
    const storage = createDiskStorage(await mkdtemp(join(tmpdir(), 'reelform-ready-')));
    let hasRoom = true;
    const room = { hasRoom: async () => hasRoom };
    const ask = (isWorking: boolean) =>
      checkReadiness({ database, storage, room, sandbox: { kind: 'landlock' }, isWorking: () => isWorking });
    const checks = { database: true, storage: true, disk: true, worker: true };
    expect(await ask(true)).toEqual({ ready: true, checks, sandbox: 'landlock' });
    expect(await ask(false)).toMatchObject({ ready: false, checks: { database: true, worker: false } });
    hasRoom = false;
    expect(await ask(true)).toMatchObject({ ready: false, checks: { database: true, storage: true, disk: false } });
    hasRoom = true;
    await database.close();
    expect(await ask(true)).toMatchObject({ ready: false, checks: { database: false, storage: true } });
  });
});
