import type { LimitFunction } from 'p-limit';
import { furtherOutputs } from '../definition/video.ts';
import type { LockRendering } from '../lock/lock.ts';
import { type Adoption, type Change, delivers, renders } from '../plan/plan.ts';
import { lacksDeliveries, lacksOutputs, type RenderService } from '../service/render-service.ts';
import type { RenderSession } from '../wire/render-session.ts';
import { type DeliveryEnding, deliverRendering, NOT_DELIVERED } from './deliver-rendering.ts';
import { type ApplyEvent, endsRun, type Failure, thrownFailures } from './events.ts';
import { obtainRendering } from './obtain-rendering.ts';
import {
  type Ending,
  type PendingChange,
  type RunContext,
  type RunStop,
  type TaskEvents,
  timestamp,
} from './run-context.ts';
import { foundRendering, type RunRecord } from './run-record.ts';
import { verifyRendering } from './watch-session.ts';

/** A running apply. */
export interface ApplyRun {
  readonly context: RunContext;
  readonly record: RunRecord;
  readonly stop: RunStop;
  readonly limits: { readonly rendering: LimitFunction; readonly delivering: LimitFunction };
  readonly failFast: boolean;
  onEvent(event: ApplyEvent): void;
}

/** Returns true if the service must be called or awaited before a rendering exists. */
export function needsWork(change: Change, service: RenderService): boolean {
  if (change.action !== 'adopt') return renders(change);
  const { source } = change;
  if (source.kind === 'history') return service.outlivesProcess;
  return source.kind === 'journal' && source.rendering === null;
}

/** Returns true if a change adopts the rendering of another video of the same plan. */
export function isDuplicate(change: Change): change is Adoption {
  return change.action === 'adopt' && change.source.kind === 'planned';
}

/** Renders a video if needed, delivers it if wanted, and records the result. */
export async function executeChange(change: PendingChange, run: ApplyRun): Promise<void> {
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
    progressed: (percent, segments) =>
      onEvent({ kind: 'video-progressed', id, percent, ...(segments !== undefined && { segments }) }),
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
export async function executeDuplicate(duplicate: Adoption, run: ApplyRun): Promise<void> {
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
    ...(delivers(change) && context.lacks('deliveries') ? [lacksDeliveries(name)] : []),
    ...(furtherOutputs(change.desired).length > 0 && context.lacks('outputs') ? [lacksOutputs(name)] : []),
  ];
  if (lacking.length > 0) {
    events.begun('posted');
    return { kind: 'failed', failures: lacking.flatMap(thrownFailures) };
  }
  if (change.action === 'adopt' && change.source.kind === 'history') {
    return verifyRendering(change.source.rendering, change.id, context);
  }
  return obtainRendering(change, context, events);
}

function deliver(
  { destinations, desired }: PendingChange,
  { rendering, session }: { readonly rendering: LockRendering; readonly session: RenderSession | null },
  { context }: ApplyRun,
): Promise<DeliveryEnding> {
  return deliverRendering({ title: desired.title, rendering, session, destinations }, context);
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

function stopAfterFailure(failures: readonly Failure[], { failFast, stop }: ApplyRun): void {
  if (failures.length > 0 && (failFast || failures.some(endsRun))) stop.because('failure');
}
