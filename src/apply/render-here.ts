import { recordedIn } from '../lock/fold-journal.ts';
import type { EmbeddedRenderService } from '../service/render-service.ts';
import type { RenderSession } from '../wire/render-session.ts';
import { sessionFailures, thrownFailures } from './failure.ts';
import { prepareRequest, type RenderTask } from './render-task.ts';
import { type Ending, newIntent, type RunContext, type TaskEvents, timestamp } from './run-context.ts';
import { renderingOf } from './watch-session.ts';

/** A service that ends with this process: there is nothing to take up, and what it rendered is in the journal at once. */
export async function renderHere(
  task: RenderTask,
  context: RunContext & { readonly service: EmbeddedRenderService },
  events: TaskEvents,
): Promise<Ending> {
  const { service, ports, leave } = context;
  const { journal } = ports;
  events.begun('posted');
  let session: RenderSession;
  const intent = newIntent(task, '', context);
  let percent = -1;
  const onProgress = (next: number): void => {
    if (next <= percent) return;
    percent = next;
    events.progressed(next);
  };
  try {
    const request = await prepareRequest(task, service, ports);
    session = await service.render(request, { outputName: task.outputName, signal: leave, onProgress });
  } catch (error) {
    return leave.aborted ? { kind: 'given-up' } : { kind: 'failed', failures: thrownFailures(error) };
  }
  const rendering = renderingOf(session);
  if (rendering === null) return { kind: 'failed', failures: sessionFailures(session, task.video) };
  // A restored file needs no record: its lock entry stays as it is.
  if (
    task.present !== null &&
    recordedIn([task.present])({ intent, state: 'rendered', session: rendering.session, rendering })
  ) {
    return { kind: 'rendered', rendering, session };
  }
  const { key } = intent;
  const written = journal.append({ type: 'intent', ...intent });
  await Promise.all([written, journal.append({ type: 'rendered', key, rendering, at: timestamp(context) })]);
  return { kind: 'rendered', rendering, session };
}
