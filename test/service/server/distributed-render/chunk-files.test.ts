import { expect, it } from 'vitest';
import { sweepChunkFiles } from '../../../../src/service/server/distributed-render/distributed-render-table.ts';
import { anyDatabases } from '../../../support/databases.ts';
import { openDistributedFarm } from './distributed-farm.ts';

const DAY_MS = 86_400_000;

it('sweepPartFiles() removes day-old files of dead processes and keeps those of running renders', async () => {
  const { database } = await anyDatabases.open();
  const { storage, create, run, cancel } = await openDistributedFarm(database);
  const [atWork, canceled] = [await create('at work'), await create('canceled')];
  for (const id of [atWork, canceled]) await run(id);
  await cancel(canceled);
  const sweep = (now: number): Promise<number> => sweepChunkFiles({ database, storage, now: () => now });
  expect(await sweep(Date.now())).toBe(0);
  expect(await database.query('select session_id from reelform.session_splits')).toEqual([{ session_id: atWork }]);
  expect(await sweep(Date.now() + DAY_MS)).toBe(1);
  expect((await storage.list('parts/')).map(({ name }) => name)).toEqual([`${atWork}.1`]);
});
