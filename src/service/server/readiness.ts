import { setTimeout as sleep } from 'node:timers/promises';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { DiskSpace } from './data-folder.ts';
import type { Readiness } from './http/app-ports.ts';
import type { ObjectStorage } from './ports.ts';
import type { Queryable } from './store/database.ts';

/** A component that takes longer counts as failed. */
const PATIENCE_MS = 2_000;

interface ReadinessOptions {
  readonly database: Queryable;
  readonly storage: Pick<ObjectStorage, 'stat'>;
  readonly sandbox: Pick<Sandbox, 'kind'>;
  readonly room: Pick<DiskSpace, 'hasRoom'>;
  /** Whether this process is serving: false while it starts and stops. */
  isWorking(): boolean;
  /**
   * Whether any worker is alive, for a process that does not render. Reported only: it does not affect readiness,
   * because autoscaling starts workers when jobs wait.
   */
  hasWorkers?(): Promise<boolean>;
}

/** Checks whether the service can accept requests and which of its components work. */
export async function checkReadiness({
  database,
  storage,
  room,
  sandbox,
  isWorking,
  hasWorkers,
}: ReadinessOptions): Promise<Readiness> {
  const [databaseWorks, storageWorks, diskHasRoom, workersLive] = await Promise.all([
    answers(database.query('select 1').then(() => true)),
    answers(storage.stat('renderings/readiness').then(() => true)),
    answers(room.hasRoom()),
    hasWorkers === undefined ? isWorking() : answers(hasWorkers()),
  ]);
  const checks = { database: databaseWorks, storage: storageWorks, disk: diskHasRoom, worker: workersLive };
  return { ready: databaseWorks && storageWorks && diskHasRoom && isWorking(), checks, sandbox: sandbox.kind };
}

function answers(question: Promise<boolean>): Promise<boolean> {
  return Promise.race([question.catch(() => false), sleep(PATIENCE_MS, false, { ref: false })]);
}
