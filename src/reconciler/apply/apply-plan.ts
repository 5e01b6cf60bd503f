import type { LimitFunction } from 'p-limit';
import pLimit from 'p-limit';
import { lacksDeliveries, lacksOutputs, type RenderService, sessionDiffers } from '../../contract/render-service.ts';
import { furtherOutputs } from '../../contract/video-spec.ts';
import type { RenderSession } from '../../contract/wire/render-session.ts';
import { defined } from '../../kernel/defined.ts';
import type { Sha256 } from '../../kernel/digest.ts';
import { failedAttempts, liveAttempts, recordedIn } from '../lock/fold-journal.ts';
import type { Intent, JournalState } from '../lock/journal.ts';
import type { Fingerprint, LockRendering } from '../lock/lock.ts';
import { type Adoption, type Change, delivers, type Plan, renders } from '../plan/plan.ts';
import { deliverCaptions } from './deliver-captions.ts';
import { type DeliveryEnding, deliverRendering, NOT_DELIVERED } from './deliver-rendering.ts';
import { type ApplyEvent, type ApplyOutcome, endsRun, thrownFailures, type VideoFailure } from './events.ts';
import { obtainRendering } from './obtain-rendering.ts';
import {
  type ApplyPorts,
  type Ending,
  type PendingChange,
  type RemoteContext,
  type RunContext,
  RunStop,
  type ServiceFeature,
  type TaskEvents,
  timestamp,
} from './run-context.ts';
import { foundRendering, LockSaver, RunRecord } from './run-record.ts';
import { uploadRequests } from './session-request.ts';
import { SessionWatcher } from './session-watcher.ts';
import { verifyRendering } from './watch-session.ts';

export interface ApplyInput {
  readonly plan: Plan;
  /** Returns the digest that a local file had when the plan was made. */
  readonly digestOf: (path: string) => Sha256 | undefined;
  readonly service: RenderService;
  readonly ports: ApplyPorts;
  /** Maximum number of concurrent renders, ≥ 1. */
  readonly concurrency: number;
  /** Aborted to stop gracefully: nothing new begins, and running renders are awaited and recorded. */
  readonly signal: AbortSignal;
  /** Aborted to stop at once: running renders are left to the service and recorded as left. */
  readonly detach: AbortSignal;
  /** Time limit of the run in milliseconds, after which running renders are left to the service; null for none. */
  readonly deadlineMs: number | null;
  /** True to start no more videos after the first failure. */
  readonly failFast: boolean;
  /** Name of this run in the journal. */
  readonly run: string;
  onEvent(event: ApplyEvent): void;
}

/**
 * Executes a plan. Changes that need no rendering are written to the lockfile first; then videos are rendered, at most
 * `concurrency` at once. Each is written to the journal before it is reported, and to the lockfile at the next
 * checkpoint, at the latest before this returns. A failure affects only its own video.
 *
 * @throws ReelformError `write_failed` when the journal or the lockfile cannot be written. Posts no new request
 *   after that
 */
export async function applyPlan(input: ApplyInput): Promise<ApplyOutcome> {
  const { plan, onEvent, service } = input;
  const ports = { ...input.ports, ensureStyleVersion: oncePerId((id) => input.ports.ensureStyleVersion(id)) };
  const { clock, journal } = ports;
  const startedAt = clock.monotonicNow();
  const saver = new LockSaver((change) => ports.updateLock(change), clock);
  const stop = new RunStop(input, clock);
  const facts = journal.state.services.get(service.name);
  const durationsMs = (styleVersion: string) => facts?.durationsMs.get(styleVersion) ?? [];
  const isRecorded = recordedIn(plan.changes.flatMap(({ before }) => before ?? []));
  const context: RunContext = {
    ...(service.outlivesProcess
      ? { service, watcher: new SessionWatcher({ service, clock, durationsMs }) }
      : { service, watcher: null }),
    ports,
    digestOf: input.digestOf,
    run: input.run,
    unrenderable: plan.unrenderable ?? new Map(),
    known: liveAttempts(journal.state, isRecorded),
    failed: failedAttempts(journal.state, isRecorded),
    claimSession: sessionClaims(plan, journal.state),
    isEnding: () => stop.reason !== null,
    leave: stop.leave,
    posting: postLimiter(service, input.concurrency),
    waiting: pLimit(1),
    ...rememberLack(service),
  };
  const record = new RunRecord(saver, onEvent, ports);

  const isPending = (change: Change): change is PendingChange => needsWork(change, service) || delivers(change);
  const pending = plan.changes.filter((change): change is PendingChange => isPending(change) && !isDuplicate(change));
  const duplicates = plan.changes.filter(isDuplicate);
  const ids = [...pending, ...duplicates.filter(delivers)].map(({ id }) => id);
  onEvent({ kind: 'run-started', ids, concurrency: input.concurrency });
  const limits = {
    rendering: pLimit(input.concurrency),
    delivering: pLimit(Math.max(MIN_DELIVERIES, input.concurrency)),
  };
  const run: ApplyRun = { context, record, stop, limits, failFast: input.failFast, onEvent };
  // The process may be killed before the run ends, so everything recorded so far is saved now.
  const persist = (): void => void saver.flush().catch(() => undefined);
  input.signal.addEventListener('abort', persist);
  try {
    await record.settled(plan.changes.filter((change) => !isPending(change) && !isDuplicate(change)));
    await settleAll(pending.map((change) => executeChange(change, run)));
    await settleAll(duplicates.map((duplicate) => executeDuplicate(duplicate, run)));
    if (context.watcher !== null) await rememberDurations(context);
    await saver.flush();
  } catch (error) {
    // The first error is reported: it names what could not be written.
    await saver.flush().catch(() => undefined);
    throw error;
  } finally {
    stop.close();
    input.signal.removeEventListener('abort', persist);
  }
  const outcome = record.outcome(stop.reason, clock.monotonicNow() - startedAt);
  onEvent({ kind: 'run-finished', outcome });
  return outcome;
}

/** Minimum for concurrent deliveries, which do not occupy slots for rendering. */
const MIN_DELIVERIES = 4;

/** Waits for all tasks even when one throws, so that everything that is paid for is recorded. */
async function settleAll(tasks: readonly Promise<void>[]): Promise<void> {
  const results = await Promise.allSettled(tasks);
  const rejected = results.find(({ status }) => status === 'rejected');
  if (rejected !== undefined) throw (rejected as PromiseRejectedResult).reason;
}

/** Remembers what a service does not support, so that no more videos are rendered that need it. */
function rememberLack(service: RenderService): Pick<RunContext, 'lacks' | 'noteLack'> {
  const missing = new Set<ServiceFeature>(service.deliverVideo === undefined ? ['deliveries'] : []);
  return {
    lacks: (feature) => missing.has(feature),
    noteLack: (feature) => void missing.add(feature),
  };
}

/** Returns the function that assigns sessions to requests, each session to requests for one content only. */
function sessionClaims(plan: Plan, { attempts }: JournalState): RunContext['claimSession'] {
  const owners = new Map<string, { readonly id: string; readonly fingerprint: Fingerprint }>();
  for (const { id, before } of plan.changes) if (before !== null) owners.set(before.session, { id, ...before });
  for (const { session, intent } of attempts.values()) if (session !== null) owners.set(session, intent);
  return (intent: Intent, session) => {
    const owner = owners.get(session);
    // A service may answer a request for the same content with the session that it has.
    if (owner !== undefined && owner.fingerprint !== intent.fingerprint) {
      return sessionDiffers(`The answer names the session ${session}, which belongs to "${owner.id}"`);
    }
    owners.set(session, intent);
    return null;
  };
}

/** Lets the next run estimate when to poll. */
async function rememberDurations({ service, ports, watcher }: RemoteContext): Promise<void> {
  await Promise.all(
    [...watcher.newDurations()].map(([style_version, durations_ms]) => {
      return ports.journal.append({ type: 'durations', service: service.name, style_version, durations_ms });
    }),
  );
}

/** Memoises by id: concurrent callers share one promise, and a failure is not retried. */
function oncePerId(ensure: (id: string) => Promise<void>): (id: string) => Promise<void> {
  const asked = new Map<string, Promise<void>>();
  return (id) => {
    const promise = asked.get(id) ?? ensure(id);
    asked.set(id, promise);
    return promise;
  };
}

/**
 * Maximum number of unanswered requests at a service that keeps no idempotency keys: after a crash, a person has to
 * resolve them.
 */
const UNKEYED_POSTS = 4;
/** The same as a share of `concurrency`: a run with many slots should not be throttled to four posts. */
const UNKEYED_SHARE = 0.1;

/** Limits unanswered requests until the service has shown that it keeps idempotency keys. */
function postLimiter(service: RenderService, concurrency: number): RunContext['posting'] {
  const limit = pLimit(Math.max(UNKEYED_POSTS, Math.ceil(UNKEYED_SHARE * concurrency)));
  return async (post) => {
    if (service.keyLifetimeMs() !== null) return post();
    const posted = await limit(post);
    // The first answer shows that keys are kept: lifts the limit for the waiting requests.
    if (service.keyLifetimeMs() !== null) limit.concurrency = Number.POSITIVE_INFINITY;
    return posted;
  };
}

interface ApplyRun {
  readonly context: RunContext;
  readonly record: RunRecord;
  readonly stop: RunStop;
  readonly limits: { readonly rendering: LimitFunction; readonly delivering: LimitFunction };
  readonly failFast: boolean;
  onEvent(event: ApplyEvent): void;
}

/** Returns true if the service must be called or awaited before a rendering exists. */
function needsWork(change: Change, service: RenderService): boolean {
  if (change.action !== 'adopt') return renders(change);
  const { source } = change;
  if (source.kind === 'history') return service.outlivesProcess;
  return source.kind === 'journal' && source.rendering === null;
}

/** Returns true if a change adopts the rendering of another video of the same plan. */
function isDuplicate(change: Change): change is Adoption {
  return change.action === 'adopt' && change.source.kind === 'planned';
}

/** Renders a video if needed, delivers it if wanted, and records the result. */
async function executeChange(change: PendingChange, run: ApplyRun): Promise<void> {
  const { context, limits, stop, record } = run;
  const isRendered = needsWork(change, context.service);
  const limit = isRendered ? limits.rendering : limits.delivering;
  try {
    const deliver = await limit(async (): Promise<Delivering> => {
      const { reason } = stop;
      if (reason === null) return isRendered ? renderFirst(change, run) : deliverFound(change, run);
      record.skipped(change.id, reason);
      return null;
    });
    // A delivery does not occupy a slot for rendering.
    if (deliver !== null) await limits.delivering(deliver);
  } catch (error) {
    stop.because('failure');
    throw error;
  }
}

/** A delivery that is left to do after a video has released its slot; null when there is none. */
type Delivering = (() => Promise<void>) | null;

async function renderFirst(change: PendingChange, run: ApplyRun): Promise<Delivering> {
  const { id, action } = change;
  const { context, record, stop, onEvent } = run;
  const startedAt = context.ports.clock.monotonicNow();
  const ending = await obtain(change, context, {
    begun: (begin) => onEvent({ kind: 'video-started', id, action, begin }),
    submitted: (session) => onEvent({ kind: 'video-submitted', id, session }),
    progressed: (percent, segments) => onEvent({ kind: 'video-progressed', id, percent, ...defined({ segments }) }),
    warned: (warning) => onEvent({ kind: 'video-warned', id, warning }),
  });
  const finish = async (delivery: DeliveryEnding): Promise<void> => {
    await record.ended(change, ending, { startedAt, givenUp: stop.reason ?? 'interrupted', delivery });
    if (ending.kind === 'rendered') await recordArrivals(ending.rendering, delivery, context);
    stopAfterFailure(ending.kind === 'failed' ? ending.failures : delivery.failures, run);
  };
  if (ending.kind !== 'rendered' || !delivers(change)) {
    await finish(NOT_DELIVERED);
    return null;
  }
  await record.delivering(change, ending.rendering);
  return async () => finish(await deliver(change, ending, run));
}

async function deliverFound(change: PendingChange, run: ApplyRun): Promise<null> {
  const { id, action } = change;
  run.onEvent({ kind: 'video-started', id, action, begin: 'found' });
  await deliverKnown(change, foundRendering(change)!, run);
  return null;
}

/** Records, and delivers if wanted, a video that shares the rendering of another video of this run. */
async function executeDuplicate(duplicate: Adoption, run: ApplyRun): Promise<void> {
  const { record, stop, limits } = run;
  const rendering = record.renderingOf(duplicate.source.id);
  if (rendering === undefined) return record.skipped(duplicate.id, stop.reason ?? 'failure');
  if (!delivers(duplicate) || stop.reason !== null) return record.recorded(duplicate, rendering, NOT_DELIVERED);
  await limits.delivering(async () => {
    run.onEvent({ kind: 'video-started', id: duplicate.id, action: duplicate.action, begin: 'found' });
    await deliverKnown(duplicate, rendering, run);
  });
}

/** Delivers an existing rendering, and records where it arrived. */
async function deliverKnown(change: PendingChange, rendering: LockRendering, run: ApplyRun): Promise<void> {
  await run.record.delivering(change, rendering);
  const delivery = await deliver(change, { rendering, session: null }, run);
  await run.record.recorded(change, rendering, delivery);
  await recordArrivals(rendering, delivery, run.context);
  stopAfterFailure(delivery.failures, run);
}

async function obtain(change: PendingChange, context: RunContext, events: TaskEvents): Promise<Ending> {
  const { name } = context.service;
  const lacking = [
    ...(uploadRequests(change.destinations).length > 0 && context.lacks('deliveries') ? [lacksDeliveries(name)] : []),
    ...(furtherOutputs(change.desired).length > 0 && context.lacks('outputs') ? [lacksOutputs(name)] : []),
  ];
  if (lacking.length > 0) {
    events.begun('posted');
    return { kind: 'failed', failures: lacking.flatMap(thrownFailures) };
  }
  if (change.action === 'adopt' && change.source.kind === 'history' && context.watcher !== null) {
    return verifyRendering(change.source, change, context);
  }
  return obtainRendering(change, context, events);
}

async function deliver(
  { destinations, desired }: PendingChange,
  { rendering, session }: { readonly rendering: LockRendering; readonly session: RenderSession | null },
  { context }: ApplyRun,
): Promise<DeliveryEnding> {
  const hasUploads = uploadRequests(destinations).length > 0;
  const endings = await Promise.all([
    !hasUploads ? NOT_DELIVERED : deliverRendering({ title: desired.title, rendering, session, destinations }, context),
    deliverCaptions({ desired, destinations }, context),
  ]);
  return {
    arrived: endings.flatMap(({ arrived }) => arrived),
    failures: endings.flatMap(({ failures }) => failures),
  };
}

/** The journal has to know too: the lockfile may be lost with this machine, and the files at the destinations were replaced. */
async function recordArrivals(
  { session }: LockRendering,
  { arrived: deliveries }: DeliveryEnding,
  context: RunContext,
): Promise<void> {
  if (deliveries.length === 0) return;
  await context.ports.journal.append({ type: 'delivered', session, deliveries, at: timestamp(context) });
}

function stopAfterFailure(failures: readonly VideoFailure[], { failFast, stop }: ApplyRun): void {
  if (failures.length > 0 && (failFast || failures.some(endsRun))) stop.because('failure');
}
