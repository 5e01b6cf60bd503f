import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Log } from '../log.ts';
import type { FarmLoad } from '../ports.ts';
import { JOB_SCHEMA } from '../queue/install-jobs.ts';
import type { Database } from '../store/database.ts';

const HEARTBEAT_MS = 5_000;
/** By the clock of the database: those of the machines may differ. */
const ALIVE = `seen_at > now() - interval '20 seconds'`;
const FORGOTTEN = `seen_at < now() - interval '5 minutes'`;
/** Who asks for the load asks for each session. */
const FRESH_MS = 1_000;

/** What all workers are, together. */
export interface Farm {
  readonly workers: number;
  readonly places: number;
}

export interface WorkerRegistry extends FarmLoad {
  /** Of this process; `wrk_…`. */
  readonly id: string;
  readonly build: string;
  /** From now on this process is one of the workers. */
  join(): Promise<void>;
  /** It is none any more. */
  leave(): Promise<void>;
  /** Those that live. */
  farm(): Promise<Farm>;
}

export interface RegistryOptions {
  readonly database: Database;
  /** See `workerBuild`. */
  readonly build: string;
  /** Renders at once. */
  readonly places: number;
  /** How many there are now. */
  busy(): number;
  readonly log: Log;
}

/** Who renders from this database. A worker that is not heard of for 20 s counts as dead. EDGE. */
export function createWorkerRegistry({ database, build, places, busy, log }: RegistryOptions): WorkerRegistry {
  const id = `wrk_${randomBytes(12).toString('base64url')}`;
  let timer: NodeJS.Timeout | undefined;
  let beating: Promise<unknown> = Promise.resolve();
  let known: { readonly at: number; readonly load: ReturnType<FarmLoad['load']> } | null = null;

  const beat = async (): Promise<void> => {
    await database.query(
      `insert into reelform.workers (id, host, build, places, busy, started_at, seen_at)
        values ($1, $2, $3, $4, $5, now(), now())
        on conflict (id) do update set busy = excluded.busy, seen_at = excluded.seen_at`,
      [id, hostname(), build, places, busy()],
    );
    await database.query(`delete from reelform.workers where ${FORGOTTEN}`);
  };
  const farm = async (): Promise<Farm> => {
    const [row] = await database.query<Farm>(
      `select count(*) as workers, coalesce(sum(places), 0) as places from reelform.workers where ${ALIVE}`,
    );
    return row!;
  };
  const load = async () => {
    const [row] = await database.query<Awaited<ReturnType<FarmLoad['load']>>>(
      `select (select coalesce(sum(places), 0) from reelform.workers where ${ALIVE}) as places,
          count(*) filter (where state = 'active') as busy,
          count(*) filter (where state < 'active' and start_after <= now()) as queued
        from ${JOB_SCHEMA}.job where name = 'render' and state <= 'active'`,
    );
    return row!;
  };
  return {
    id,
    build,
    async join() {
      await beat();
      timer = setInterval(() => {
        beating = beating.then(beat).catch((error: unknown) => {
          log.warn({ error: error instanceof Error ? error.message : String(error) }, 'a worker could not be heard');
        });
      }, HEARTBEAT_MS);
      timer.unref();
    },
    async leave() {
      clearInterval(timer);
      await beating;
      // Whoever cannot be reached finds out by itself.
      await database.query('delete from reelform.workers where id = $1', [id]).catch(() => undefined);
    },
    farm,
    load() {
      if (known === null || performance.now() - known.at > FRESH_MS) {
        const asked = { at: performance.now(), load: load() };
        known = asked;
        asked.load.catch(() => {
          if (known === asked) known = null;
        });
      }
      return known.load;
    },
  };
}
