import pLimit from 'p-limit';
import type { Video, VideoId } from '../definition/video.ts';
import type { Sha256 } from '../digest.ts';
import { liveAttempts } from '../lock/fold-journal.ts';
import { outputNameOf } from '../lock/output-path.ts';
import type { DesiredVideo } from '../plan/desired-video.ts';
import { type Adoption, type Change, type Plan, renders } from '../plan/plan.ts';
import type { RenderService } from '../service/render-service.ts';
import type { ApplyEvent, ApplyOutcome } from './events.ts';
import { endsRun } from './failure.ts';
import { limitPosts } from './limit-posts.ts';
import { LockSaver } from './lock-saver.ts';
import { obtainRendering } from './obtain-rendering.ts';
import type { ApplyPorts } from './ports.ts';
import type { RenderTask } from './render-task.ts';
import type { Ending, RunContext, TaskEvents } from './run-context.ts';
import { RunEnd } from './run-end.ts';
import { RunRecord } from './run-record.ts';
import { SessionWatcher } from './session-watcher.ts';
import { verifyRendering } from './watch-session.ts';

export interface ApplyInput {
  readonly plan: Plan;
  /** Every video that the plan renders or waits for. */
  readonly videos: ReadonlyMap<VideoId, Video>;
  /** The digests that the plan was made with. */
  readonly digestOf: (path: string) => Sha256 | undefined;
  readonly service: RenderService;
  readonly ports: ApplyPorts;
  /** Renders at once, ≥ 1. */
  readonly concurrency: number;
  /** Aborted: nothing new is begun, what is at work is waited for and recorded. */
  readonly signal: AbortSignal;
  /** Aborted: what is at work is left to the service too, and recorded as that. */
  readonly detach: AbortSignal;
  /** Milliseconds from now after which what is at work is left to the service; null: never. */
  readonly deadlineMs: number | null;
  /** Whether the first failure keeps what has not begun from beginning. */
  readonly failFast: boolean;
  /** Names this run in the journal. */
  readonly run: string;
  onEvent(event: ApplyEvent): void;
}

/**
 * Does what a plan says. What needs no rendering goes into the lockfile first; then videos are rendered, at most
 * `concurrency` at once. Each is in the journal before it is reported, and in the lockfile at the next checkpoint, at the
 * latest when this returns. What fails stays with its video.
 *
 * @throws ReelformError `write_failed` when journal or lockfile cannot be written: nothing new was posted since
 */
export async function applyPlan(input: ApplyInput): Promise<ApplyOutcome> {
  const { plan, onEvent, service } = input;
  const ports = { ...input.ports, ensureStyleVersion: oncePerId((id) => input.ports.ensureStyleVersion(id)) };
  const { clock, journal } = ports;
  const startedAt = clock.now();
  const saver = new LockSaver((change) => ports.updateLock(change), clock);
  const end = new RunEnd(input, clock);
  const facts = journal.state.services.get(service.name);
  const watcher = new SessionWatcher({
    service,
    clock,
    durationsMs: (styleVersion) => facts?.durationsMs.get(styleVersion) ?? [],
  });
  const context: RunContext = {
    service,
    ports,
    watcher,
    run: input.run,
    known: liveAttempts(journal.state),
    isEnding: () => end.reason !== null,
    leave: end.leave,
    posting: limitPosts(service, input.concurrency),
  };
  const record = new RunRecord(saver, onEvent, clock);

  const isPending = (change: Change): change is Pending => needsWork(change, service);
  const pending = plan.changes.filter(isPending);
  onEvent({ kind: 'run-started', ids: pending.map(({ id }) => id), concurrency: input.concurrency });
  const limit = pLimit(input.concurrency);
  const work = async (change: Pending): Promise<void> => {
    const reason = end.reason;
    if (reason !== null) return record.skipped(change.id, reason);
    await carryOut(change, input, context, record, end);
  };
  // Whoever asks a run to stop may not wait for its end.
  const persist = (): void => void saver.flush().catch(() => undefined);
  input.signal.addEventListener('abort', persist);
  try {
    await record.settled(plan.changes.filter((change) => !isPending(change) && !isTwin(change)));
    // Each to its end, also beside one that threw: what is paid for is written down.
    const ends = await Promise.allSettled(pending.map((change) => limit(work, change)));
    const thrown = ends.find((one) => one.status === 'rejected');
    if (thrown !== undefined) throw thrown.reason;
    await record.settledTwins(plan.changes.filter(isTwin), end.reason);
    await rememberDurations(watcher, context);
    await saver.flush();
  } catch (error) {
    // The first error names what is in danger.
    await saver.flush().catch(() => undefined);
    throw error;
  } finally {
    end.close();
    input.signal.removeEventListener('abort', persist);
  }
  const outcome = record.outcome(end.reason, clock.now() - startedAt);
  onEvent({ kind: 'run-finished', outcome });
  return outcome;
}

type Pending = Change & { readonly desired: DesiredVideo };

/** Whether there is something to ask the service for, or to wait for. */
function needsWork(change: Change, service: RenderService): boolean {
  if (change.action !== 'adopt') return renders(change);
  const { source } = change;
  if (source.kind === 'history') return service.outlivesProcess;
  return source.kind === 'journal' && source.rendering === null;
}

/** Whether it takes what another video of the plan is rendered to. */
function isTwin(change: Change): change is Adoption {
  return change.action === 'adopt' && change.source.kind === 'planned';
}

async function carryOut(
  change: Pending,
  input: ApplyInput,
  context: RunContext,
  record: RunRecord,
  end: RunEnd,
): Promise<void> {
  const { id, action } = change;
  const { onEvent } = input;
  const startedAt = context.ports.clock.now();
  const events: TaskEvents = {
    begun: (begin) => onEvent({ kind: 'video-started', id, action, begin }),
    submitted: (session) => onEvent({ kind: 'video-submitted', id, session }),
    progressed: (percent) => onEvent({ kind: 'video-progressed', id, percent }),
  };
  let ending: Ending;
  try {
    ending =
      change.action === 'adopt' && change.source.kind === 'history'
        ? await verifyRendering(change.source.rendering, id, context.service)
        : await obtainRendering(taskOf(change, input), context, events);
    await record.ended(change, ending, startedAt, end.reason ?? 'interrupted');
  } catch (error) {
    end.because('failure');
    throw error;
  }
  if (ending.kind === 'failed' && (input.failFast || ending.failures.some(endsRun))) end.because('failure');
}

function taskOf(change: Pending, { videos, digestOf }: ApplyInput): RenderTask {
  const { id, fingerprint, styleVersion } = change.desired;
  return {
    video: videos.get(id)!,
    fingerprint,
    styleVersion,
    outputName: outputName(change),
    presentSession: change.before?.session ?? null,
    digestOf,
  };
}

/** A restored output goes back to the name that the lockfile knows it by; a new one is named after what is in it. */
function outputName(change: Pending): string {
  if (change.action === 'restore') return outputNameOf(change.before.video_url);
  const { id, fingerprint } = change.desired;
  return `${id}-${fingerprint.slice('v1:'.length, 'v1:'.length + 8)}`;
}

/** The next run knows when to look. */
async function rememberDurations(watcher: SessionWatcher, { service, ports }: RunContext): Promise<void> {
  if (!service.outlivesProcess) return;
  await Promise.all(
    [...watcher.learnt()].map(([style_version, durations_ms]) => {
      return ports.journal.append({ type: 'durations', service: service.name, style_version, durations_ms });
    }),
  );
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
