import { expect, it } from 'vitest';
import { JobQueue } from '../../src/server/queue/job-queue.ts';
import { openDatabase } from '../../src/server/store/open-database.ts';
import { createSessionTable } from '../../src/server/store/session-table.ts';
import { makeClaim, makeStored, NOW } from '../server/store/sessions.ts';
import { describeOnDatabases, SILENT } from '../support/databases.ts';
import { count } from '../support/proof.ts';

const KEYS = count(100, 5);
const AT_ONCE = 40;

describeOnDatabases('many requests with one key at once', (databases, kind) => {
  it(`create one session and one job per key, with ${KEYS} keys × ${AT_ONCE}`, async () => {
    const { database } = await databases.open();
    const queue = await JobQueue.open({ database, jobSeconds: 60, log: SILENT });
    const table = createSessionTable({
      database,
      now: () => NOW,
      onStatus: (tx, { session }) => queue.enqueue(tx, 'render', session.id),
    });
    const keys = Array.from({ length: KEYS }, (_, index) => `key-${index}`);
    const answers = await Promise.all(
      // Interleaved, so that requests of one key are not adjacent.
      Array.from({ length: AT_ONCE }, () => keys)
        .flat()
        .map(async (key) => ({ key, answer: await table.create(makeStored(), makeClaim(key)) })),
    );
    for (const key of keys) {
      const ofKey = answers.filter((answer) => answer.key === key).map(({ answer }) => answer);
      expect(ofKey.filter(({ kind }) => kind === 'done')).toHaveLength(1);
      expect(ofKey.filter(({ kind }) => kind === 'replayed')).toHaveLength(AT_ONCE - 1);
      expect(new Set(ofKey.map((answer) => 'value' in answer && answer.value.id)).size).toBe(1);
      expect(await table.create(makeStored(), makeClaim(key, 'another body'))).toEqual({ kind: 'reused' });
    }
    expect(await database.query('select count(*) as sessions from reelform.sessions')).toEqual([{ sessions: KEYS }]);
    expect(await queue.depth()).toEqual({ queued: KEYS, active: 0, dead: 0 });
    await queue.stop({ graceMs: 0 });
  });

  it.skipIf(kind === 'pglite')('answer busy after waiting for 5 s and replay afterwards', async () => {
    const { database, url, directory } = await databases.open();
    const second = await openDatabase({ url, directory, log: SILENT });
    let begun = (): void => {};
    let finish = (): void => {};
    const atWork = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const slow = createSessionTable({
      database,
      now: () => NOW,
      onStatus() {
        begun();
        return finished;
      },
    });
    const quick = createSessionTable({ database: second, now: () => NOW, async onStatus() {} });
    const stored = makeStored();
    const first = slow.create(stored, makeClaim('k'));
    await atWork;
    expect(await quick.create(makeStored(), makeClaim('k'))).toEqual({ kind: 'busy' });
    const third = quick.create(makeStored(), makeClaim('k'));
    finish();
    expect(await first).toMatchObject({ kind: 'done' });
    expect(await third).toEqual({ kind: 'replayed', value: stored.session });
    await second.close();
  });
});
