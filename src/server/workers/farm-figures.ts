import type { FarmLoad } from '../ports.ts';
import { JOB_SCHEMA, QUEUES, type QueueName } from '../queue/queues.ts';
import type { Database } from '../store/database.ts';

/** Who asks for the load asks for each session. */
const FRESH_MS = 1_000;

/** By the clock of the database: those of the machines may differ. */
const ALIVE = `seen_at > now() - interval '20 seconds'`;

export interface QueueFigures {
  readonly queue: QueueName;
  /** Jobs that could be done now. */
  readonly waiting: number;
  /** Jobs at work. */
  readonly active: number;
  /** How long the oldest of those that wait has done so. */
  readonly oldestSeconds: number;
}

/** What everything that renders from one database is and does, together. */
export interface FarmFigures {
  /** That live. */
  readonly workers: number;
  /** Renders that they can be at. */
  readonly places: number;
  /** All queues, in their order. */
  readonly queues: readonly QueueFigures[];
}

/** Asks the database, once a second at most. EDGE. */
export function createFarmFigures(database: Database): FarmLoad & { figures(): Promise<FarmFigures> } {
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
      // The policy is said so that the index of live jobs serves: those that are done stay for a day.
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
