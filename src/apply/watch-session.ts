import { furtherOutputs, type Video } from '../definition/video.ts';
import type { Attempt, Intent } from '../lock/journal.ts';
import type { LockOutput, LockRendering } from '../lock/lock.ts';
import { lacksOutputs, type RenderService, sessionEnd } from '../service/render-service.ts';
import { PollRetry, SEEN_MISSING_MS, UNSEEN_MISSING_MS } from '../service/retry.ts';
import { lacksSession } from '../service/service-error.ts';
import type { RenderSession } from '../wire/render-session.ts';
import { sessionFailures, thrownFailures } from './events.ts';
import { type Ending, type PendingChange, type RunContext, type TaskEvents, timestamp } from './run-context.ts';

/**
 * Watches a session that only the journal names. Requests it first, so that a session that was missing in an earlier
 * run is recorded as found, or reported, before anything else is done for its video.
 */
export async function followSession(
  { intent, state }: Attempt,
  id: string,
  change: PendingChange,
  context: RunContext,
  events: TaskEvents,
): Promise<Ending> {
  const { service, ports, leave } = context;
  const isMissing = state === 'missing';
  const isNew = !isMissing && ports.clock.now() - Date.parse(intent.at) < SEEN_MISSING_MS;
  const retry = new PollRetry(isNew ? SEEN_MISSING_MS : UNSEEN_MISSING_MS);
  let session: RenderSession | null = null;
  while (session === null) {
    try {
      session = (await service.getRenderSession(id)).session;
    } catch (error) {
      // The client has already retried after any other error.
      const waitMs = lacksSession(error) ? retry.nextMs(error, ports.clock.monotonicNow(), Math.random()) : null;
      if (waitMs !== null) await ports.clock.wait(waitMs, leave).catch(() => undefined);
      if (waitMs !== null && !leave.aborted) continue;
      return isMissing && lacksSession(error) && !leave.aborted
        ? stillMissing(id, intent, service)
        : lost(id, intent.key, error, context);
    }
  }
  const { key } = intent;
  if (isMissing) await ports.journal.append({ type: 'created', key, session: id, at: timestamp(context) });
  return watchSession(session, key, change, context, events);
}

/** Polls a session until it has ended, and records its result. */
export async function watchSession(
  session: RenderSession,
  key: string,
  change: PendingChange,
  context: RunContext,
  events: TaskEvents,
): Promise<Ending> {
  const { ports, watcher, leave } = context;
  let ended: RenderSession;
  try {
    const onProgress = (percent: number): void => events.progressed(percent);
    ended = await watcher.watch(session, change.desired.styleVersion, { signal: leave, onProgress });
  } catch (error) {
    return lost(session.id, key, error, context);
  }
  const rendering = renderingOf(ended);
  const at = timestamp(context);
  if (rendering === null) {
    await ports.journal.append({ type: 'failed', key, at });
    return { kind: 'failed', failures: sessionFailures(ended, change.desired) };
  }
  if (lacksFiles(rendering, change.desired)) {
    context.noteLack('outputs');
    // The journal keeps the session, so the next run reports the same without a new request.
    return { kind: 'failed', failures: thrownFailures(lacksOutputs(context.service.name)) };
  }
  await ports.journal.append({ type: 'rendered', key, rendering, at });
  return { kind: 'rendered', rendering, session: ended };
}

/**
 * Ends the watch of a session whose state is unknown. The journal keeps the session, so the next run requests it again.
 */
async function lost(session: string, key: string, error: unknown, context: RunContext): Promise<Ending> {
  if (context.leave.aborted) return { kind: 'left', session };
  if (!lacksSession(error)) return { kind: 'failed', failures: thrownFailures(error) };
  await context.ports.journal.append({ type: 'missing', key, at: timestamp(context) });
  const message = `${context.service.name} created the session ${session}, but now returns ${error.status} for it`;
  const hint = 'Check the token and the service, then run apply again: it checks for this session before it renders';
  return { kind: 'failed', failures: [{ code: 'session_gone', message, hint, retryable: true }] };
}

/** Leaves the decision to a person: the service was paid for this session and may find it again. */
function stillMissing(session: string, { id, at }: Intent, { name }: RenderService): Ending {
  const message = `${name} created the session ${session}, but still does not have it`;
  const hint = `Check the service, then run reelform resolve ${id} --session ID, --retry or --abandon`;
  return { kind: 'unknown', failure: { code: 'session_gone', message, hint, retryable: false }, askedAt: at, session };
}

/** Verifies a rendering of an earlier lockfile. A missing session is accepted while the video can be fetched. */
export async function verifyRendering(former: LockRendering, id: string, context: RunContext): Promise<Ending> {
  const { service, ports, leave } = context;
  try {
    const { session } = await service.getRenderSession(former.session);
    const rendering = renderingOf(session);
    if (rendering !== null) return { kind: 'rendered', rendering, session: null };
  } catch (error) {
    if (!lacksSession(error)) return { kind: 'failed', failures: thrownFailures(error) };
  }
  const video = await ports.probeUrl(former.video_url, leave).catch(() => null);
  if (video === null) return { kind: 'given-up' };
  if (video.kind === 'there') return { kind: 'rendered', rendering: former, session: null };
  const why = video.kind === 'gone' ? `the server returned ${video.status}` : video.why;
  const message = `${service.name} no longer has the session ${former.session}, and its video cannot be fetched: ${why}`;
  const hint = `Check the token and the service, then run apply again. If the video is lost, render it again with reelform apply --replace ${id}`;
  return { kind: 'failed', failures: [{ code: 'session_gone', message, hint, retryable: video.kind === 'unclear' }] };
}

/** Returns whether a rendering has not all files of a video. */
function lacksFiles({ outputs = [] }: LockRendering, video: Pick<Video, 'outputs'>): boolean {
  return furtherOutputs(video).some(({ name }) => outputs.every((one) => one.name !== name));
}

/** Returns the rendering of an ended session; null when it has none. */
export function renderingOf(session: RenderSession): LockRendering | null {
  const { id, status, video_url, thumbnails, updated_at, usage, video_sha256: sha256 } = session;
  if (sessionEnd(status) !== 'rendered' || video_url === null) return null;
  const outputs = (session.outputs ?? []).slice(1).flatMap(({ name, video_url: url, ...file }): LockOutput[] => {
    return url === null ? [] : [{ name, video_url: url, ...verifiable(file.bytes, file.video_sha256) }];
  });
  return {
    session: id,
    video_url,
    thumbnails,
    rendered_at: updated_at,
    ...verifiable(usage?.bytes, sha256),
    ...(outputs.length > 0 && { outputs }),
  };
}

/** Another service may use these names differently, so only valid sizes and digests are recorded. */
function verifiable(bytes: unknown, sha256: unknown): Pick<LockRendering, 'bytes' | 'sha256'> {
  return {
    ...(Number.isSafeInteger(bytes) && (bytes as number) > 0 && { bytes: bytes as number }),
    ...(typeof sha256 === 'string' && /^[0-9a-f]{64}$/.test(sha256) && { sha256 }),
  };
}
