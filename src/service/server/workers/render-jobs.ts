import { type Repetition, repeat } from '../../../kernel/repeat.ts';
import { sessionProblem } from '../../sessions/ports.ts';
import type { DiskSpace } from '../data-folder.ts';
import type { SessionRenders } from '../distributed-render/session-renders.ts';
import { errorMessage, type Log } from '../log.ts';
import { recordStart } from '../queue/fair-priority.ts';
import { Lane } from '../queue/lane.ts';
import type { JobHandler, JobHandlers } from '../queue/queues.ts';
import { preferredSession } from '../queue/session-queue.ts';
import type { ServiceContext } from '../service-context.ts';
import type { Settings } from '../settings/settings-table.ts';
import type { Queryable } from '../store/database.ts';
import { traced } from '../telemetry/tracing.ts';
import type { StyleVersions } from '../templates/style-versions.ts';

interface RenderJobsOptions extends Pick<ServiceContext, 'database' | 'log'> {
  readonly runner: SessionRenders;
  readonly styleVersions: StyleVersions;
  readonly settings: Pick<Settings, 'tenantConcurrency' | 'tenantConcurrencies'>;
  readonly lanes: RenderLanes;
  readonly room: DiskSpace;
}

interface RenderLanes {
  readonly render: Lane;
  readonly still: Lane;
}

/** When a session fetches sources for longer, another session may be claimed for its slot. */
const PATIENCE_MS = 1_000;

/**
 * Creates the lanes of videos and of stills. Sessions fetch their sources at separate places before they take a slot.
 */
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

/** Creates the job handlers of a process that renders: videos, and in separate lanes stills and still cuts. */
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
    preferred: (tx, id) => preferredSession(tx, queue, id),
    run: (id, signal, { priority, takeSlot, keepTrying }) =>
      traced('render_session', { 'reelform.session': id }, async () => {
        await room.require();
        await recordStart(database, queue, priority);
        // Parts watch their session themselves and remove their files.
        const job = { takeSlot, onStored: keepTrying };
        if (id.includes('/')) await runner.run(id, signal, job);
        else await watch.during(id, signal, (wanted) => runner.run(id, wanted, job));
      }),
    onDead: (id) => runner.fail(id, LOST),
  });
  const { tenantConcurrency, tenantConcurrencies } = settings;
  return {
    render: {
      ...sessions('render'),
      ...(tenantConcurrency === null ? {} : { groupConcurrency: tenantConcurrency }),
      groupConcurrencies: tenantConcurrencies,
    },
    still: sessions('still'),
    stillcuts: {
      lane: new Lane({ places: 1 }),
      async run(id, signal, { priority }) {
        await recordStart(database, 'stillcuts', priority);
        await room.guard(() => styleVersions.process(id, signal));
      },
      onDead: (id) => styleVersions.fail(id),
    },
  };
}

/** Five workers in a row have started the session, and ended before they stored a further segment. */
const LOST = sessionProblem({
  code: 'render_crashed',
  title: 'The render process ended unexpectedly five times in a row without progress',
  retryable: true,
});

const EVERY_MS = 1_000;

/** Abort reason when a session no longer has to be rendered. */
const SESSION_ENDED = new Error('The session was canceled, removed or has ended');

/** Watches the sessions that this process renders, with one statement for all of them. */
export function createSessionWatch(database: Queryable, log: Log, everyMs = EVERY_MS) {
  const atWork = new Map<AbortController, string>();
  let watching: Repetition | undefined;

  const abortEnded = async (): Promise<void> => {
    try {
      const ended = await database.query<{ id: string }>(
        `select id from unnest($1::text[]) as mine (id) where not exists (
          select 1 from reelform.sessions where sessions.id = mine.id and status = 'preview_rendering')`,
        [[...new Set(atWork.values())]],
      );
      const ids = new Set(ended.map(({ id }) => id));
      for (const [controller, id] of atWork) if (ids.has(id)) controller.abort(SESSION_ENDED);
    } catch (error) {
      log.debug({ error: errorMessage(error) }, 'running sessions could not be checked');
    }
  };
  return {
    /**
     * Runs work on a session. Aborts its signal within about a second after the session is canceled or removed through
     * any process, and then ignores its error.
     *
     * @param signal also aborts the work, whose error is then rethrown
     */
    async during(session: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
      const controller = new AbortController();
      atWork.set(controller, session);
      watching ??= repeat(everyMs, abortEnded);
      try {
        await work(AbortSignal.any([signal, controller.signal]));
      } catch (error) {
        if (signal.aborted || !controller.signal.aborted) throw error;
      } finally {
        atWork.delete(controller);
        if (atWork.size === 0) {
          void watching?.stop();
          watching = undefined;
        }
      }
    },
  };
}
