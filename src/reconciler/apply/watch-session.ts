import { lacksOutputs, type RenderService, sessionDiffers, sessionEnd } from '../../contract/render-service.ts';
import { lacksSession, ServiceError } from '../../contract/service-error.ts';
import { furtherOutputs } from '../../contract/video-spec.ts';
import { isSoundMeasures } from '../../contract/wire/loudness.ts';
import type { RenderSession } from '../../contract/wire/render-session.ts';
import { defined } from '../../kernel/defined.ts';
import { ReelformError } from '../../kernel/diagnostic.ts';
import type { Video } from '../definition/video.ts';
import type { Attempt, Intent, MissingCode } from '../lock/journal.ts';
import type { LockRendering } from '../lock/lock.ts';
import { styleVersionOf } from '../plan/desired-video.ts';
import type { AdoptionSource } from '../plan/plan.ts';
import { PollRetry, SEEN_MISSING_MS, UNSEEN_MISSING_MS } from '../service-client/retry.ts';
import { sessionFailures, thrownFailures, type VideoFailure } from './events.ts';
import {
  type Ending,
  isOtherRuns,
  type PendingChange,
  type RemoteContext,
  type TaskEvents,
  timestamp,
} from './run-context.ts';
import { answerContradictions } from './session-differences.ts';
import { sessionRequest } from './session-request.ts';

/**
 * Watches a session that only the journal names. Requests it first, so that a session that was missing in an earlier
 * run is recorded as found, or reported, before anything else is done for its video.
 */
export async function followSession(
  attempt: Attempt,
  id: string,
  change: PendingChange,
  context: RemoteContext,
  events: TaskEvents,
): Promise<Ending> {
  const { intent, state } = attempt;
  const { service, ports, leave } = context;
  const isMissing = state === 'missing';
  const isNew = !isMissing && ports.clock.now() - Date.parse(intent.at) < SEEN_MISSING_MS;
  const retry = new PollRetry(isNew ? SEEN_MISSING_MS : UNSEEN_MISSING_MS);
  let session: RenderSession | null = null;
  while (session === null) {
    try {
      const found = (await service.getRenderSession(id)).session;
      const mismatch = mismatchOf(intent, found);
      if (mismatch !== null) throw mismatch;
      session = found;
    } catch (error) {
      // The client has already retried after any other error.
      const isRetried = lacksSession(error) || codeOf(error) === 'session_differs';
      const waitMs = isRetried ? retry.nextMs(error, ports.clock.monotonicNow(), Math.random()) : null;
      if (waitMs !== null) await ports.clock.wait(waitMs, leave).catch(() => undefined);
      if (waitMs !== null && !leave.aborted) continue;
      return lost(id, attempt, error, context);
    }
  }
  const { key } = intent;
  // A session without a URL is still missing.
  const isFound = isMissing && attempt.missing !== 'session_without_video';
  if (isFound) await ports.journal.append({ type: 'created', key, session: id, at: timestamp(context) });
  return watchSession(session, isFound ? { ...attempt, state: 'created' } : attempt, change, context, events);
}

/**
 * Reads a session that failed in an earlier run. Returns null if it still has no video or cannot be read by its id,
 * so that a new session may be requested. Otherwise the service has mended it: records it as found, and watches it.
 */
export async function followMended(
  { intent, session: id }: Attempt,
  change: PendingChange,
  context: RemoteContext,
  events: TaskEvents,
): Promise<Ending | null> {
  const { service, ports } = context;
  let session: RenderSession;
  try {
    ({ session } = await service.getRenderSession(id!));
  } catch (error) {
    const isRefused = error instanceof ServiceError && error.status < 500;
    if (isRefused || ['service_answer_invalid', 'session_differs'].includes(codeOf(error))) return null;
    return { kind: 'failed', failures: thrownFailures(error) };
  }
  if (sessionEnd(session.status) === 'failed' || mismatchOf(intent, session) !== null) return null;
  await ports.journal.append({ type: 'created', key: intent.key, session: session.id, at: timestamp(context) });
  events.begun('resumed');
  events.submitted(session.id);
  const attempt: Attempt = { intent, state: 'created', session: session.id, rendering: null };
  return watchSession(session, attempt, change, context, events);
}

/** Polls a session until it has ended, and records its result. */
export async function watchSession(
  session: RenderSession,
  attempt: Attempt,
  change: PendingChange,
  context: RemoteContext,
  events: TaskEvents,
): Promise<Ending> {
  const { ports, watcher, leave } = context;
  const { intent, state } = attempt;
  const { key } = intent;
  let ended: RenderSession;
  try {
    ended = await watcher.watch(session, styleVersionOf(change.desired), {
      signal: leave,
      outputNames: furtherOutputs(change.desired).map(({ name }) => name),
      videoPatienceMs: state === 'missing' ? UNSEEN_MISSING_MS : SEEN_MISSING_MS,
      onProgress: (percent) => events.progressed(percent),
      mismatch: (answer) => mismatchOf(intent, answer),
    });
  } catch (error) {
    return lost(session.id, attempt, error, context);
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
  return { kind: 'rendered', rendering, session: ended, isOtherRuns: isOtherRuns(intent, context) };
}

/** Returns an error if an answer contradicts the request of an attempt; null if it may be its session. */
export function mismatchOf({ body }: Intent, session: RenderSession): ReelformError | null {
  const [difference, ...furtherDifferences] = answerContradictions(body, session);
  if (difference === undefined) return null;
  const { field, asked, found } = difference;
  const more = furtherDifferences.length === 0 ? '' : `, and ${furtherDifferences.length} more values differ`;
  return sessionDiffers(
    `The answer for the session ${session.id} has another content: ${field} is ${brief(found)}, not ${brief(asked)}${more}`,
  );
}

/** A value may be a long text. */
function brief(json: string | null): string {
  return json === null ? 'missing' : json.length > 60 ? `${json.slice(0, 59)}…` : json;
}

/**
 * Ends the watch of a session whose state is unknown. The journal keeps the session, so the next run requests it again.
 * If that does not help, or the service answers for another session, a person decides: the service was paid for this
 * session and may find it again.
 */
async function lost(session: string, attempt: Attempt, error: unknown, context: RemoteContext): Promise<Ending> {
  if (context.leave.aborted) return { kind: 'left', session };
  const { intent, state, missing } = attempt;
  const code = lacksSession(error) ? 'session_gone' : codeOf(error);
  if (!isMissingCode(code)) return { kind: 'failed', failures: thrownFailures(error) };
  if (state !== 'missing' || missing !== code) {
    await context.ports.journal.append({ type: 'missing', key: intent.key, at: timestamp(context), code });
  }
  const problem = missingProblem(session, error, code, context.service);
  if (state !== 'missing' && code !== 'session_differs') {
    return { kind: 'failed', failures: [{ ...problem, retryable: true }] };
  }
  const hint = `Check the service, then run reelform resolve ${intent.id} --session ID, --retry or --abandon`;
  return { kind: 'unknown', failure: { ...problem, hint, retryable: false }, askedAt: intent.at, session };
}

function missingProblem(
  session: string,
  error: unknown,
  code: MissingCode,
  { name }: RenderService,
): Pick<VideoFailure, 'code' | 'message' | 'hint'> {
  if (!(error instanceof ServiceError)) {
    const { message, hint } = error as ReelformError;
    return { code, message, hint };
  }
  const message = `${name} created the session ${session}, but now returns ${error.status} for it`;
  const hint = 'Check the token and the service, then run apply again: it checks for this session before it renders';
  return { code, message, hint };
}

const MISSING_CODES: ReadonlySet<string> = new Set([
  'session_gone',
  'session_without_video',
  'session_differs',
] satisfies MissingCode[]);

function isMissingCode(code: string): code is MissingCode {
  return MISSING_CODES.has(code);
}

function codeOf(error: unknown): string {
  return error instanceof ReelformError ? error.code : '';
}

/**
 * Verifies a rendering of an earlier lockfile. A missing session is accepted while the video can be fetched, but not for an
 * entry of another branch: anybody who may push could name any video.
 */
export async function verifyRendering(
  { rendering: former, isMerged, commit }: AdoptionSource & { readonly kind: 'history' },
  { id, desired }: PendingChange,
  context: RemoteContext,
): Promise<Ending> {
  const { service, ports, leave } = context;
  try {
    const { session } = await service.getRenderSession(former.session);
    // The title is that of the earlier video, and the URLs of its files are not known.
    const made = { styleVersions: desired.styleVersions, scenes: ports.timelineOf(desired) };
    const { title: _, ...content } = sessionRequest(desired, made, () => '');
    const [mismatch] = answerContradictions(JSON.stringify(content), session);
    const rendering = mismatch === undefined ? renderingOf(session) : null;
    if (rendering !== null) return { kind: 'rendered', rendering, session: null, isOtherRuns: false };
  } catch (error) {
    if (!lacksSession(error)) return { kind: 'failed', failures: thrownFailures(error) };
  }
  if (!isMerged) {
    const message = `${service.name} has no such video in the session ${former.session}, which only commit ${commit.slice(0, 12)} of another branch records`;
    const hint = `Check that commit. To render the video: reelform apply --replace ${id}`;
    return { kind: 'failed', failures: [{ code: 'session_gone', message, hint, retryable: false }] };
  }
  const video = await ports.probeUrl(former.video_url, leave).catch(() => null);
  if (video === null) return { kind: 'given-up' };
  if (video.kind === 'there') return { kind: 'rendered', rendering: former, session: null, isOtherRuns: false };
  const why = video.kind === 'gone' ? `the server returned ${video.status}` : video.why;
  const message = `${service.name} no longer has the session ${former.session}, and its video cannot be fetched: ${why}`;
  const hint = `Check the token and the service, then run apply again. If the video is lost, render it again with reelform apply --replace ${id}`;
  return { kind: 'failed', failures: [{ code: 'session_gone', message, hint, retryable: video.kind === 'unclear' }] };
}

/** Returns whether a rendering lacks files of a video. */
function lacksFiles({ outputs = [] }: LockRendering, video: Pick<Video, 'outputs'>): boolean {
  return furtherOutputs(video).some(({ name }) => outputs.every((output) => output.name !== name));
}

/** Returns the rendering of an ended session; null when it has none. */
export function renderingOf(session: RenderSession): LockRendering | null {
  const {
    id,
    status,
    video_url,
    thumbnails,
    updated_at,
    usage,
    video_sha256: sha256,
    measured_loudness: measured,
  } = session;
  if (sessionEnd(status) !== 'rendered' || video_url === null) return null;
  const outputs = (session.outputs ?? []).slice(1).flatMap(({ name, video_url: url, ...file }) =>
    url === null
      ? []
      : [
          {
            name,
            video_url: url,
            ...verifiable(file.bytes, file.video_sha256),
            ...defined({ loudness: measuresOf(file.measured_loudness) }),
          },
        ],
  );
  return {
    session: id,
    video_url,
    thumbnails,
    rendered_at: updated_at,
    ...verifiable(usage?.bytes, sha256),
    ...defined({ loudness: measuresOf(measured) }),
    ...(outputs.length > 0 && { outputs }),
  };
}

function measuresOf(value: unknown): LockRendering['loudness'] {
  return isSoundMeasures(value) ? { integrated: value.integrated, true_peak: value.true_peak } : undefined;
}

/** Another service may use these names differently, so only valid sizes and digests are recorded. */
function verifiable(bytes: unknown, sha256: unknown): Pick<LockRendering, 'bytes' | 'sha256'> {
  return {
    ...(Number.isSafeInteger(bytes) && (bytes as number) > 0 && { bytes: bytes as number }),
    ...(typeof sha256 === 'string' && /^[0-9a-f]{64}$/.test(sha256) && { sha256 }),
  };
}
