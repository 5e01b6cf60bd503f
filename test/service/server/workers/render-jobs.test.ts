import { expect, it } from 'vitest';
import { SILENT_LOG } from '../../../../src/service/server/log.ts';
import { createSessionTable } from '../../../../src/service/server/store/session-table.ts';
import { createSessionWatch } from '../../../../src/service/server/workers/render-jobs.ts';
import { describeOnDatabases } from '../../../support/databases.ts';
import { makeStored } from '../store/sessions.ts';

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

describeOnDatabases('createSessionWatch()', (databases) => {
  it('stops work on a session that was canceled or removed elsewhere, even without progress', async () => {
    const { database } = await databases.open();
    const table = createSessionTable({ database, now: () => Date.now(), onStatus: async () => undefined });
    const watch = createSessionWatch(database, SILENT_LOG, 10);
    const stored = [makeStored(), makeStored(), makeStored()];
    for (const one of stored) await table.create(one, null);
    const [canceled, removed, wanted] = stored.map(({ session }) => session.id) as [string, string, string];
    const stop = new AbortController();
    const works = [canceled, removed, wanted].map((id) => watch.during(id, stop.signal, untilAborted));
    const { tenant } = stored[0]!;
    await table.change(tenant, canceled, null, (session) => ({ ...session, status: 'preview_canceled' }));
    await works[0];
    await table.remove(tenant, removed);
    await works[1];
    stop.abort(new Error('the worker stops'));
    await expect(works[2]).rejects.toThrow('the worker stops');
    await expect(
      watch.during(wanted, new AbortController().signal, async () => {
        throw new Error('the disk is full');
      }),
    ).rejects.toThrow('the disk is full');
  });
});
