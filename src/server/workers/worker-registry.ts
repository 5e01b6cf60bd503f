import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Database } from '../store/database.ts';
import { errorMessage, type Log } from '../telemetry/log.ts';

const HEARTBEAT_MS = 5_000;
const FORGOTTEN = `seen_at < now() - interval '5 minutes'`;

export interface WorkerRegistry {
  /** Of this process; `wrk_…`. */
  readonly id: string;
  readonly build: string;
  /** From now on this process is one of the workers. */
  join(): Promise<void>;
  /** It is none any more. */
  leave(): Promise<void>;
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

/** Tells the others that this process renders, as long as it does: who is not heard of for 20 s counts as dead. EDGE. */
export function createWorkerRegistry({ database, build, places, busy, log }: RegistryOptions): WorkerRegistry {
  const id = `wrk_${randomBytes(12).toString('base64url')}`;
  let timer: NodeJS.Timeout | undefined;
  let beating: Promise<unknown> = Promise.resolve();

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
    async join() {
      await beat();
      timer = setInterval(() => {
        beating = beating.then(beat).catch((error: unknown) => {
          log.warn({ error: errorMessage(error) }, 'a worker could not be heard');
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
  };
}
