import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { type Repetition, repeat } from '../../../kernel/repeat.ts';
import { errorMessage } from '../log.ts';
import type { ServiceContext } from '../service-context.ts';

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
