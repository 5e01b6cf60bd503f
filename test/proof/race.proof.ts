import { expect, it } from 'vitest';
import { JobQueue } from '../../src/service/server/queue/job-queue.ts';
import { openDatabase } from '../../src/service/server/store/open-database.ts';
import { createSessionTable } from '../../src/service/server/store/session-table.ts';
import { makeClaim, makeStored, NOW } from '../service/server/store/sessions.ts';
import { describeOnDatabases, jobCounts, SILENT } from '../support/databases.ts';
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
      expect(ofKey.filter(({ isReplay }) => !isReplay)).toHaveLength(1);
      expect(ofKey.filter(({ isReplay }) => isReplay)).toHaveLength(AT_ONCE - 1);
      expect(new Set(ofKey.map(({ value }) => value.id)).size).toBe(1);
      const another = table.create(makeStored(), makeClaim(key, 'another body'));
      await expect(another).rejects.toMatchObject({ code: 'idempotency_key_reused' });
    }
    expect(await database.query('select count(*) as sessions from reelform.sessions')).toEqual([{ sessions: KEYS }]);
    expect(await jobCounts(database)).toEqual({ queued: KEYS, active: 0, dead: 0 });
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
    const early = quick.create(makeStored(), makeClaim('k'));
    await expect(early).rejects.toMatchObject({ code: 'idempotency_in_progress' });
    const third = quick.create(makeStored(), makeClaim('k'));
    finish();
    expect(await first).toMatchObject({ isReplay: false });
    expect(await third).toEqual({ isReplay: true, value: stored.session });
    await second.close();
  });
});
