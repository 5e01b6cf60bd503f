import type { Log } from './log.ts';
import type { JobQueue } from './queue/job-queue.ts';
import type { StoreContext } from './store/database.ts';

/** Ports that all components of a service process use. */
export interface ServiceContext extends StoreContext {
  readonly queue: Pick<JobQueue, 'enqueue'>;
  readonly log: Log;
}
