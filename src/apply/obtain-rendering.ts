import { ReelformError } from '../diagnostic.ts';
import { liveAttempt, recordedIn } from '../lock/fold-journal.ts';
import type { Attempt, Intent } from '../lock/journal.ts';
import { type EmbeddedRenderService, type RemoteRenderService, SessionUnknown } from '../service/render-service.ts';
import { isFullQueueError, ServiceError } from '../service/service-error.ts';
import type { RenderSession } from '../wire/render-session.ts';
import { type Failure, sessionFailures, thrownFailures } from './events.ts';
import { type Ending, newIntent, type RunContext, type TaskEvents, timestamp } from './run-context.ts';
import { prepareRequest, type RenderTask, uploadRequests } from './session-request.ts';
import { followSession, renderingOf, watchSession } from './watch-session.ts';

/** A run on another machine that has said that it will ask is given so long to do it, its time-outs included. */
const FOREIGN_INTENT_MS = 180_000;
const FOREIGN_LOOK_MS = 2_000;
/** Keys are not relied on in the last minutes of their life: clocks differ. */
const KEY_MARGIN_MS = 300_000;

/**
 * Brings about one rendering of a video, and pays for it at most once: what the journal knows of is taken up, and only
 * what nobody has asked for is posted, after an intent is on the disk.
 *
 * @throws whatever the journal threw: without it nothing more may be posted
 */
export function obtainRendering(task: RenderTask, context: RunContext, events: TaskEvents): Promise<Ending> {
  const { service } = context;
  return service.outlivesProcess
    ? obtainRemote(task, { ...context, service }, events)
    : renderHere(task, { ...context, service }, events);
}

type RemoteContext = RunContext & { readonly service: RemoteRenderService };

async function obtainRemote(task: RenderTask, context: RemoteContext, events: TaskEvents): Promise<Ending> {
  const { service, ports } = context;
  const known = context.known.get(task.fingerprint);
  if (known !== undefined) return takeUp(known, task, context, events);
  events.begun('posted');
  let body: string;
  try {
    body = JSON.stringify(await prepareRequest(task, service, ports));
  } catch (error) {
    return { kind: 'failed', failures: thrownFailures(error) };
  }
  const ask = (): Promise<Next | Refused> =>
    context.posting(async () => {
      if (context.isEnding()) return GIVEN_UP;
      const intent = newIntent(task, body, context);
      const other = await ports.journal.begin(intent, task.present);
      return other === null ? post(intent, task, context, events) : () => takeUp(other, task, context, events);
    });
  const answered = await ask();
  if (typeof answered === 'function') return answered();
  events.warned(noRoom(answered));
  return context.waiting(() => askForRoom(ask, context)).then((next) => next());
}

const GIVEN_UP = async (): Promise<Ending> => ({ kind: 'given-up' });

/** What is left to do once the request is answered: not while others wait to ask. */
type Next = () => Promise<Ending>;

/** The queue of the service is full: it made no session, and another request can have another answer. */
interface Refused {
  readonly error: ServiceError;
}

/** Between two questions of the one video that asks for all that wait. */
const ROOM_LOOKS_MS = [1_000, 2_000, 5_000, 10_000];
/** So soon a run that is to end does. */
const STEP_MS = 1_000;

async function askForRoom(ask: () => Promise<Next | Refused>, { ports, leave, isEnding }: RunContext): Promise<Next> {
  for (let refusals = 0; ; refusals += 1) {
    const next = await ask();
    if (typeof next === 'function') return next;
    const lookMs = ROOM_LOOKS_MS[Math.min(refusals, ROOM_LOOKS_MS.length - 1)]!;
    for (let waitedMs = 0; waitedMs < lookMs && !isEnding(); waitedMs += STEP_MS) {
      await ports.clock.wait(STEP_MS, leave).catch(() => undefined);
    }
  }
}

function noRoom({ error: { code, message } }: Refused): Failure {
  return { code, message, hint: 'It is asked again until there is room', retryable: true };
}

/** Goes on with what an earlier run, or another one, began. */
async function takeUp(attempt: Attempt, task: RenderTask, context: RemoteContext, events: TaskEvents): Promise<Ending> {
  const { intent, session, rendering, state } = attempt;
  const { service, ports, run } = context;
  if (rendering !== null) return { kind: 'rendered', rendering, session: null };
  if (session !== null) {
    events.begun(intent.run === run ? 'posted' : 'resumed');
    events.submitted(session);
    return followSession(attempt, session, task, context, events);
  }
  if (state === 'retry' || keyHolds(intent, context)) {
    events.begun('resent');
    return context.posting(() => resend(attempt, task, context, events)).then((next) => next());
  }
  const age = ports.clock.now() - Date.parse(intent.at);
  if (ports.journal.isShared && intent.run !== run && age < FOREIGN_INTENT_MS) {
    events.begun('followed');
    return waitForOther(task, context, events);
  }
  events.begun('resumed');
  return unknown(intent, `whether ${service.name} took the request on is not known`);
}

/** The key and the bytes are those of before: a service that keeps keys answers with the session that it made then. */
async function resend(
  { intent, state }: Attempt,
  task: RenderTask,
  context: RemoteContext,
  events: TaskEvents,
): Promise<Next> {
  // What a person allowed once is not allowed twice.
  if (state === 'retry') {
    const renewed = { ...intent, run: context.run, at: timestamp(context) };
    const other = await context.ports.journal.begin(renewed, task.present);
    if (other !== null) return () => takeUp(other, task, context, events);
  }
  const next = await post(intent, task, context, events, true);
  if (typeof next === 'function') return next;
  return () => obtainRemote(task, { ...context, known: new Map() }, events);
}

/** Another run has said that it will ask: what becomes of it is in the journal soon. */
async function waitForOther(task: RenderTask, context: RemoteContext, events: TaskEvents): Promise<Ending> {
  const { ports, leave } = context;
  try {
    await ports.clock.wait(FOREIGN_LOOK_MS, leave);
  } catch {
    return { kind: 'given-up' };
  }
  await ports.journal.refresh();
  const isRecorded = recordedIn(task.present === null ? [] : [task.present]);
  const attempt = liveAttempt(ports.journal.state, task.fingerprint, isRecorded);
  const known = new Map(attempt === null ? [] : [[task.fingerprint, attempt]]);
  return obtainRemote(task, { ...context, known }, events);
}

/** @param wasSentBefore by a run that had no answer: a refusal of this request says nothing of that one */
async function post(
  intent: Intent,
  task: RenderTask,
  context: RemoteContext,
  events: TaskEvents,
  wasSentBefore = false,
): Promise<Next | Refused> {
  const { service, ports } = context;
  const { key, output_name: outputName } = intent;
  let session: RenderSession;
  try {
    session = await service.createRenderSession(intent.body, { idempotencyKey: key, outputName, wasSentBefore });
  } catch (error) {
    const isRefusal = error instanceof ServiceError || error instanceof ReelformError;
    if (error instanceof SessionUnknown || !isRefusal) return async () => unknown(intent, messageOf(error));
    await ports.journal.append({ type: 'not_created', key, at: timestamp(context) });
    if (isFullQueueError(error)) return { error };
    return async () => ({ kind: 'failed', failures: thrownFailures(error) });
  }
  await Promise.all([
    ports.journal.append({ type: 'created', key, session: session.id, at: timestamp(context) }),
    noteKeys(context),
  ]).catch((error: unknown) => {
    throw unrecorded(task, session, error);
  });
  if (uploadRequests(task.destinations).length > 0 && session.external_uploads === undefined) context.noteLack();
  events.submitted(session.id);
  return () => watchSession(session, key, task, context, events);
}

function keyHolds({ at }: Intent, { service, ports }: RunContext): boolean {
  const lifetimeMs = service.keyLifetimeMs();
  return lifetimeMs !== null && ports.clock.now() < Date.parse(at) + lifetimeMs - KEY_MARGIN_MS;
}

/** What the service has shown is written down as soon as it is seen: the next run needs it when this one dies. */
async function noteKeys({ service, ports }: RunContext): Promise<void> {
  const lifetimeMs = service.keyLifetimeMs();
  const known = ports.journal.state.services.get(service.name)?.keyLifetimeMs ?? null;
  if (lifetimeMs === null || (known !== null && Math.abs(lifetimeMs - known) < KEY_MARGIN_MS)) return;
  await ports.journal.append({ type: 'keys', service: service.name, lifetime_ms: lifetimeMs });
}

function unknown({ id, at }: Intent, message: string): Ending {
  const hint = `Look at the service, then run reelform resolve ${id} --session ID, --retry or --abandon`;
  const failure = { code: 'session_unknown', message, hint, retryable: false };
  return { kind: 'unknown', failure, askedAt: at, session: null };
}

/** The one thing that must not be lost when the disk is full is the id of what is being paid for. */
function unrecorded({ video }: RenderTask, session: RenderSession, cause: unknown): ReelformError {
  const message = `The session ${session.id} of "${video.id}" could not be recorded: ${messageOf(cause)}`;
  return new ReelformError('write_failed', message, {
    hint: `Free some space, then run reelform resolve ${video.id} --session ${session.id}`,
    cause,
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A service that ends with this process: there is nothing to take up, and what it rendered is in the journal at once. */
async function renderHere(
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
