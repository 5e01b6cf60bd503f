import type { Readiness } from './http/app-ports.ts';
import type { ObjectStorage } from './ports.ts';
import type { Queryable } from './store/database.ts';
import { within } from './within.ts';

/** A part that takes longer does not work. */
const PATIENCE_MS = 2_000;

export interface ReadinessOf {
  readonly database: Queryable;
  readonly storage: Pick<ObjectStorage, 'stat'>;
  /** Whether queued sessions are taken up: not yet while starting, and not any more while stopping. */
  isWorking(): boolean;
}

/** Whether the service can take requests now, and which of its parts can. EDGE. */
export async function readinessOf({ database, storage, isWorking }: ReadinessOf): Promise<Readiness> {
  const [databaseWorks, storageWorks] = await Promise.all([
    works(database.query('select 1')),
    works(storage.stat('renderings/readiness')),
  ]);
  const checks = { database: databaseWorks, storage: storageWorks, worker: isWorking() };
  return { ready: Object.values(checks).every(Boolean), checks };
}

async function works(question: Promise<unknown>): Promise<boolean> {
  const answered = question.then(
    () => true,
    () => false,
  );
  return (await within(PATIENCE_MS, answered)) === true;
}
