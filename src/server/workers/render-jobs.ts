import type { SessionProblem } from '../../session/ports.ts';
import type { DiskRoom } from '../disk-room.ts';
import type { Log } from '../log.ts';
import type { SessionRenders } from '../parts/open-session-renders.ts';
import type { JobHandler, JobHandlers } from '../queue/job-handlers.ts';
import { beginTurn } from '../queue/turns.ts';
import type { Settings } from '../settings.ts';
import type { Database } from '../store/database.ts';
import type { StyleVersions } from '../templates/style-versions.ts';
import { traced } from '../trace.ts';
import { createSessionWatch } from './session-watch.ts';

export interface RenderJobsOptions {
  readonly database: Database;
  readonly runner: SessionRenders;
  readonly styleVersions: StyleVersions;
  readonly settings: Pick<Settings, 'concurrency' | 'tenantConcurrency' | 'tenantConcurrencies'>;
  readonly room: DiskRoom;
  readonly log: Log;
}

/** What a process that renders does: videos, and beside them, at a place of their own each, stills and still cuts. */
export function renderJobs({ database, runner, styleVersions, settings, room, log }: RenderJobsOptions): JobHandlers {
  const watch = createSessionWatch(database, log);
  const sessions = (queue: 'render' | 'still'): Omit<JobHandler, 'places'> => ({
    run: (id, signal, { priority }) =>
      traced('render_session', { 'reelform.session': id }, async () => {
        await room.require();
        await beginTurn(database, queue, priority);
        // Who renders a part looks after it itself, and removes what it has made.
        if (id.includes('/')) await runner.run(id, signal);
        else await watch.during(id, signal, (wanted) => runner.run(id, wanted));
      }),
    onDead: (id) => runner.fail(id, LOST),
  });
  const { concurrency, tenantConcurrency, tenantConcurrencies } = settings;
  return {
    render: {
      ...{ places: concurrency, ...sessions('render') },
      ...(tenantConcurrency === null ? {} : { groupPlaces: tenantConcurrency }),
      placesOfGroups: tenantConcurrencies,
    },
    still: { places: 1, ...sessions('still') },
    stillcuts: {
      places: 1,
      async run(id, signal, { priority }) {
        await beginTurn(database, 'stillcuts', priority);
        await room.guard(() => styleVersions.process(id, signal));
      },
      onDead: (id) => styleVersions.fail(id),
    },
  };
}

/** Five workers have begun it, and none came to its end. */
const LOST: SessionProblem = {
  code: 'render_crashed',
  title: 'The process that rendered it ended five times',
  severity: 'error',
  retryable: true,
};
