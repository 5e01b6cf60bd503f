import { expect, it } from 'vitest';
import {
  instantChunks,
  mortal,
  openDistributedFarm,
  runThrough,
} from '../server/distributed-render/distributed-farm.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { count, tell } from '../support/proof.ts';

/** The process dies at every n-th call. */
const STRIDE = count(1, 7);

describeOnDatabases('a process of a video in chunks that dies before or after any of its calls', (databases, kind) => {
  it('reaches the same result', async () => {
    const { database } = await databases.open();
    let kills = 0;
    for (let point = 0, wasKilled = true; wasKilled; point += STRIDE) {
      const renderer = instantChunks();
      const farm = await openDistributedFarm(database, { renderer });
      const id = await farm.create(`Hi ${point}`);
      let calls = 0;
      await runThrough(
        farm,
        mortal(() => calls++ === point),
      );
      wasKilled = calls > point;
      kills += wasKilled ? 1 : 0;
      const { status, render_progress, errors } = await farm.get(id);
      const end = { point, status, render_progress, errors, jobs: await farm.jobs() };
      expect(end).toEqual({ point, status: 'preview_rendered', render_progress: 100, errors: [], jobs: [] });
      // At most one part or the join is repeated.
      expect(renderer.said.length).toBeLessThanOrEqual(4);
      const ends = farm.events.filter((event) => event.kind === 'session-ended' && event.status === 'preview_rendered');
      expect(ends.length).toBeLessThanOrEqual(1);
      expect(await database.query('select 1 from reelform.session_splits')).toEqual([]);
      const left = (await farm.storage.list('parts/')).map(({ name }) => name);
      expect(left.filter((name) => name !== `${id}.1`)).toEqual([]);
    }
    tell(`${kind}: killed at ${kills} points, every session rendered, at most one chunk done again`);
  }, 300_000);
});
