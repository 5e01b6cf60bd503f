import type { SessionProblem } from '../../session/ports.ts';
import type { DiskRoom } from '../disk-room.ts';
import type { SessionRenders } from '../distributed-render/session-renders.ts';
import { beginTurn } from '../queue/fair-priority.ts';
import type { JobHandler, JobHandlers } from '../queue/job-handlers.ts';
import { Lane } from '../queue/lane.ts';
import type { Settings } from '../settings/settings.ts';
import type { Database } from '../store/database.ts';
import type { Log } from '../telemetry/log.ts';
import { traced } from '../telemetry/tracing.ts';
import type { StyleVersions } from '../templates/style-versions.ts';
import { createSessionWatch } from './session-watch.ts';

export interface RenderJobsOptions {
  readonly database: Database;
  readonly runner: SessionRenders;
  readonly styleVersions: StyleVersions;
  readonly settings: Pick<Settings, 'tenantConcurrency' | 'tenantConcurrencies'>;
  readonly lanes: RenderLanes;
  readonly room: DiskRoom;
  readonly log: Log;
}

/** The lanes of a process that renders. */
export interface RenderLanes {
  readonly render: Lane;
  readonly still: Lane;
}

/** A session whose sources take longer lets others be claimed for its slot. */
const PATIENCE_MS = 1_000;

/** Opens the lanes of videos and of stills: sessions fetch their sources at places of their own before they take a slot. */
export function openRenderLanes(
  settings: Pick<Settings, 'concurrency' | 'fetchConcurrency' | 'tenantFetchConcurrency'>,
): RenderLanes {
  const { concurrency, fetchConcurrency: places, tenantFetchConcurrency: ownerPlaces } = settings;
  const lane = (slots: number): Lane =>
    new Lane({
      places,
      slots,
      isFair: true,
      patienceMs: PATIENCE_MS,
      ...(ownerPlaces === null ? {} : { ownerPlaces }),
    });
  return { render: lane(concurrency), still: lane(1) };
}

/** What a process that renders does: videos, and beside them, at a place of their own each, stills and still cuts. */
export function renderJobs({
  database,
  runner,
  styleVersions,
  settings,
  lanes,
  room,
  log,
}: RenderJobsOptions): JobHandlers {
  const watch = createSessionWatch(database, log);
  const sessions = (queue: 'render' | 'still'): JobHandler => ({
    lane: lanes[queue],
    run: (id, signal, { priority, takeSlot }) =>
      traced('render_session', { 'reelform.session': id }, async () => {
        await room.require();
        await beginTurn(database, queue, priority);
        // Who renders a part looks after it itself, and removes what it has made.
        if (id.includes('/')) await runner.run(id, signal, takeSlot);
        else await watch.during(id, signal, (wanted) => runner.run(id, wanted, takeSlot));
      }),
    onDead: (id) => runner.fail(id, LOST),
  });
  const { tenantConcurrency, tenantConcurrencies } = settings;
  return {
    render: {
      ...sessions('render'),
      ...(tenantConcurrency === null ? {} : { groupPlaces: tenantConcurrency }),
      placesOfGroups: tenantConcurrencies,
    },
    still: sessions('still'),
    stillcuts: {
      lane: new Lane({ places: 1 }),
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
