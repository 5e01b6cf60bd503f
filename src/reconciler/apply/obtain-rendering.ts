import { type EmbeddedOptions, SessionUnknown } from '../../contract/render-service.ts';
import { isFullQueueError, ServiceError } from '../../contract/service-error.ts';
import { furtherOutputs } from '../../contract/video-spec.ts';
import type { RenderSession } from '../../contract/wire/render-session.ts';
import { ReelformError } from '../../kernel/diagnostic.ts';
import { liveAttempt, recordedIn } from '../lock/fold-journal.ts';
import type { Attempt, Intent } from '../lock/journal.ts';
import { outputNameOf } from '../lock/lock.ts';
import { styleVersionOf } from '../plan/desired-video.ts';
import { sessionFailures, thrownFailures } from './events.ts';
import {
  type EmbeddedContext,
  type Ending,
  isOtherRuns,
  type PendingChange,
  type RemoteContext,
  type RunContext,
  type TaskEvents,
  timestamp,
} from './run-context.ts';
import { prepareRequest, uploadRequests } from './session-request.ts';
import { followMended, followSession, mismatchOf, renderingOf, watchSession } from './watch-session.ts';

/** A run on another machine posts its intent within this time, including all time-outs. */
const FOREIGN_INTENT_MS = 180_000;
const FOREIGN_POLL_MS = 2_000;
/** Safety margin at the end of an idempotency key's lifetime: the clocks of the machines of a service differ. */
const KEY_MARGIN_MS = 300_000;
/** Waits between requests while the queue of the service is full. */
const FULL_QUEUE_WAITS_MS = [1_000, 2_000, 5_000, 10_000];
/** How soon a wait for room notices that the run is ending. */
const STOP_CHECK_MS = 1_000;

/**
 * Obtains one rendering without paying twice. Resumes the attempt recorded in the journal, or writes an intent to disk and
 * then posts a new request.
 *
 * @throws errors of the journal, without which no request may be posted
 */
export function obtainRendering(change: PendingChange, context: RunContext, events: TaskEvents): Promise<Ending> {
  return context.watcher === null ? renderEmbedded(change, context, events) : obtainRemote(change, context, events);
}

async function obtainRemote(change: PendingChange, context: RemoteContext, events: TaskEvents): Promise<Ending> {
  const { service, ports, run } = context;
  const { fingerprint } = change.desired;
  const followedSince = ports.clock.monotonicNow();
  let attempt = context.known.get(fingerprint) ?? null;
  const failed = attempt === null ? context.failed.get(fingerprint) : undefined;
  const mended = failed === undefined ? null : await followMended(failed, change, context, events);
  if (mended !== null) return mended;
  for (;;) {
    let posted: Posted;
    switch (attempt?.state) {
      case undefined:
      case 'failed':
      case 'closed':
        posted = await postNew(change, context, events);
        break;
      case 'rendered':
        return {
          kind: 'rendered',
          rendering: attempt.rendering!,
          session: null,
          isOtherRuns: isOtherRuns(attempt.intent, context),
        };
      case 'created':
      case 'missing': {
        const session = attempt.session!;
        events.begun(attempt.intent.run === run ? 'posted' : 'resumed');
        events.submitted(session);
        return followSession(attempt, session, change, context, events);
      }
      case 'unknown':
      case 'retry':
      case 'sending': {
        const { intent, state }: Attempt = attempt;
        const problem = state === 'retry' ? null : state === 'unknown' ? REPORTED : await keyProblem(intent, context);
        if (problem === null) {
          const known = attempt;
          events.begun('resent');
          posted = await context.posting(() => resend(known, change, context, events));
          break;
        }
        // The clock of the other machine may be ahead.
        const ageMs = ports.clock.now() - Date.parse(intent.at);
        const isOver = Math.max(ageMs, ports.clock.monotonicNow() - followedSince) >= FOREIGN_INTENT_MS;
        if (!ports.journal.isShared || intent.run === run || state === 'unknown' || isOver) {
          events.begun('resumed');
          return unknown(attempt, `it is unknown whether ${service.name} accepted the request${problem}`, context);
        }
        events.begun('followed');
        if (!(await waitForOtherRun(context))) return { kind: 'given-up' };
        attempt = presentAttempt(change, context);
        continue;
      }
    }
    switch (posted.kind) {
      case 'created':
        return watchSession(posted.session, posted.attempt, change, context, events);
      case 'ended':
        return posted.ending;
      case 'taken':
        attempt = posted.attempt;
        break;
      case 'refused':
        attempt = null;
    }
  }
}

/** Result of a request for a new session. */
type Posted =
  | { readonly kind: 'created'; readonly session: RenderSession; readonly attempt: Attempt }
  /** Another attempt has the claim. */
  | { readonly kind: 'taken'; readonly attempt: Attempt }
  /** The queue of the service is full: it created no session, and a later request may succeed. */
  | { readonly kind: 'refused'; readonly error: ServiceError }
  | { readonly kind: 'ended'; readonly ending: Ending };

async function postNew(change: PendingChange, context: RemoteContext, events: TaskEvents): Promise<Posted> {
  const { ports } = context;
  events.begun('posted');
  let body: string;
  try {
    body = JSON.stringify(await prepareRequest(change, context));
  } catch (error) {
    return { kind: 'ended', ending: { kind: 'failed', failures: thrownFailures(error) } };
  }
  const claimAndPost = (): Promise<Posted> =>
    context.posting(async () => {
      if (context.isEnding()) return { kind: 'ended', ending: { kind: 'given-up' } };
      const intent = await newRemoteIntent(change, body, context);
      const attempt = await ports.journal.begin(intent, change.before);
      return attempt === null ? post(intent, change, context, events) : { kind: 'taken', attempt };
    });
  const posted = await claimAndPost();
  if (posted.kind !== 'refused') return posted;
  const { code, message } = posted.error;
  events.warned({ code, message, hint: 'The request is repeated until the queue has room', retryable: true });
  return context.waiting(() => postUntilRoom(claimAndPost, context));
}

async function postUntilRoom(
  claimAndPost: () => Promise<Posted>,
  { ports, leave, isEnding }: RunContext,
): Promise<Posted> {
  for (let refusals = 0; ; refusals += 1) {
    const posted = await claimAndPost();
    if (posted.kind !== 'refused') return posted;
    const waitMs = FULL_QUEUE_WAITS_MS[Math.min(refusals, FULL_QUEUE_WAITS_MS.length - 1)]!;
    for (let waitedMs = 0; waitedMs < waitMs && !isEnding(); waitedMs += STOP_CHECK_MS) {
      await ports.clock.wait(STOP_CHECK_MS, leave).catch(() => undefined);
    }
  }
}

/** Sends the same key and bytes again. A service that keeps keys answers with the session that it created for them. */
async function resend(
  { intent, state }: Attempt,
  change: PendingChange,
  context: RemoteContext,
  events: TaskEvents,
): Promise<Posted> {
  if (state !== 'retry') return post(intent, change, context, events, true);
  // The new intent uses the permission up: `resolve --retry` allows one request.
  const account = context.service.accountDigest(intent.key);
  const renewed = { ...intent, run: context.run, at: timestamp(context), account };
  const attempt = await context.ports.journal.begin(renewed, change.before);
  if (attempt !== null) return { kind: 'taken', attempt };
  return post({ ...renewed, at: intent.at }, change, context, events, true);
}

/** @returns false when the run stopped waiting */
async function waitForOtherRun({ ports, leave }: RunContext): Promise<boolean> {
  try {
    await ports.clock.wait(FOREIGN_POLL_MS, leave);
  } catch {
    return false;
  }
  await ports.journal.refresh();
  return true;
}

function presentAttempt({ before, desired }: PendingChange, { ports }: RunContext): Attempt | null {
  return liveAttempt(ports.journal.state, desired.fingerprint, recordedIn(before === null ? [] : [before]));
}

/**
 * Posts the request of an intent.
 * @param wasSentBefore true if an earlier run sent the request and got no answer. A refusal now does not prove that the
 * service refused the earlier request too.
 */
async function post(
  intent: Intent,
  { desired, destinations }: PendingChange,
  context: RemoteContext,
  events: TaskEvents,
  wasSentBefore = false,
): Promise<Posted> {
  const { service, ports, leave: signal } = context;
  const { key, output_name: outputName } = intent;
  let session: RenderSession;
  try {
    session = await service.createRenderSession(intent.body, {
      idempotencyKey: key,
      outputName,
      wasSentBefore,
      signal,
    });
  } catch (error) {
    const isRefusal = error instanceof ServiceError || error instanceof ReelformError;
    if (error instanceof SessionUnknown || !isRefusal) {
      const ending = await unanswered(intent, messageOf(error), context);
      return { kind: 'ended', ending };
    }
    await ports.journal.append({ type: 'not_created', key, at: timestamp(context) });
    if (isFullQueueError(error)) return { kind: 'refused', error };
    return { kind: 'ended', ending: { kind: 'failed', failures: thrownFailures(error) } };
  }
  const mismatch = mismatchOf(intent, session) ?? context.claimSession(intent, session.id);
  if (mismatch !== null) {
    const { message, code } = mismatch;
    const why = `${message}; it is unknown whether ${service.name} created a session for this request`;
    return { kind: 'ended', ending: await unknown(sendingAttempt(intent), why, context, code) };
  }
  await Promise.all([
    ports.journal.append({ type: 'created', key, session: session.id, at: timestamp(context) }),
    recordKeyLifetime(context),
  ]).catch((error: unknown) => {
    throw unrecorded(desired.id, session, error);
  });
  if (uploadRequests(destinations).length > 0 && session.external_uploads === undefined) context.noteLack('deliveries');
  if (furtherOutputs(desired).length > 0 && session.outputs === undefined) context.noteLack('outputs');
  events.submitted(session.id);
  return { kind: 'created', session, attempt: { ...sendingAttempt(intent), state: 'created', session: session.id } };
}

function sendingAttempt(intent: Intent): Attempt {
  return { intent, state: 'sending', session: null, rendering: null };
}

/** An earlier run found out why. */
const REPORTED = '';

/**
 * Returns why a request must not be sent again under its key: the end of a sentence that says that its result is
 * unknown. Null if the service certainly keeps the key and answers with the session that it created for it.
 */
async function keyProblem(intent: Intent, { service }: RemoteContext): Promise<string | null> {
  const { account, key, service_at: sentAt, style_version: styleVersion } = intent;
  const lifetimeMs = service.keyLifetimeMs();
  if (lifetimeMs === null) return '';
  // Our clocks may be wrong, and a key that has expired creates a second session.
  if (sentAt === undefined) return ', and no answer of the service had shown the time when it was sent';
  const time = await service.serviceTime(styleVersion);
  if (time === null) return ', and no answer of the service shows the time';
  if (time.latestMs >= Date.parse(sentAt) + lifetimeMs - KEY_MARGIN_MS) return '';
  if (Date.parse(sentAt) > time.latestMs + KEY_MARGIN_MS)
    return `, and its time ${sentAt} has not come yet: the clock of the service was wrong`;
  if (account === service.accountDigest(key)) return null;
  if (account === undefined) return ', and an earlier version of Reelform did not record its access token';
  return ', and it was sent with another access token';
}

/** Records how long the service keeps keys as soon as it is known: the next run needs it if this run crashes. */
async function recordKeyLifetime({ service, ports }: RunContext): Promise<void> {
  const lifetimeMs = service.keyLifetimeMs();
  const known = ports.journal.state.services.get(service.name)?.keyLifetimeMs ?? null;
  if (lifetimeMs === null || (known !== null && Math.abs(lifetimeMs - known) < KEY_MARGIN_MS)) return;
  await ports.journal.append({ type: 'keys', service: service.name, lifetime_ms: lifetimeMs });
}

/** Ends a request without an answer: the next run repeats it if its key allows that; otherwise a person decides. */
async function unanswered(intent: Intent, message: string, context: RemoteContext): Promise<Ending> {
  if ((await keyProblem(intent, context)) !== null) return unknown(sendingAttempt(intent), message, context);
  const hint = `Run reelform apply again: it sends the same request and key, for which ${context.service.name} keeps the session. Or decide now: reelform resolve ${intent.id}`;
  return { kind: 'failed', failures: [{ code: 'session_unknown', message, hint, retryable: true }] };
}

/** Leaves the decision to a person, and records that before it is reported. */
async function unknown(
  { intent, state }: Attempt,
  message: string,
  context: RemoteContext,
  code = 'session_unknown',
): Promise<Ending> {
  const { key, id, at } = intent;
  if (state !== 'unknown') await context.ports.journal.append({ type: 'unknown', key, at: timestamp(context) });
  const hint = `Check the service, then run reelform resolve ${id} --session ID, --retry or --abandon`;
  return { kind: 'unknown', failure: { code, message, hint, retryable: false }, askedAt: at, session: null };
}

/** The error names the session: when the disk is full, this message is the only record of the paid render. */
function unrecorded(id: string, session: RenderSession, cause: unknown): ReelformError {
  const message = `The session ${session.id} of "${id}" could not be recorded: ${messageOf(cause)}`;
  return new ReelformError('write_failed', message, {
    hint: `Free some space, then run reelform resolve ${id} --session ${session.id}`,
    cause,
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Renders with a service that ends with this process. It has no sessions to resume, so the journal needs no intent first. */
async function renderEmbedded(change: PendingChange, context: EmbeddedContext, events: TaskEvents): Promise<Ending> {
  const { service, ports, leave } = context;
  const { journal } = ports;
  events.begun('posted');
  let session: RenderSession;
  const intent = newIntent(change, '', context);
  let percent = -1;
  let segmentsDone = -1;
  const onProgress: EmbeddedOptions['onProgress'] = (next, segments) => {
    if (next <= percent && (segments?.done ?? -1) <= segmentsDone) return;
    percent = next;
    segmentsDone = segments?.done ?? segmentsDone;
    events.progressed(next, segments);
  };
  try {
    const request = await prepareRequest(change, context);
    session = await service.render(request, { outputName: intent.output_name, signal: leave, onProgress });
  } catch (error) {
    return leave.aborted ? { kind: 'given-up' } : { kind: 'failed', failures: thrownFailures(error) };
  }
  const rendering = renderingOf(session);
  if (rendering === null) {
    return { kind: 'failed', failures: sessionFailures(session, change.desired) };
  }
  const attempt: Attempt = { intent, state: 'rendered', session: rendering.session, rendering };
  // A restored file needs no record: its lock entry does not change.
  if (change.before === null || !recordedIn([change.before])(attempt)) {
    const { key } = intent;
    const written = journal.append({ type: 'intent', ...intent });
    await Promise.all([written, journal.append({ type: 'rendered', key, rendering, at: timestamp(context) })]);
  }
  return { kind: 'rendered', rendering, session, isOtherRuns: false };
}

async function newRemoteIntent(change: PendingChange, body: string, context: RemoteContext): Promise<Intent> {
  const { service } = context;
  const time = await service.serviceTime(styleVersionOf(change.desired));
  const intent = newIntent(change, body, context);
  return {
    ...intent,
    account: service.accountDigest(intent.key),
    ...(time !== null && { service_at: new Date(time.earliestMs).toISOString() }),
  };
}

function newIntent(change: PendingChange, body: string, context: RunContext): Intent {
  const { id, fingerprint } = change.desired;
  return {
    key: context.ports.newKey(),
    id,
    fingerprint,
    service: context.service.name,
    style_version: styleVersionOf(change.desired),
    output_name: outputName(change),
    body,
    run: context.run,
    at: timestamp(context),
  };
}

/** A restored output keeps the name in the lockfile; a new output is named after its content. */
function outputName(change: PendingChange): string {
  if (change.action === 'restore') return outputNameOf(change.before.video_url);
  const { id, fingerprint } = change.desired;
  return `${id}-${fingerprint.slice('v1:'.length, 'v1:'.length + 8)}`;
}
