import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { ReelformError } from '../../../kernel/diagnostic.ts';
import { type Repetition, repeat } from '../../../kernel/repeat.ts';
import type { RenderLoad } from '../../sessions/segments/distributed-renders.ts';
import { errorMessage } from '../log.ts';
import type { ObjectStorage } from '../ports.ts';
import { JOB_SCHEMA, QUEUES } from '../queue/queues.ts';
import type { ServiceContext } from '../service-context.ts';
import type { Database } from '../store/database.ts';
import type { FarmFigures, QueueFigures } from '../telemetry/metrics.ts';

const HEARTBEAT_MS = 5_000;
const FORGOTTEN = `seen_at < now() - interval '5 minutes'`;

export type WorkerRegistry = ReturnType<typeof createWorkerRegistry>;

interface RegistryOptions extends Pick<ServiceContext, 'database' | 'log'> {
  /** See `renderBuild`. */
  readonly build: string;
  /** Maximum concurrent renders. */
  readonly places: number;
  /** Returns the number of running renders. */
  busy(): number;
}

/** Registers this process and sends heartbeats. A worker without a heartbeat for 20 s counts as dead. */
export function createWorkerRegistry({ database, build, places, busy, log }: RegistryOptions) {
  const id = `wrk_${randomBytes(12).toString('base64url')}`;
  let heartbeat: Repetition | undefined;

  const beat = async (): Promise<void> => {
    await database.query(
      `insert into reelform.workers (id, host, build, places, busy, started_at, seen_at)
        values ($1, $2, $3, $4, $5, now(), now())
        on conflict (id) do update set busy = excluded.busy, seen_at = excluded.seen_at`,
      [id, hostname(), build, places, busy()],
    );
    await database.query(`delete from reelform.workers where ${FORGOTTEN}`);
  };
  return {
    id,
    build,
    async join(): Promise<void> {
      await beat();
      heartbeat = repeat(HEARTBEAT_MS, () =>
        beat().catch((error: unknown) => {
          log.warn({ error: errorMessage(error) }, 'a heartbeat could not be written');
        }),
      );
    },
    async leave(): Promise<void> {
      await heartbeat?.stop();
      // Workers without a heartbeat expire by themselves.
      await database.query('delete from reelform.workers where id = $1', [id]).catch(() => undefined);
    },
  };
}

/** The load is requested for each session. */
const FRESH_MS = 1_000;

/** Uses the clock of the database, because those of the machines may differ. */
const ALIVE = `seen_at > now() - interval '20 seconds'`;

/** Queries the database at most once a second. */
export function createFarmFigures(database: Database): RenderLoad & { figures(): Promise<FarmFigures> } {
  let known: { readonly at: number; readonly figures: Promise<FarmFigures> } | null = null;
  const figures = (): Promise<FarmFigures> => {
    if (known === null || performance.now() - known.at > FRESH_MS) {
      const asked = { at: performance.now(), figures: ask(database) };
      known = asked;
      asked.figures.catch(() => {
        if (known === asked) known = null;
      });
    }
    return known.figures;
  };
  return {
    figures,
    async load() {
      const { places, queues } = await figures();
      const { waiting = 0, active = 0 } = queues.find(({ queue }) => queue === 'render') ?? {};
      return { places, busy: active, queued: waiting };
    },
  };
}

async function ask(database: Database): Promise<FarmFigures> {
  const [workers, found] = await Promise.all([
    database.query<{ workers: number; places: number }>(
      `select count(*) as workers, coalesce(sum(places), 0) as places from reelform.workers where ${ALIVE}`,
    ),
    database.query<QueueFigures>(
      // The condition on the policy enables the index of live jobs; finished ones are kept for a day.
      `select name as queue,
          count(*) filter (where state < 'active' and start_after <= now()) as waiting,
          count(*) filter (where state = 'active') as active,
          coalesce(extract(epoch from now() - min(greatest(created_on, start_after))
            filter (where state < 'active' and start_after <= now())), 0)::float8 as "oldestSeconds"
        from ${JOB_SCHEMA}.job
        where name = any($1::text[]) and state <= 'active' and policy = 'exclusive'
        group by name`,
      [[...QUEUES]],
    ),
  ]);
  const queues = QUEUES.map(
    (queue) => found.find((one) => one.queue === queue) ?? { queue, waiting: 0, active: 0, oldestSeconds: 0 },
  );
  return { ...workers[0]!, queues };
}

/** An installation: a database with its storage, shared by any number of processes. */
interface Installation {
  readonly database: Database;
  readonly storage: ObjectStorage;
}

/** Records the facts that workers need: the public URL, and a mark that identifies the storage. */
export async function registerInstallation({ database, storage }: Installation, publicUrl: string): Promise<void> {
  await database.query(
    `insert into reelform.facts (name, value) values ('public_url', $1)
      on conflict (name) do update set value = excluded.value`,
    [publicUrl],
  );
  await database.query(`insert into reelform.facts (name, value) values ('storage', $1) on conflict do nothing`, [
    randomBytes(16).toString('hex'),
  ]);
  const key = markOf((await readFact(database, 'storage'))!);
  if ((await storage.stat(key)) === null) await storage.put(key, new TextEncoder().encode('reelform\n'));
}

/**
 * Verifies that a worker shares the storage of its installation.
 *
 * @param publicUrl from the settings
 * @returns the public URL without a trailing slash
 * @throws ReelformError `settings_invalid`: there is no service on the database yet, or its storage differs
 */
export async function joinInstallation(
  { database, storage }: Installation,
  publicUrl: string | null,
): Promise<{ readonly publicUrl: string }> {
  const mark = await readFact(database, 'storage');
  const found = publicUrl ?? (await readPublicUrl(database));
  if (mark === null || found === null) {
    throw new ReelformError('settings_invalid', 'No service has been started on this database yet', {
      hint: 'Start `reelform serve` with the same settings first',
    });
  }
  if ((await storage.stat(markOf(mark))) === null) {
    throw new ReelformError('settings_invalid', 'The worker and the service use different storages', {
      hint: 'Configure the same storage for both: one bucket, or a data folder on a shared file system',
    });
  }
  return { publicUrl: found };
}

/** Returns the public URL of the service that was started last; null before the first start. */
export async function readPublicUrl(database: Database): Promise<string | null> {
  return readFact(database, 'public_url');
}

/** Returns null when the table does not exist yet: a worker reads before any migration. */
async function readFact(database: Database, name: string): Promise<string | null> {
  const [found] = await database.query<{ there: boolean }>(`select to_regclass('reelform.facts') is not null as there`);
  if (found?.there !== true) return null;
  const [row] = await database.query<{ value: string }>('select value from reelform.facts where name = $1', [name]);
  return row?.value ?? null;
}

function markOf(id: string): string {
  return `installation/${id}`;
}
