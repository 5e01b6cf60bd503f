import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sha256 } from '../src/kernel/digest.ts';
import { SILENT_LOG } from '../src/service/server/log.ts';
import { migrate } from '../src/service/server/migrate.ts';
import { JobQueue } from '../src/service/server/queue/job-queue.ts';
import { Lane } from '../src/service/server/queue/lane.ts';
import type { Database } from '../src/service/server/store/database.ts';
import { openDatabase } from '../src/service/server/store/open-database.ts';
import { createSessionTable } from '../src/service/server/store/session-table.ts';
import { ACME, makeClaim, makeStored } from '../test/service/server/store/sessions.ts';
import { makePostgresServer, postgresPackage } from '../test/support/postgres-server.ts';
import { percentile } from '../test/support/proof.ts';

/**
 * Measures the store and the queue on both databases: time and memory to open, sessions created and read per second,
 * and the time from a job's commit to its handler. `npm run bench:store [rounds]`
 */
const ROUNDS = Number(process.argv[2] ?? 200);

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; value: T }> {
  const start = performance.now();
  const value = await work();
  return { ms: performance.now() - start, value };
}

const megabytes = (bytes: number): number => Math.round(bytes / 1e6);

async function perSecond(count: number, atOnce: number, work: () => Promise<unknown>): Promise<number> {
  let left = count;
  const worker = async (): Promise<void> => {
    while (left-- > 0) await work();
  };
  const { ms } = await timed(() => Promise.all(Array.from({ length: atOnce }, worker)));
  return Math.round((count / ms) * 1000);
}

async function measure(name: string, database: Database): Promise<void> {
  const queue = await JobQueue.open({ database, jobSeconds: 60, log: SILENT_LOG });
  const table = createSessionTable({
    database,
    now: () => Date.now(),
    onStatus: async (tx, { session }) => {
      if (session.status === 'preview_rendering') await queue.enqueue(tx, 'render', session.id);
    },
  });
  const create = () => table.create(makeStored(), makeClaim(randomUUID(), 'body', Date.now() + 60_000));

  const one = await perSecond(ROUNDS, 1, create);
  const many = await perSecond(ROUNDS * 4, 16, create);
  const stored = makeStored({ status: 'draft' });
  await table.create(stored, null);
  const reads = await perSecond(ROUNDS * 10, 16, () => table.get(ACME, stored.session.id));

  const begun = new Map<string, (ms: number) => void>();
  let drained = 0;
  await queue.work({
    render: {
      lane: new Lane({ places: 4 }),
      async run(id) {
        drained++;
        begun.get(id)?.(performance.now());
        const taken = await table.begin(id);
        if (taken === null) return;
        await table.record(id, taken.attempt, { ...taken.session, status: 'preview_rendered' }, sha256(id));
      },
      async onDead() {},
    },
  });
  const backlog = ROUNDS * 5;
  const { ms } = await timed(async () => {
    while (drained < backlog) await sleep(5);
  });
  const latencies: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const next = makeStored();
    const start = new Promise<number>((resolve) => begun.set(next.session.id, resolve));
    await table.create(next, null);
    const committed = performance.now();
    latencies.push((await start) - committed);
    await sleep(10);
  }
  console.log(
    `${name}: created one by one ${one}/s, 16 at once ${many}/s; read 16 at once ${reads}/s; ` +
      `backlog worked off ${Math.round((backlog / ms) * 1000)}/s (4 places, two writes each); ` +
      `commit → handler p50 ${percentile(latencies, 0.5).toFixed(1)} ms, p99 ${percentile(latencies, 0.99).toFixed(1)} ms, ` +
      `max ${Math.max(...latencies).toFixed(1)} ms`,
  );
  await queue.stop({ graceMs: 1000 });
}

const directory = await mkdtemp(join(tmpdir(), 'reelform-bench-'));
console.log(`resident before: ${megabytes(process.memoryUsage().rss)} MB`);
const open = () => openDatabase({ url: null, directory, log: SILENT_LOG });
const first = await timed(async () => {
  const database = await open();
  await migrate(database, SILENT_LOG);
  return database;
});
const peak = megabytes(process.resourceUsage().maxRSS * 1024);
console.log(`PGlite, first opening with migrations: ${first.ms.toFixed(0)} ms, peak ${peak} MB`);
await first.value.close();
const again = await timed(async () => {
  const database = await open();
  await migrate(database, SILENT_LOG);
  return database;
});
console.log(`PGlite, opened again: ${again.ms.toFixed(0)} ms, resident ${megabytes(process.memoryUsage().rss)} MB`);
await measure('PGlite', again.value);
console.log(`resident afterwards: ${megabytes(process.memoryUsage().rss)} MB`);
await again.value.close();
await rm(directory, { recursive: true, force: true });

if (postgresPackage() !== null) {
  const server = makePostgresServer();
  const url = await server.createDatabase();
  const postgres = await timed(async () => {
    const database = await openDatabase({ url, directory: '', log: SILENT_LOG });
    await migrate(database, SILENT_LOG);
    return database;
  });
  console.log(`PostgreSQL, first opening with migrations: ${postgres.ms.toFixed(0)} ms`);
  await measure('PostgreSQL (fsync off)', postgres.value);
  await postgres.value.close();
  await server.stop();
}
