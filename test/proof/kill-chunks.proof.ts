import { expect, it } from 'vitest';
import {
  FILES,
  instantChunks,
  mortal,
  openDistributedFarm,
  runThrough,
} from '../service/server/distributed-render/distributed-farm.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { count, tell } from '../support/proof.ts';

/** The process dies at every n-th call. */
const STRIDE = count(1, 15);

describeOnDatabases('a process of a video in chunks that dies before or after any of its calls', (databases, kind) => {
  it.each([
    { files: 'one file', outputs: undefined, hasScenes: false },
    { files: 'four files', outputs: FILES, hasScenes: false },
    { files: 'one file of two scenes', outputs: undefined, hasScenes: true },
  ])(
    'reaches the same result, with $files',
    async ({ files, outputs, hasScenes }) => {
      const { database } = await databases.open();
      /** Chunks and joins at each point; at the last one, nothing is killed. */
      const counts: number[] = [];
      for (let point = 0, wasKilled = true; wasKilled; point += STRIDE) {
        const renderer = instantChunks();
        const farm = await openDistributedFarm(database, { renderer });
        const text = `Hi ${point}`;
        const id = await (hasScenes ? farm.createScenes(text) : farm.create(text, 'Berlin', outputs));
        let calls = 0;
        await runThrough(
          farm,
          mortal(() => calls++ === point),
        );
        wasKilled = calls > point;
        counts.push(renderer.said.length);
        const { status, render_progress, errors, outputs: made } = await farm.get(id);
        const end = { point, status, render_progress, errors, jobs: await farm.jobs() };
        expect(end).toEqual({ point, status: 'preview_rendered', render_progress: 100, errors: [], jobs: [] });
        expect(made?.map(({ name }) => name)).toEqual(outputs?.map(({ name }) => name));
        const videos = (made ?? []).map(({ video_url }) => video_url);
        expect(new Set(videos).size).toBe(videos.length);
        const ends = farm.events.filter(
          (event) => event.kind === 'session-ended' && event.status === 'preview_rendered',
        );
        expect(ends.length).toBeLessThanOrEqual(1);
        expect(await database.query('select 1 from reelform.session_splits')).toEqual([]);
        const left = (await farm.storage.list('parts/')).map(({ name }) => name);
        expect(left.filter((name) => name !== `${id}.1`)).toEqual([]);
      }
      // At most one chunk or the join is repeated.
      expect(Math.max(...counts)).toBeLessThanOrEqual(counts.at(-1)! + 1);
      tell(`${kind}, ${files}: killed at ${counts.length - 1} points, every session rendered, at most one chunk again`);
    },
    300_000,
  );
});
