import pLimit from 'p-limit';
import type { Video, VideoId } from '../definition/video.ts';
import type { Sha256 } from '../digest.ts';
import type { Rendering } from '../lock/lock.ts';
import { outputNameOf } from '../lock/output-path.ts';
import type { DesiredVideo } from '../plan/desired-video.ts';
import { type Change, type Plan, renders } from '../plan/plan.ts';
import { editLock, type LockEdit, settle } from '../plan/settle.ts';
import { type RenderService, sessionEnd } from '../service/render-service.ts';
import type { RenderSession } from '../service/wire.ts';
import type { ApplyEvent, ApplyOutcome, Failure } from './events.ts';
import { sessionFailures, thrownFailures } from './failure.ts';
import { LockSaver } from './lock-saver.ts';
import type { ApplyPorts } from './ports.ts';
import { renderVideo } from './render-video.ts';

export interface ApplyInput {
  readonly plan: Plan;
  /** Every video that the plan renders. */
  readonly videos: ReadonlyMap<VideoId, Video>;
  /** The digests that the plan was made with. */
  readonly digestOf: (path: string) => Sha256 | undefined;
  readonly service: RenderService;
  readonly ports: ApplyPorts;
  /** Renders at once, ≥ 1. */
  readonly concurrency: number;
  /** Aborted: nothing new is begun, what is at work is waited for and recorded. */
  readonly signal: AbortSignal;
  onEvent(event: ApplyEvent): void;
}

/**
 * Does what a plan says. What needs no rendering goes into the lockfile first; then videos are rendered, at most
 * `concurrency` at once, and each is in the lockfile before it is reported. What fails stays with its video.
 *
 * @throws ReelformError `write_failed` when the lockfile cannot be saved: rendering on would lose results
 */
export async function applyPlan(input: ApplyInput): Promise<ApplyOutcome> {
  const { plan, onEvent } = input;
  const ports = { ...input.ports, ensureStyleVersion: oncePerId((id) => input.ports.ensureStyleVersion(id)) };
  const startedAt = ports.clock.now();
  const saver = new LockSaver((change) => ports.updateLock(change));
  const pending = plan.changes.filter(renders);
  const recorded = plan.changes.filter((change) => !renders(change) && change.action !== 'noop');
  onEvent({ kind: 'run-started', ids: pending.map(({ id }) => id), concurrency: input.concurrency });
  if (recorded.length > 0) {
    await saver.record((lock) =>
      editLock(
        lock,
        recorded.map((change) => settle(change, null)),
      ),
    );
    for (const { id, action, previousId } of recorded) onEvent({ kind: 'video-recorded', id, action, previousId });
  }

  const failed: { id: VideoId; failures: readonly Failure[] }[] = [];
  const skipped: VideoId[] = [];
  let rendered = 0;
  const limit = pLimit(input.concurrency);
  const renderOne = async (change: Change): Promise<void> => {
    if (input.signal.aborted) {
      skipped.push(change.id);
      onEvent({ kind: 'video-skipped', id: change.id });
      return;
    }
    const failures = await renderChange(change, { ...input, ports }, saver);
    if (failures.length > 0) failed.push({ id: change.id, failures });
    else rendered += 1;
  };
  try {
    await Promise.all(pending.map((change) => limit(renderOne, change)));
  } catch (error) {
    limit.clearQueue();
    throw error;
  }

  const elapsedMs = ports.clock.now() - startedAt;
  const outcome = { rendered, recorded: recorded.length, failed, skipped, elapsedMs };
  onEvent({ kind: 'run-finished', outcome });
  return outcome;
}

/** @returns why it could not be rendered; nothing when it was */
async function renderChange(change: Change, input: ApplyInput, saver: LockSaver): Promise<readonly Failure[]> {
  const { ports, service, onEvent } = input;
  const { id, action } = change;
  const startedAt = ports.clock.now();
  onEvent({ kind: 'video-started', id, action });
  const fail = (failures: readonly Failure[]): readonly Failure[] => {
    onEvent({ kind: 'video-failed', id, failures, elapsedMs: ports.clock.now() - startedAt });
    return failures;
  };

  let session: RenderSession;
  try {
    const task = {
      video: input.videos.get(id)!,
      styleVersion: change.desired!.styleVersion,
      outputName: outputName(change),
      digestOf: input.digestOf,
    };
    session = await renderVideo(task, service, ports, (percent) => onEvent({ kind: 'video-progressed', id, percent }));
  } catch (error) {
    return fail(thrownFailures(error));
  }
  if (sessionEnd(session.status) !== 'rendered' || session.video_url === null)
    return fail(sessionFailures(session, input.videos.get(id)!));

  const edit: LockEdit = settle(change, renderingOf(session, session.video_url));
  await saver.record((lock) => editLock(lock, [edit]));
  onEvent({ kind: 'video-rendered', id, videoUrl: session.video_url, elapsedMs: ports.clock.now() - startedAt });
  return [];
}

/** The same promise for the same id: what is at work is waited for, what failed stays failed. */
function oncePerId(ensure: (id: string) => Promise<void>): (id: string) => Promise<void> {
  const asked = new Map<string, Promise<void>>();
  return (id) => {
    const promise = asked.get(id) ?? ensure(id);
    asked.set(id, promise);
    return promise;
  };
}

function renderingOf(session: RenderSession, videoUrl: string): Rendering {
  return {
    session: session.id,
    video_url: videoUrl,
    thumbnails: session.thumbnails,
    rendered_at: session.updated_at,
  };
}

/** A restored output goes back to the name that the lockfile knows it by; a new one is named after what is in it. */
function outputName(change: Change): string {
  if (change.action === 'restore') return outputNameOf(change.before.video_url);
  return newOutputName(change.desired!);
}

function newOutputName({ id, fingerprint }: DesiredVideo): string {
  return `${id}-${fingerprint.slice('v1:'.length, 'v1:'.length + 8)}`;
}
