import { setTimeout } from 'node:timers/promises';
import { parseCredentials } from '../../../../src/contract/destinations/parse-credentials.ts';
import { openDeliveries } from '../../../../src/service/server/deliveries/deliveries.ts';
import { SILENT_LOG } from '../../../../src/service/server/log.ts';
import { migrate } from '../../../../src/service/server/migrate.ts';
import { JobQueue } from '../../../../src/service/server/queue/job-queue.ts';
import { createDiskStorage } from '../../../../src/service/server/storage/object-storage.ts';
import { createStoredOutputs } from '../../../../src/service/server/storage/stored-outputs.ts';
import { openDatabase } from '../../../../src/service/server/store/open-database.ts';
import { createSessionTable } from '../../../../src/service/server/store/session-table.ts';
import { createMetrics } from '../../../../src/service/server/telemetry/metrics.ts';
import { createDestinations } from '../../../../src/service/sessions/session-deliveries.ts';
import { renderedFile } from '../../../support/in-memory.ts';
import { makeClaim, makeInput, makeStored } from '../store/sessions.ts';

// A separate process for kill tests: creates the given number of rendered sessions and delivers each to two
// destinations. Prints each delivery that ends, and reports when all have ended and no job is left.
const [url = '', directory = '', objects = '', bucket = '', sessions = '1', megabytes = '20'] = process.argv.slice(2);
const database = await openDatabase({ url: url || null, directory, log: SILENT_LOG });
await migrate(database, SILENT_LOG);
const queue = await JobQueue.open({ database, jobSeconds: 60, log: SILENT_LOG, pollSeconds: 0.5 });
const outputs = createStoredOutputs(createDiskStorage(objects));
const digest = makeInput('a');
const video = Buffer.alloc(Number(megabytes) * 2 ** 20, 'reelform');
await outputs.save(digest, 'name', [await renderedFile({ video })]);
const { credentials } = parseCredentials(
  {
    main: {
      kind: 's3',
      endpoint: bucket,
      path_style: true,
      allow: ['s3://videos/'],
      access_key_id_env: 'AWS_ACCESS_KEY_ID',
      secret_access_key_env: 'AWS_SECRET_ACCESS_KEY',
    },
  },
  { isServer: true, directory: objects },
);
const say = (line: string): void => void process.stdout.write(`${line}\n`);

const deliveries = openDeliveries({
  database,
  queue,
  outputs,
  metrics: createMetrics(),
  log: SILENT_LOG,
  now: Date.now,
  retryDelaysMs: [100, 100],
  places: 2,
  destinations: createDestinations({ credentials, isServer: true, env: process.env, directory: objects }),
  onUpload: async (_tx, _stored, { to, status }) => say(`ended ${to} ${status}`),
});
const table = createSessionTable({
  database,
  now: Date.now,
  onStatus: deliveries.onStatus,
  onUploads: deliveries.onUploads,
});
for (let index = 0; index < Number(sessions); index++) {
  const uploads = ['a', 'b'].map((name) => ({
    to: `s3://videos/${index}/${name}.mp4`,
    credential: 'main',
    status: 'pending' as const,
    remote_id: null,
    url: null,
    error: null,
  }));
  const video_url = '/outputs/name/video.mp4';
  const stored = makeStored({ id: `rs_${index}`, external_uploads: uploads });
  await table.create(stored, makeClaim(`key ${index}`, 'body', Date.now() + 86_400_000));
  const begun = await table.begin(`rs_${index}`);
  if (begun === null) continue;
  await table.record(`rs_${index}`, begun.attempt, { ...begun.session, status: 'preview_rendered', video_url }, digest);
}
await queue.work({ delivery: deliveries.handler });
say('ready');
for (;;) {
  const [row] = await database.query<{ left: number; jobs: number }>(
    `select sum(open_uploads)::int as left,
            (select count(*) from reelform_jobs.job where state in ('created', 'retry', 'active')) as jobs
       from reelform.sessions`,
  );
  if (row!.left === 0 && row!.jobs === 0) break;
  await setTimeout(50);
}
say('all ended');
await queue.stop({ graceMs: 1000 });
await database.close();
