import type { RenderLoad } from '../../sessions/segments/distributed-renders.ts';
import { JOB_SCHEMA, QUEUES } from '../queue/queues.ts';
import type { Database } from '../store/database.ts';
import type { FarmFigures, QueueFigures } from '../telemetry/metrics.ts';

/** The load of all workers and queues of a database. */
export interface FarmLoad extends RenderLoad {
  figures(): Promise<FarmFigures>;
}

/** The load is requested for each session. */
const FRESH_MS = 1_000;

/** Uses the clock of the database, because those of the machines may differ. */
const ALIVE = `seen_at > now() - interval '20 seconds'`;

/** Queries the database at most once a second. */
export function createFarmLoad(database: Database): FarmLoad {
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
    (name) => found.find(({ queue }) => queue === name) ?? { queue: name, waiting: 0, active: 0, oldestSeconds: 0 },
  );
  return { ...workers[0]!, queues };
}
