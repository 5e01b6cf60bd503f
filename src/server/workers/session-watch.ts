import type { Queryable } from '../store/database.ts';
import { errorMessage, type Log } from '../telemetry/log.ts';

const EVERY_MS = 1_000;

/** Why the work on a session stops that nobody wants any more. */
class Unwanted extends Error {
  constructor() {
    super('The session was canceled, removed or has ended');
    this.name = 'Unwanted';
  }
}

export interface SessionWatch {
  /**
   * Works on a session for as long as it is to be rendered: the signal is aborted within about a second of its being
   * canceled or removed, through whichever process that was done, and what the work then throws counts for nothing.
   *
   * @param signal aborts as well; what the work then throws is thrown
   */
  during(session: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<void>): Promise<void>;
}

/** Looks after the sessions that this process is at, with one statement for all of them. EDGE. */
export function createSessionWatch(database: Queryable, log: Log, everyMs = EVERY_MS): SessionWatch {
  const atWork = new Map<AbortController, string>();
  let timer: NodeJS.Timeout | undefined;
  let isAsking = false;

  const look = async (): Promise<void> => {
    isAsking = true;
    try {
      const unwanted = await database.query<{ id: string }>(
        `select id from unnest($1::text[]) as mine (id) where not exists (
          select 1 from reelform.sessions where sessions.id = mine.id and status = 'preview_rendering')`,
        [[...new Set(atWork.values())]],
      );
      const ids = new Set(unwanted.map(({ id }) => id));
      for (const [controller, id] of atWork) if (ids.has(id)) controller.abort(new Unwanted());
    } catch (error) {
      log.debug({ error: errorMessage(error) }, 'sessions at work were not looked at');
    } finally {
      isAsking = false;
    }
  };
  return {
    async during(session, signal, work) {
      const controller = new AbortController();
      atWork.set(controller, session);
      timer ??= setInterval(() => {
        if (!isAsking) void look();
      }, everyMs);
      try {
        await work(AbortSignal.any([signal, controller.signal]));
      } catch (error) {
        if (signal.aborted || !controller.signal.aborted) throw error;
      } finally {
        atWork.delete(controller);
        if (atWork.size === 0) {
          clearInterval(timer);
          timer = undefined;
        }
      }
    },
  };
}
