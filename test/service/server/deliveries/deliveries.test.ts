import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { parseCredentials } from '../../../../src/contract/destinations/parse-credentials.ts';
import { uploadsEnded } from '../../../../src/contract/render-service.ts';
import type {
  ExternalUpload,
  ExternalUploadRequest,
  RenderSession,
} from '../../../../src/contract/wire/render-session.ts';
import { openDeliveries } from '../../../../src/service/server/deliveries/deliveries.ts';
import { JobQueue } from '../../../../src/service/server/queue/job-queue.ts';
import { createDiskStorage } from '../../../../src/service/server/storage/object-storage.ts';
import { createStoredOutputs } from '../../../../src/service/server/storage/stored-outputs.ts';
import { createSessionTable } from '../../../../src/service/server/store/session-table.ts';
import { createMetrics } from '../../../../src/service/server/telemetry/metrics.ts';
import type { TenantId } from '../../../../src/service/sessions/ports.ts';
import { addDeliveries, createDestinations } from '../../../../src/service/sessions/session-deliveries.ts';
import { describeOnDatabases, SILENT, type TestDatabases } from '../../../support/databases.ts';
import { renderedFile } from '../../../support/in-memory.ts';
import { type S3Fault, type S3Server, startS3Server } from '../../../support/s3-server.ts';
import { ACME, makeInput, makeStored } from '../store/sessions.ts';

const OTHER = 'other' as TenantId;
const VIDEO = Buffer.alloc(300_000, 'reelform');
/** A retryable failure that the SDK does not retry by itself. */
const FULL: S3Fault = { kind: 'status', status: 507, code: 'QuotaExceeded' };
/** Secret of the key, which must never be revealed. */
const CANARY = 'canary-5e1f';

let bucket: S3Server;
beforeAll(async () => {
  bucket = await startS3Server();
});
afterAll(() => bucket.close());

/** Deliveries with a real database, queue, disk and bucket; all sessions have the same rendering. */
async function open(databases: TestDatabases, retryDelaysMs = [1, 1, 1, 1]) {
  bucket.fault(null);
  const { database } = await databases.open();
  const directory = await mkdtemp(join(tmpdir(), 'reelform-objects-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const storage = createDiskStorage(directory);
  const outputs = createStoredOutputs(storage);
  const digest = makeInput('a');
  await outputs.save(digest, 'name', [await renderedFile({ video: VIDEO })]);
  const s3 = { kind: 's3', endpoint: bucket.url, path_style: true, allow: ['s3://videos/'] };
  const keys = { access_key_id_env: 'AWS_ACCESS_KEY_ID', secret_access_key_env: 'AWS_SECRET_ACCESS_KEY' };
  const { credentials } = parseCredentials(
    {
      main: { ...s3, ...keys, public_url: 'https://cdn.example.com/' },
      wrong: { ...s3, access_key_id_env: 'WRONG_ID', secret_access_key_env: 'WRONG' },
      others: { ...s3, ...keys, tenants: ['other'] },
    },
    { isServer: true, directory },
  );
  const destinations = createDestinations({
    credentials,
    isServer: true,
    env: { ...bucket.env, WRONG_ID: 'AKIDNOBODY', WRONG: CANARY },
    directory,
  });
  const log: string[] = [];
  const write = (fields: object, message: string): void => void log.push(`${JSON.stringify(fields)} ${message}`);
  const metrics = createMetrics();
  const queue = await JobQueue.open({ database, jobSeconds: 60, log: SILENT, pollSeconds: 0.5 });
  const ended: string[] = [];
  const deliveries = openDeliveries({
    database,
    queue,
    outputs,
    destinations,
    metrics,
    places: 2,
    retryDelaysMs,
    now: Date.now,
    log: { debug: write, info: write, warn: write, error: write },
    onUpload: async (_tx, { session }, { to, status }) => void ended.push(`${session.id} ${to} ${status}`),
  });
  const table = createSessionTable({
    database,
    now: Date.now,
    onStatus: deliveries.onStatus,
    onUploads: deliveries.onUploads,
  });
  await queue.work({ delivery: deliveries.handler });
  onTestFinished(() => queue.stop({ graceMs: 0 }));

  const pending = (asked: readonly ExternalUploadRequest[], session: RenderSession, tenant = ACME): ExternalUpload[] =>
    addDeliveries(session, asked, tenant, destinations).uploads;
  const untilEnded = async (id: string): Promise<readonly ExternalUpload[]> => {
    await expect.poll(async () => uploadsEnded((await table.get(ACME, id))!.session), { interval: 20 }).toBe(true);
    return (await table.get(ACME, id))!.session.external_uploads ?? [];
  };
  return {
    database,
    table,
    deliveries,
    log,
    metrics,
    ended,
    untilEnded,
    /** Creates a session that is rendered at once. */
    async render(asked: readonly ExternalUploadRequest[], tenant = ACME): Promise<string> {
      const stored = { ...makeStored(), tenant };
      const { id } = stored.session;
      await table.create(
        { ...stored, session: { ...stored.session, external_uploads: pending(asked, stored.session, tenant) } },
        null,
      );
      const begun = await table.begin(id);
      const video_url = '/outputs/name/video.mp4';
      await table.record(id, 1, { ...begun!.session, status: 'preview_rendered', video_url }, digest);
      return id;
    },
    add: (id: string, asked: readonly ExternalUploadRequest[]) =>
      table.change(ACME, id, null, (session) => ({ ...session, external_uploads: pending(asked, session) })),
  };
}

const to = (name: string, credential = 'main'): ExternalUploadRequest => ({ to: `s3://videos/${name}`, credential });

describeOnDatabases('openDeliveries()', (databases) => {
  it('delivers both files of a session byte for byte and writes each event in its transaction', async () => {
    const { render, untilEnded, ended, metrics } = await open(databases);
    const id = await render([to('a.mp4'), to('{session_id}/b.{extension}')]);
    const uploads = await untilEnded(id);
    expect(uploads).toEqual([
      {
        ...to('a.mp4'),
        status: 'complete',
        remote_id: expect.any(String),
        url: 'https://cdn.example.com/a.mp4',
        error: null,
      },
      expect.objectContaining({ to: `s3://videos/${id}/b.mp4`, status: 'complete' }),
    ]);
    expect((await bucket.read('videos', 'a.mp4'))?.equals(VIDEO)).toBe(true);
    expect((await bucket.read('videos', `${id}/b.mp4`))?.equals(VIDEO)).toBe(true);
    expect(ended.sort()).toEqual([`${id} s3://videos/a.mp4 complete`, `${id} s3://videos/${id}/b.mp4 complete`]);
    expect(await metrics.text()).toContain('reelform_deliveries_total{outcome="complete"} 2');
  });

  it('delivers while all deliveries of another tenant hang in a slow bucket', async () => {
    const { render, untilEnded } = await open(databases);
    bucket.fault(({ path }) => (path.includes('/slow') ? { kind: 'slow', milliseconds: 60_000 } : null));
    for (let index = 0; index < 6; index++) await render([to(`slow${index}.mp4`, 'others')], OTHER);
    await expect.poll(() => bucket.requests.some(({ path }) => path.includes('/slow'))).toBe(true);
    const id = await render([to('prompt.mp4')]);
    expect(await untilEnded(id)).toMatchObject([{ status: 'complete' }]);
    expect(new Set(bucket.requests.flatMap(({ path }) => path.match(/slow\d/) ?? [])).size).toBe(1);
  });

  it('retries while the bucket is away and gives up after five tries', async () => {
    const { render, untilEnded, log } = await open(databases);
    let away = 2;
    bucket.fault(({ path }) => (path.endsWith('/back.mp4') ? (away-- > 0 ? FULL : null) : FULL));
    const [back, gone] = [await render([to('back.mp4')]), await render([to('gone.mp4')])];
    expect(await untilEnded(back)).toMatchObject([{ status: 'complete' }]);
    expect(await untilEnded(gone)).toMatchObject([{ status: 'failed', error: { code: 'delivery_failed' } }]);
    expect(log.filter((line) => line.includes(gone) && line.includes('upload-begun'))).toHaveLength(5);
    const retried = log.filter((line) => line.includes('upload-retried'));
    expect(retried.filter((line) => !/"retry_ms":\d+\}/.test(line))).toEqual([]);
    const ended = log.filter((line) => line.includes('upload-ended'));
    expect(ended.filter((line) => !/"ms":\d+[,}]/.test(line))).toEqual([]);
    expect((await bucket.keys('videos')).filter((key) => key === 'gone.mp4')).toEqual([]);
  });

  it('fails permanent errors at once without revealing secrets and leaves the session rendered', async () => {
    const { render, untilEnded, table, database, log } = await open(databases);
    const id = await render([to('wrong.mp4', 'wrong'), to('other.mp4', 'others')]);
    const uploads = await untilEnded(id);
    expect(uploads).toMatchObject([
      {
        status: 'failed',
        url: null,
        error: { code: 'delivery_failed', detail: expect.stringContaining('access key') },
      },
      { status: 'failed', error: { detail: expect.stringContaining('there is no credential "others"') } },
    ]);
    const stored = await table.get(ACME, id);
    expect(stored?.session).toMatchObject({ status: 'preview_rendered', errors: [] });
    const rows = await database.query('select * from reelform.external_uploads');
    expect([...log, JSON.stringify([uploads, stored, rows])].join('\n')).not.toContain(CANARY);
    expect(log.filter((line) => line.includes('upload-retried'))).toEqual([]);
  });

  it('delivers to destinations added later and repeats finished deliveries', async () => {
    const { render, add, untilEnded } = await open(databases);
    const id = await render([to('first.mp4')]);
    await untilEnded(id);
    await add(id, [to('first.mp4'), to('later.mp4')]);
    expect((await untilEnded(id)).map((upload) => [upload.to, upload.status])).toEqual([
      ['s3://videos/first.mp4', 'complete'],
      ['s3://videos/later.mp4', 'complete'],
    ]);
    const puts = bucket.requests.filter(({ method, path }) => method === 'PUT' && path.endsWith('/first.mp4'));
    expect(puts.length).toBeGreaterThanOrEqual(2);
  });

  it('ignores a superseded attempt and stops with a removed session', async () => {
    const { render, table, ended, deliveries, database } = await open(databases, [3_600_000]);
    bucket.fault(() => FULL);
    const id = await render([to('removed.mp4')]);
    await expect.poll(() => database.query('select tries from reelform.external_uploads')).toEqual([{ tries: 1 }]);
    expect((await table.get(ACME, id))?.session.external_uploads).toMatchObject([{ status: 'pending' }]);
    // Job of the previous round, run by a worker that was considered dead.
    await deliveries.handler.run(`${id}/0/0`, new AbortController().signal, {
      priority: 0,
      takeSlot: async () => undefined,
      keepTrying: () => undefined,
    });
    expect(await database.query('select tries, attempt from reelform.external_uploads')).toEqual([
      { tries: 1, attempt: 1 },
    ]);
    await table.remove(ACME, id);
    await deliveries.handler.run(`${id}/0/1`, new AbortController().signal, {
      priority: 0,
      takeSlot: async () => undefined,
      keepTrying: () => undefined,
    });
    expect(await database.query('select * from reelform.external_uploads')).toEqual([]);
    expect(ended).toEqual([]);
  });

  it('fails the deliveries of a session without a video', async () => {
    const { table } = await open(databases);
    const upload = { ...to('never.mp4'), status: 'pending', remote_id: null, url: null, error: null } as const;
    const stored = makeStored({ external_uploads: [upload] });
    const { id } = stored.session;
    await table.create(stored, null);
    const begun = await table.begin(id);
    // Requested during the render: the renderer's copy of the session does not include it.
    await table.change(ACME, id, null, (session) => ({
      ...session,
      external_uploads: [...session.external_uploads!, { ...upload, to: 's3://videos/added.mp4' }],
    }));
    await table.record(id, 1, { ...begun!.session, status: 'preview_failed' });
    expect((await table.get(ACME, id))?.session.external_uploads).toMatchObject([
      { to: 's3://videos/never.mp4', status: 'failed', error: { code: 'delivery_failed' } },
      { to: 's3://videos/added.mp4', status: 'failed' },
    ]);
  });
});
