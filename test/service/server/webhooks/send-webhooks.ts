import { setTimeout } from 'node:timers/promises';
import { SILENT_LOG } from '../../../../src/service/server/log.ts';
import { JobQueue } from '../../../../src/service/server/queue/job-queue.ts';
import { openDatabase } from '../../../../src/service/server/store/open-database.ts';
import { createSessionTable } from '../../../../src/service/server/store/session-table.ts';
import { openWebhooks, pendingWebhooks } from '../../../../src/service/server/webhooks/webhooks.ts';
import { ALLOW_EVERYTHING } from '../../../../src/service/sessions/sources/allow-list.ts';
import { shortenLeases } from '../../../support/short-leases.ts';
import { ACME, makeClaim, makeStored } from '../store/sessions.ts';

// A separate process for kill tests: creates an endpoint and a session per key, as a client does again after a crash,
// and sends the pending messages. Waiting times between tries are skipped.
const [url = '', directory = '', receiver = '', keys = '0'] = process.argv.slice(2);
const now = (): number => Date.now();
const claim = (key: string) => makeClaim(key, 'body', now() + 86_400_000);
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const database = await openDatabase({ url: url || null, directory, log: SILENT_LOG });
const queue = await JobQueue.open({
  database,
  jobSeconds: 60,
  log: SILENT_LOG,
  pollSeconds: 0.2,
});
const publicUrl = async () => 'https://videos.example.com';
const webhooks = openWebhooks({ database, queue, now, allow: ALLOW_EVERYTHING, publicUrl, log: SILENT_LOG });
const sessions = createSessionTable({ database, now, onStatus: webhooks.onSessionStatus });
const leases = shortenLeases(database);

const { endpoint } = await webhooks.api.create(ACME, { url: receiver }, claim('endpoint'));
say(`secret ${endpoint.secret}`);
await queue.work({ webhook: webhooks.handler });
say('ready');
for (let key = 0; key < Number(keys); key++) await sessions.create(makeStored(), claim(`key ${key}`));
for (;;) {
  await database.query(
    `update reelform_jobs.job set start_after = now() where name = 'webhook' and state = 'created' and start_after > now()`,
  );
  if ((await pendingWebhooks(database)) === 0) break;
  await setTimeout(100);
}
say('all told');
await leases.stop();
await queue.stop({ graceMs: 1000 });
await database.close();
