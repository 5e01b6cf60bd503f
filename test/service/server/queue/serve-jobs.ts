import { setTimeout } from 'node:timers/promises';
import type { RenderSession } from '../../../../src/contract/wire/render-session.ts';
import { sha256 } from '../../../../src/kernel/digest.ts';
import { SILENT_LOG } from '../../../../src/service/server/log.ts';
import { migrate } from '../../../../src/service/server/migrate.ts';
import { JobQueue } from '../../../../src/service/server/queue/job-queue.ts';
import { Lane } from '../../../../src/service/server/queue/lane.ts';
import { openDatabase } from '../../../../src/service/server/store/open-database.ts';
import { createSessionTable } from '../../../../src/service/server/store/session-table.ts';
import { makeClaim, makeStored } from '../store/sessions.ts';

// A separate process for kill tests: creates a session per key (as a client does again after a crash) and renders the
// queued sessions in steps. Prints each session that ends, and reports when all have ended and no job is left.
const [url = '', directory = '', keys = '0', stepMs = '5'] = process.argv.slice(2);
const database = await openDatabase({ url: url || null, directory, log: SILENT_LOG });
await migrate(database, SILENT_LOG);
const queue = await JobQueue.open({ database, jobSeconds: 60, log: SILENT_LOG });
const table = createSessionTable({
  database,
  now: () => Date.now(),
  onStatus: async (tx, { session }) => {
    if (session.status === 'preview_rendering') await queue.enqueue(tx, 'render', session.id);
  },
});
const say = (line: string): void => void process.stdout.write(`${line}\n`);

await queue.work({
  render: {
    lane: new Lane({ places: 3 }),
    async run(id, signal) {
      const taken = await table.begin(id);
      if (taken === null) return;
      const { attempt, session } = taken;
      say(`begun ${id} ${attempt}`);
      for (const render_progress of [25, 50, 75]) {
        await setTimeout(Number(stepMs), undefined, { signal });
        await table.record(id, attempt, { ...session, render_progress });
      }
      await end(id, attempt, { ...session, status: 'preview_rendered', render_progress: 100, title: `by ${attempt}` });
    },
    async onDead(id) {
      const taken = await table.begin(id);
      if (taken !== null) await end(id, taken.attempt, { ...taken.session, status: 'preview_failed' });
    },
  },
});
say('ready');
for (let key = 0; key < Number(keys); key++) {
  const answer = await table.create(makeStored(), makeClaim(`key ${key}`, 'body', Date.now() + 86_400_000));
  if (!answer.isReplay) say(`created ${answer.value.id}`);
}
for (;;) {
  // A kill between the end of a session and the end of its job leaves the job to another worker.
  const [row] = await database.query<{ left: number; all: number; jobs: number }>(
    `select count(*) as all, count(*) filter (where status = 'preview_rendering') as left,
            (select count(*) from reelform_jobs.job where state in ('created', 'retry', 'active')) as jobs
       from reelform.sessions`,
  );
  if (row!.all === Number(keys) && row!.left === 0 && row!.jobs === 0) break;
  await setTimeout(50);
}
say('all ended');
await queue.stop({ graceMs: 1000 });
await database.close();

async function end(id: string, attempt: number, session: RenderSession): Promise<void> {
  if (await table.record(id, attempt, session, sha256(id))) say(`ended ${id} ${attempt}`);
  else say(`fenced ${id} ${attempt}`);
}
