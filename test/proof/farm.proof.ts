import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import type { Database } from '../../src/service/server/store/database.ts';
import { type Farm, type FarmWorker, openFarm } from '../support/farm.ts';
import { type FarmClients, openFarmClients, startFarmReceiver } from '../support/farm-clients.ts';
import { type FarmSession, farmSessions, referenceVideos } from '../support/farm-sessions.ts';
import { makeTrouble, type Trouble } from '../support/farm-troubles.ts';
import { count, IS_WHOLE, tell } from '../support/proof.ts';
import { BUSY, type S3Server, startS3Server } from '../support/s3-server.ts';
import { shortenLeases } from '../support/short-leases.ts';
import { startTcpProxy } from '../support/tcp-proxy.ts';

const SESSIONS = count(300, 6);
/** Sessions rendered in parts while the farm is otherwise idle. */
const LONG = count(2, 0);
const TENANTS = count(3, 2);
const WORKERS = count(4, 2);
const KILLS = count(40, 1);
const PAUSED_JOBS = Math.ceil(SESSIONS * 0.08);
/** Longer than a lease of 15 s plus the interval at which lapsed leases are found; see `shortenLeases`. */
const PAUSE_MS = count(24_000, 11_000);
const OUTAGE_MS = 60_000;
const CUT_MS = 45_000;

const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** Faults that happen once, and only in the full run because each takes longer than the whole small run. */
async function otherTroubles(farm: Farm, bucket: S3Server): Promise<{ troubles: Trouble[]; far: FarmWorker }> {
  const cable = await startTcpProxy(farm.databaseUrl);
  closing.push(() => cable.close());
  const through = new URL(farm.databaseUrl);
  through.port = new URL(cable.url).port;
  const far = await farm.hire('far', { env: { DATABASE_URL: through.href } });
  const during = async (milliseconds: number, begin: () => void, end: () => void): Promise<void> => {
    begin();
    await sleep(milliseconds);
    end();
  };
  const fail = (): void => bucket.fault(({ method }) => (method === 'GET' ? { kind: 'reset', afterBytes: 0 } : BUSY));
  const troubles = [
    { at: 0.2, begin: () => during(CUT_MS, cable.cut, cable.mend) },
    { at: 0.4, begin: () => during(OUTAGE_MS, fail, () => bucket.fault(null)) },
    { at: 0.6, begin: () => farm.database.restart() },
  ];
  return { troubles, far };
}

/** Watches until all sessions have ended and reports the share of ended ones. */
function watchSessions(database: Database, signal: AbortSignal): { share(): number; ended: Promise<void> } {
  let ended = 0;
  const watch = async (): Promise<void> => {
    while (ended < SESSIONS) {
      const [row] = await database
        .query<{ count: number }>(`select count(*) from reelform.sessions where status <> 'preview_rendering'`)
        .catch(() => []);
      ended = row?.count ?? ended;
      await sleep(100, undefined, { signal });
    }
  };
  return { share: () => ended / SESSIONS, ended: watch() };
}

/** Posts the long sessions one by one, so that idle slots are left for their parts. */
async function postAll(clients: FarmClients, sessions: readonly FarmSession[]): Promise<string[]> {
  const ids: string[] = [];
  for (const long of sessions.slice(0, LONG)) {
    const [id] = await clients.post([long]);
    ids.push(id!);
    await clients.ended(id!);
  }
  return [...ids, ...(await clients.post(sessions.slice(LONG)))];
}

it(`a farm of ${WORKERS} workers, ${KILLS} of them killed, renders, delivers and reports ${SESSIONS} videos once`, async () => {
  const sessions = farmSessions(SESSIONS, LONG);
  const references = await referenceVideos(sessions);
  const bucket = await startS3Server({ buckets: ['storage', 'deliveries'] });
  closing.push(() => bucket.close());
  const receivers = await Promise.all(Array.from({ length: TENANTS }, startFarmReceiver));
  closing.push(...receivers.map((receiver) => receiver.close));
  const farm = await openFarm({ bucket, receivers });
  closing.push(() => farm.close());
  const workers = await Promise.all(Array.from({ length: WORKERS }, (_, index) => farm.hire(`worker ${index}`)));
  const { troubles } = IS_WHOLE ? await otherTroubles(farm, bucket) : { troubles: [] };
  const clients = await openFarmClients(farm, receivers);
  const leases = IS_WHOLE ? null : shortenLeases(farm.records);
  closing.push(async () => leases?.stop());

  const over = new AbortController();
  closing.push(async () => over.abort());
  const begunAt = performance.now();
  const { signal } = over;
  const watch = watchSessions(farm.records, signal);
  const plan = { kills: KILLS, killsAtOnce: count(4, 1), pausedJobs: PAUSED_JOBS, pausedWorkers: count(2, 1) };
  const [ids, figures] = await Promise.all([
    postAll(clients, sessions),
    makeTrouble(workers, { ...plan, pauseMs: PAUSE_MS, others: troubles }, watch.share, signal),
    watch.ended,
  ]);
  const seconds = (performance.now() - begunAt) / 1000;

  const rows = await farm.records.query<{ id: string; status: string; attempt: number; errors: unknown }>(
    `select id, status, attempt, session -> 'errors' as errors from reelform.sessions`,
  );
  expect(new Set(rows.map(({ id }) => id))).toEqual(new Set(ids));
  expect(rows.filter(({ status }) => status !== 'preview_rendered')).toEqual([]);
  const splits = workers.flatMap(({ log }) => log.filter((line) => line.includes('"session-split"'))).length;
  expect(splits).toBeGreaterThanOrEqual(Math.min(1, LONG));
  const attempts = rows.reduce((sum, { attempt }) => sum + attempt, 0);
  tell(
    `${SESSIONS} sessions in ${seconds.toFixed(0)} s, all rendered: ${attempts} attempts, ${splits} of them in parts`,
  );
  tell(
    `${figures.kills} workers killed, ${figures.killedJobs} jobs with them; ${figures.pausedJobs} jobs paused past their lease`,
  );

  const uploads = await clients.delivered(ids);
  expect(uploads.filter(({ status }) => status !== 'complete')).toEqual([]);
  const wrong = { videos: 0, objects: 0 };
  for (const [index, id] of ids.entries()) {
    const reference = Buffer.from(references[index]!);
    if (!reference.equals(await clients.video(id))) wrong.videos += 1;
    if (!reference.equals((await bucket.read('deliveries', `${id}.mp4`)) ?? Buffer.alloc(0))) wrong.objects += 1;
  }
  tell(`${wrong.videos} videos and ${wrong.objects} delivered objects differ from a render in one piece`);
  expect(wrong).toEqual({ videos: 0, objects: 0 });

  const told = await clients.told(ids);
  tell(`${told.messages} messages to webhooks, ${told.received} times received; ${told.repeats} again after success`);
  expect(told).toMatchObject({ twice: [], missing: [], unverified: 0, gullible: 0 });
  // A message repeats if a process dies, or loses its lease, after a success but before recording it.
  const [interrupted] = await farm.records.query<{ count: number }>(
    `select (select sum(attempts)::int from reelform.webhook_deliveries)
      - (select count(*)::int from reelform.webhook_attempts) as count`,
  );
  expect(told.repeats).toBeLessThanOrEqual(interrupted!.count);
  // A process sends two messages to an endpoint at once. Of the many faults of the whole run, most interrupt nothing.
  const atOnce = IS_WHOLE ? 1 : 2 * TENANTS;
  expect(told.repeats).toBeLessThanOrEqual((figures.kills + figures.pausedJobs + 1) * atOnce);
  await leases?.stop();

  const end = await farm.close();
  expect(end).toEqual({ codes: end.codes.map(() => 0), orphans: 0, left: [] });
});
