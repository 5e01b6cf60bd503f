import type { Rendering } from '../lock/lock.ts';
import { type RenderService, sessionEnd } from '../service/render-service.ts';
import { ServiceError } from '../service/service-error.ts';
import type { RenderSession } from '../wire/render-session.ts';
import { sessionFailures, thrownFailures } from './failure.ts';
import type { RenderTask } from './render-task.ts';
import { type Ending, type RunContext, type TaskEvents, timestamp } from './run-context.ts';

/** A session that is known by its id alone is looked at first. */
export async function followSession(
  id: string,
  key: string,
  task: RenderTask,
  context: RunContext,
  events: TaskEvents,
): Promise<Ending> {
  let session: RenderSession;
  try {
    session = (await context.service.getRenderSession(id)).session;
  } catch (error) {
    return lost(id, key, error, context);
  }
  return watchSession(session, key, task, context, events);
}

/** Looks at a session until it has ended, and writes down how. */
export async function watchSession(
  session: RenderSession,
  key: string,
  task: RenderTask,
  context: RunContext,
  events: TaskEvents,
): Promise<Ending> {
  const { ports, watcher, leave } = context;
  let ended: RenderSession;
  try {
    const onProgress = (percent: number): void => events.progressed(percent);
    ended = await watcher.watch(session, task.styleVersion, { signal: leave, onProgress });
  } catch (error) {
    return lost(session.id, key, error, context);
  }
  const rendering = renderingOf(ended);
  const at = timestamp(context);
  if (rendering === null) {
    await ports.journal.append({ type: 'failed', key, at });
    return { kind: 'failed', failures: sessionFailures(ended, task.video) };
  }
  await ports.journal.append({ type: 'rendered', key, rendering, at });
  return { kind: 'rendered', rendering, session: ended };
}

/** Nothing more is heard of a session; unless it is gone, the journal keeps it for the next run. */
async function lost(session: string, key: string, error: unknown, context: RunContext): Promise<Ending> {
  if (context.leave.aborted) return { kind: 'left', session };
  if (!(error instanceof ServiceError && error.status === 404)) {
    return { kind: 'failed', failures: thrownFailures(error) };
  }
  await context.ports.journal.append({ type: 'failed', key, at: timestamp(context) });
  const message = `${context.service.name} does not have the session ${session} any more`;
  const hint = 'Run apply again: the video is rendered anew';
  return { kind: 'failed', failures: [{ code: 'session_gone', message, hint, retryable: true }] };
}

/** A rendering that the lockfile once had is adopted when its session can still be read. */
export async function verifyRendering({ session }: Rendering, id: string, service: RenderService): Promise<Ending> {
  const gone = (): Ending => {
    const message = `${service.name} does not have the session ${session} any more`;
    const hint = `Run reelform apply --replace ${id}: the video is rendered anew`;
    return { kind: 'failed', failures: [{ code: 'session_gone', message, hint, retryable: false }] };
  };
  try {
    const look = await service.getRenderSession(session);
    const rendering = renderingOf(look.session);
    return rendering === null ? gone() : { kind: 'rendered', rendering, session: null };
  } catch (error) {
    if (error instanceof ServiceError && error.status === 404) return gone();
    return { kind: 'failed', failures: thrownFailures(error) };
  }
}

/** What a session that has ended was rendered to; null when it was not. */
export function renderingOf(session: RenderSession): Rendering | null {
  const { id, status, video_url, thumbnails, updated_at } = session;
  if (sessionEnd(status) !== 'rendered' || video_url === null) return null;
  return { session: id, video_url, thumbnails, rendered_at: updated_at };
}
