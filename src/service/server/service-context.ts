import type { Log } from './log.ts';
import type { JobQueue } from './queue/job-queue.ts';
import type { StoreContext } from './store/database.ts';

/** What the components of a service process share. */
export interface ServiceContext extends StoreContext {
  readonly queue: Pick<JobQueue, 'enqueue'>;
  readonly log: Log;
}
