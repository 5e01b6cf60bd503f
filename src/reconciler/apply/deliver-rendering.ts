import { lacksDeliveries, uploadEnded } from '../../contract/render-service.ts';
import type { ExternalUpload, ExternalUploadRequest, RenderSession } from '../../contract/wire/render-session.ts';
import { abortable } from '../../kernel/abortable.ts';
import { type Backoff, backoffMs } from '../../kernel/backoff.ts';
import { defined } from '../../kernel/defined.ts';
import type { Delivery, LockRendering } from '../lock/lock.ts';
import type { DestinationChange } from '../plan/plan.ts';
import { PollRetry, SEEN_MISSING_MS } from '../service-client/retry.ts';
import { thrownFailures, type VideoFailure } from './events.ts';
import type { RunContext } from './run-context.ts';
import { uploadRequests } from './session-request.ts';

/** A finished video and its destinations. */
interface DeliveryTask {
  readonly title: string;
  readonly rendering: LockRendering;
  /** The session in its last known state; null when this run did not read it. */
  readonly session: RenderSession | null;
  readonly destinations: readonly DestinationChange[];
}

/** Deliveries that succeeded, and the failures of the remaining deliveries. */
export interface DeliveryEnding {
  readonly arrived: readonly Delivery[];
  readonly failures: readonly VideoFailure[];
}

/** Waits between polls of uploads. */
const BACKOFF: Backoff = { firstMs: 100, maxMs: 5_000, factor: 1.5 };

export const NOT_DELIVERED: DeliveryEnding = { arrived: [], failures: [] };

/**
 * Delivers a finished video. Waits for the uploads that its session has started, and asks the service
 * for the remaining uploads. Renders nothing. Failures are reported with their destination and do not fail the video.
 */
export async function deliverRendering(task: DeliveryTask, context: RunContext): Promise<DeliveryEnding> {
  const wanted = uploadRequests(task.destinations);
  try {
    const begun = await uploadsOf(task, wanted, context);
    const missing = wanted.filter(({ to }) => !begun.some((upload) => upload.to === to));
    const started = missing.length === 0 ? [] : await abortable(ask(task, missing, context), context.leave);
    return endingOf(wanted, [...begun, ...started]);
  } catch (error) {
    if (context.leave.aborted) return { arrived: [], failures: wanted.map(({ to }) => left(to)) };
    const failures = thrownFailures(error);
    // An error of one destination names it; an error that concerns all of them is reported once.
    return { arrived: [], failures: failures.map((failure) => ({ ...failure, message: naming(failure, wanted) })) };
  }
}

async function ask(
  { title, rendering }: DeliveryTask,
  missing: readonly ExternalUploadRequest[],
  { service }: RunContext,
): Promise<readonly ExternalUpload[]> {
  if (service.deliverVideo === undefined) throw lacksDeliveries(service.name);
  const { session: id, video_url } = rendering;
  const outputs = rendering.outputs?.map(({ name, video_url: url }) => ({ name, video_url: url }));
  return service.deliverVideo({ id, video_url, title, ...defined({ outputs }) }, missing);
}

/** Returns the wanted uploads that belong to the session, after they have ended. */
async function uploadsOf(
  { rendering, session: seen }: DeliveryTask,
  wanted: readonly ExternalUploadRequest[],
  context: RunContext,
): Promise<ExternalUpload[]> {
  const { service, ports, leave } = context;
  const ofWanted = ({ external_uploads = [] }: RenderSession): ExternalUpload[] =>
    wanted.flatMap(({ to }) => external_uploads.findLast((upload) => upload.to === to) ?? []);
  if (!service.outlivesProcess) {
    // The sessions of this service end with the process, so earlier sessions are not known.
    if (seen === null) return [];
    const isDelivered = ofWanted(seen).every(uploadEnded);
    return ofWanted(isDelivered ? seen : await abortable(service.waitForUploads(seen.id), leave));
  }
  let session = seen ?? (await service.getRenderSession(rendering.session)).session;
  // An upload that ended before this run may have been overwritten since, so it is delivered again.
  const awaited = ofWanted(session).filter((upload) => seen !== null || !uploadEnded(upload));
  const awaitedUrls = new Set(awaited.map(({ to }) => to));
  const failed = new PollRetry(SEEN_MISSING_MS);
  let polls = 0;
  while (!ofWanted(session).every((upload) => !awaitedUrls.has(upload.to) || uploadEnded(upload))) {
    await ports.clock.wait(backoffMs(polls, BACKOFF), leave);
    polls += 1;
    try {
      session = (await service.getRenderSession(rendering.session)).session;
      failed.clear();
    } catch (error) {
      const waitMs = failed.nextMs(error, ports.clock.monotonicNow(), 0.5);
      if (waitMs === null) throw error;
      await ports.clock.wait(waitMs, leave);
    }
  }
  return ofWanted(session).filter(({ to }) => awaitedUrls.has(to));
}

function endingOf(wanted: readonly ExternalUploadRequest[], ended: readonly ExternalUpload[]): DeliveryEnding {
  const arrived: Delivery[] = [];
  const failures: VideoFailure[] = [];
  for (const { to } of wanted) {
    const upload = ended.find((endedUpload) => endedUpload.to === to);
    if (upload?.status === 'complete') {
      arrived.push(typeof upload.url === 'string' ? { to, url: upload.url } : { to });
      continue;
    }
    const { code = 'delivery_failed', title, detail } = upload?.error ?? {};
    const why = detail ?? title ?? 'the service gave no reason';
    failures.push({ code, message: why.includes(to) ? why : `${to}: ${why}`, retryable: true });
  }
  return { arrived, failures };
}

/** Returns the failure of a delivery that a run has left. */
export function left(to: string): VideoFailure {
  const message = `${to}: the run ended before the delivery was confirmed`;
  return {
    code: 'delivery_failed',
    message,
    hint: 'Run apply again: the video is delivered without being rendered',
    retryable: true,
  };
}

function naming({ message }: VideoFailure, wanted: readonly ExternalUploadRequest[]): string {
  const [first] = wanted;
  const isNamed = wanted.length !== 1 || first === undefined || message.includes(first.to);
  return isNamed ? message : `${first.to}: ${message}`;
}
