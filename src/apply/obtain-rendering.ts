import { ReelformError } from '../diagnostic.ts';
import { liveAttempt } from '../lock/fold-journal.ts';
import type { Attempt, Intent } from '../lock/journal.ts';
import type { Fingerprint, Rendering } from '../lock/lock.ts';
import { type RenderService, SessionUnknown, sessionEnd } from '../service/render-service.ts';
import { ServiceError } from '../service/service-error.ts';
import type { RenderSession } from '../service/wire.ts';
import type { Begin, Failure } from './events.ts';
import { sessionFailures, thrownFailures } from './failure.ts';
import type { ApplyPorts } from './ports.ts';
import { prepareRequest, type RenderTask } from './render-task.ts';
import type { SessionWatcher } from './session-watcher.ts';

/** How the work at one video ended. */
export type Ending =
  | { readonly kind: 'rendered'; readonly rendering: Rendering }
  | { readonly kind: 'failed'; readonly failures: readonly Failure[] }
  /** A render was asked for, and nothing tells whether it was taken on. */
  | { readonly kind: 'unknown'; readonly failure: Failure; readonly askedAt: string }
  /** Still at work at the service, and in the journal. */
  | { readonly kind: 'left'; readonly session: string }
  /** Given up before anything was asked for. */
  | { readonly kind: 'given-up' };

/** What the videos of one run share. */
export interface RunContext {
  readonly service: RenderService;
  readonly ports: ApplyPorts;
  readonly watcher: SessionWatcher;
  /** Names this run in the journal. */
  readonly run: string;
  /** What was in the journal when the run began. */
  readonly known: ReadonlyMap<Fingerprint, Attempt>;
  /** Whether the run is ending: nothing may be asked for any more. */
  isEnding(): boolean;
  /** Aborted: what is at work is left to the service. */
  readonly leave: AbortSignal;
  /** Lets only so many requests be unanswered at once as could be sorted out by hand. */
  readonly posting: <T>(post: () => Promise<T>) => Promise<T>;
}

/** What is told of one video on the way. */
export interface TaskEvents {
  begun(begin: Begin): void;
  submitted(session: string): void;
  progressed(percent: number): void;
}

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
export async function obtainRendering(task: RenderTask, context: RunContext, events: TaskEvents): Promise<Ending> {
  const { service, ports } = context;
  if (!service.outlivesProcess) return renderHere(task, context, events);
  const known = context.known.get(task.fingerprint);
  if (known !== undefined && known.session !== task.presentSession) return takeUp(known, task, context, events);
  events.begun('posted');
  let body: string;
  try {
    body = await prepareRequest(task, service, ports);
  } catch (error) {
    return { kind: 'failed', failures: thrownFailures(error) };
  }
  return context
    .posting(async () => {
      if (context.isEnding()) return GIVEN_UP;
      const intent = newIntent(task, body, context);
      const other = await ports.journal.begin(intent);
      return other === null ? post(intent, task, context, events) : () => takeUp(other, task, context, events);
    })
    .then((next) => next());
}

const GIVEN_UP = async (): Promise<Ending> => ({ kind: 'given-up' });

/** What is left to do once the request is answered: not while others wait to ask. */
type Next = () => Promise<Ending>;

/** Goes on with what an earlier run, or another one, began. */
async function takeUp(attempt: Attempt, task: RenderTask, context: RunContext, events: TaskEvents): Promise<Ending> {
  const { intent, session, rendering, state } = attempt;
  const { service, ports, run } = context;
  if (rendering !== null) return { kind: 'rendered', rendering };
  if (session !== null) {
    events.begun(intent.run === run ? 'posted' : 'resumed');
    events.submitted(session);
    return follow(session, intent.key, task, context, events);
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
  context: RunContext,
  events: TaskEvents,
): Promise<Next> {
  // What a person allowed once is not allowed twice.
  if (state === 'retry') {
    const renewed = { ...intent, run: context.run, at: timestamp(context) };
    const other = await context.ports.journal.begin(renewed);
    if (other !== null) return () => takeUp(other, task, context, events);
  }
  return post(intent, task, context, events);
}

/** Another run has said that it will ask: what becomes of it is in the journal soon. */
async function waitForOther(task: RenderTask, context: RunContext, events: TaskEvents): Promise<Ending> {
  const { ports, leave } = context;
  try {
    await ports.clock.wait(FOREIGN_LOOK_MS, leave);
  } catch {
    return { kind: 'given-up' };
  }
  await ports.journal.refresh();
  const attempt = liveAttempt(ports.journal.state, task.fingerprint);
  const known = new Map(attempt === null ? [] : [[task.fingerprint, attempt]]);
  return obtainRendering(task, { ...context, known }, events);
}

async function post(intent: Intent, task: RenderTask, context: RunContext, events: TaskEvents): Promise<Next> {
  const { service, ports } = context;
  const { key } = intent;
  let session: RenderSession;
  try {
    session = await service.createRenderSession(intent.body, { idempotencyKey: key, outputName: intent.output_name });
  } catch (error) {
    const isRefusal = error instanceof ServiceError || error instanceof ReelformError;
    if (error instanceof SessionUnknown || !isRefusal) return async () => unknown(intent, messageOf(error));
    await ports.journal.append({ type: 'not_created', key, at: timestamp(context) });
    return async () => ({ kind: 'failed', failures: thrownFailures(error) });
  }
  await Promise.all([
    ports.journal.append({ type: 'created', key, session: session.id, at: timestamp(context) }),
    noteKeys(context),
  ]).catch((error: unknown) => {
    throw unrecorded(task, session, error);
  });
  events.submitted(session.id);
  return () => watch(session, key, task, context, events);
}

/** A session that is known by its id alone is looked at first. */
async function follow(
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
  return watch(session, key, task, context, events);
}

async function watch(
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
  return { kind: 'rendered', rendering };
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
    return rendering === null ? gone() : { kind: 'rendered', rendering };
  } catch (error) {
    if (error instanceof ServiceError && error.status === 404) return gone();
    return { kind: 'failed', failures: thrownFailures(error) };
  }
}

/** A service that ends with this process: there is nothing to take up, and what it rendered is in the journal at once. */
async function renderHere(task: RenderTask, context: RunContext, events: TaskEvents): Promise<Ending> {
  const { service, ports, watcher, leave } = context;
  const { journal } = ports;
  events.begun('posted');
  let session: RenderSession;
  let body: string;
  const intent = newIntent(task, '', context);
  try {
    body = await prepareRequest(task, service, ports);
    session = await service.createRenderSession(body, { idempotencyKey: intent.key, outputName: task.outputName });
    const onProgress = (percent: number): void => events.progressed(percent);
    session = await watcher.watch(session, task.styleVersion, { signal: leave, onProgress });
  } catch (error) {
    return leave.aborted ? { kind: 'given-up' } : { kind: 'failed', failures: thrownFailures(error) };
  }
  const rendering = renderingOf(session);
  if (rendering === null) return { kind: 'failed', failures: sessionFailures(session, task.video) };
  const { key } = intent;
  const written = journal.append({ type: 'intent', ...intent });
  await Promise.all([written, journal.append({ type: 'rendered', key, rendering, at: timestamp(context) })]);
  return { kind: 'rendered', rendering };
}

function renderingOf(session: RenderSession): Rendering | null {
  const { id, status, video_url, thumbnails, updated_at } = session;
  if (sessionEnd(status) !== 'rendered' || video_url === null) return null;
  return { session: id, video_url, thumbnails, rendered_at: updated_at };
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

function newIntent(task: RenderTask, body: string, context: RunContext): Intent {
  return {
    key: context.ports.newKey(),
    id: task.video.id,
    fingerprint: task.fingerprint,
    service: context.service.name,
    style_version: task.styleVersion,
    output_name: task.outputName,
    body,
    run: context.run,
    at: timestamp(context),
  };
}

function timestamp({ ports }: RunContext): string {
  return new Date(ports.clock.now()).toISOString();
}

function unknown({ id, at }: Intent, message: string): Ending {
  const hint = `Look at the service, then run reelform resolve ${id} --session ID, --retry or --abandon`;
  return { kind: 'unknown', failure: { code: 'session_unknown', message, hint, retryable: false }, askedAt: at };
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
