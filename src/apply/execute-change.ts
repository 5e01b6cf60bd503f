import type { LimitFunction } from 'p-limit';
import type { Video, VideoId } from '../definition/video.ts';
import type { Sha256 } from '../digest.ts';
import { outputNameOf, type Rendering } from '../lock/lock.ts';
import type { DesiredVideo } from '../plan/desired-video.ts';
import { type Adoption, type Change, delivers, renders } from '../plan/plan.ts';
import { lacksDeliveries } from '../service/deliver-by-http.ts';
import type { RenderService } from '../service/render-service.ts';
import type { RenderSession } from '../wire/render-session.ts';
import { type DeliveryEnding, deliverRendering, NOT_DELIVERED } from './deliver-rendering.ts';
import { type ApplyEvent, endsRun, type Failure, thrownFailures } from './events.ts';
import { obtainRendering } from './obtain-rendering.ts';
import { type Ending, type RunContext, type RunEnd, type TaskEvents, timestamp } from './run-context.ts';
import { foundRendering, type RunRecord } from './run-record.ts';
import type { RenderTask } from './session-request.ts';
import { verifyRendering } from './watch-session.ts';

/** What all videos of a run share. */
export interface Run {
  readonly input: RunInput;
  readonly context: RunContext;
  readonly record: RunRecord;
  readonly end: RunEnd;
  readonly limits: { readonly rendering: LimitFunction; readonly delivering: LimitFunction };
}

interface RunInput {
  readonly videos: ReadonlyMap<VideoId, Video>;
  readonly digestOf: (path: string) => Sha256 | undefined;
  readonly failFast: boolean;
  onEvent(event: ApplyEvent): void;
}

/** A change of a video that there is to be. */
export type Pending = Change & { readonly desired: DesiredVideo };

/** Whether there is something to ask the service for, or to wait for, before there is a rendering. */
export function needsWork(change: Change, service: RenderService): boolean {
  if (change.action !== 'adopt') return renders(change);
  const { source } = change;
  if (source.kind === 'history') return service.outlivesProcess;
  return source.kind === 'journal' && source.rendering === null;
}

/** Whether it takes what another video of the plan is rendered to. */
export function isTwin(change: Change): change is Adoption {
  return change.action === 'adopt' && change.source.kind === 'planned';
}

/** Renders a video where that is needed, delivers it where that is wanted, and records what became of it. */
export async function carryOut(change: Pending, run: Run): Promise<void> {
  const { context, limits, end } = run;
  const work = needsWork(change, context.service) ? renderFirst : deliverFound;
  const limit = work === renderFirst ? limits.rendering : limits.delivering;
  try {
    const onward = await limit(() => unlessEnding(change, run, () => work(change, run)));
    // What is on its way takes no place of a rendering.
    if (onward !== null) await limits.delivering(onward);
  } catch (error) {
    end.because('failure');
    throw error;
  }
}

/** What is left to do outside of the place that a video had. */
type Onward = (() => Promise<void>) | null;

async function unlessEnding({ id }: Pending, { record, end }: Run, begin: () => Promise<Onward>): Promise<Onward> {
  const { reason } = end;
  if (reason === null) return begin();
  record.skipped(id, reason);
  return null;
}

async function renderFirst(change: Pending, run: Run): Promise<Onward> {
  const { id, action } = change;
  const { input, context, record, end } = run;
  const startedAt = context.ports.clock.monotonicNow();
  const ending = await obtain(change, run, {
    begun: (begin) => input.onEvent({ kind: 'video-started', id, action, begin }),
    submitted: (session) => input.onEvent({ kind: 'video-submitted', id, session }),
    progressed: (percent) => input.onEvent({ kind: 'video-progressed', id, percent }),
    warned: (warning) => input.onEvent({ kind: 'video-warned', id, warning }),
  });
  const ended = async (delivery: DeliveryEnding): Promise<void> => {
    await record.ended(change, ending, { startedAt, givenUp: end.reason ?? 'interrupted', delivery });
    if (ending.kind === 'rendered') await noteArrivals(ending.rendering, delivery, context);
    endIfAsked(ending.kind === 'failed' ? ending.failures : delivery.failures, run);
  };
  if (ending.kind !== 'rendered' || !delivers(change)) {
    await ended(NOT_DELIVERED);
    return null;
  }
  await record.delivering(change, ending.rendering);
  return async () => ended(await deliver(change, ending, run));
}

async function deliverFound(change: Pending, run: Run): Promise<null> {
  const { id, action } = change;
  run.input.onEvent({ kind: 'video-started', id, action, begin: 'found' });
  await deliverKnown(change, foundRendering(change)!, run);
  return null;
}

/** A video that shares the rendering of another one of this run. */
export async function carryOutTwin(twin: Adoption, run: Run): Promise<void> {
  const { record, end, limits, input } = run;
  const rendering = record.renderingOf(twin.source.id);
  if (rendering === undefined) return record.skipped(twin.id, end.reason ?? 'failure');
  if (!delivers(twin) || end.reason !== null) return record.recorded(twin, rendering, NOT_DELIVERED);
  await limits.delivering(async () => {
    input.onEvent({ kind: 'video-started', id: twin.id, action: twin.action, begin: 'found' });
    await deliverKnown(twin, rendering, run);
  });
}

/** Delivers a video that there is, and records where it arrived. */
async function deliverKnown(change: Pending, rendering: Rendering, run: Run): Promise<void> {
  await run.record.delivering(change, rendering);
  const delivery = await deliver(change, { rendering, session: null }, run);
  await run.record.recorded(change, rendering, delivery);
  await noteArrivals(rendering, delivery, run.context);
  endIfAsked(delivery.failures, run);
}

async function obtain(change: Pending, { input, context }: Run, events: TaskEvents): Promise<Ending> {
  if (delivers(change) && context.lacksDeliveries()) {
    events.begun('posted');
    return { kind: 'failed', failures: thrownFailures(lacksDeliveries(context.service.name)) };
  }
  if (change.action !== 'adopt' || change.source.kind !== 'history') {
    return obtainRendering(taskOf(change, input), context, events);
  }
  return verifyRendering(change.source.rendering, change.id, context);
}

function deliver(
  { destinations, desired }: Pending,
  { rendering, session }: { readonly rendering: Rendering; readonly session: RenderSession | null },
  { context }: Run,
): Promise<DeliveryEnding> {
  return deliverRendering({ title: desired.title, rendering, session, destinations }, context);
}

/** This machine's lockfile may go with it, and whoever counts on what was in these places before has to know. */
async function noteArrivals(
  { session }: Rendering,
  { arrived: deliveries }: DeliveryEnding,
  context: RunContext,
): Promise<void> {
  if (deliveries.length === 0) return;
  await context.ports.journal.append({ type: 'delivered', session, deliveries, at: timestamp(context) });
}

function endIfAsked(failures: readonly Failure[], { input, end }: Run): void {
  if (failures.length > 0 && (input.failFast || failures.some(endsRun))) end.because('failure');
}

function taskOf(change: Pending, { videos, digestOf }: RunInput): RenderTask {
  const { id, fingerprint, styleVersion } = change.desired;
  return {
    video: videos.get(id)!,
    fingerprint,
    styleVersion,
    outputName: outputName(change),
    present: change.before,
    digestOf,
    destinations: change.destinations,
  };
}

/** A restored output goes back to the name that the lockfile knows it by; a new one is named after what is in it. */
function outputName(change: Pending): string {
  if (change.action === 'restore') return outputNameOf(change.before.video_url);
  const { id, fingerprint } = change.desired;
  return `${id}-${fingerprint.slice('v1:'.length, 'v1:'.length + 8)}`;
}
